"""Names of generated files and directories."""

from __future__ import annotations

BUILD = "build"
CACHE = "cache"
IGNORED = "ignored"

DIRECTORIES: dict[str, str] = {
    **dict.fromkeys(
        (
            "dist", ".next", ".nuxt", ".output", ".svelte-kit", ".astro", ".docusaurus",
            ".vercel", ".netlify", ".serverless", ".angular", ".expo", ".dart_tool", ".bundle",
            "htmlcov", ".nyc_output", "storybook-static", "CMakeFiles", "DerivedData", ".build",
            "node_modules", "bower_components", ".tox", ".nox", ".venv", "_build", ".stack-work",
            "dist-newstyle", "elm-stuff", ".terraform", "__pypackages__", ".eggs", ".pnpm-store",
        ),
        BUILD,
    ),
    **dict.fromkeys(
        (
            ".cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".turbo",
            ".parcel-cache", "_cacache", ".npm", ".gradle", ".ccache", ".sass-cache", ".nx",
            ".vite", ".rollup.cache", ".rpt2_cache", ".thumbnails", ".pytype", ".pyre",
            ".ipynb_checkpoints", ".import_linter_cache", ".wrangler", ".eslintcache",
            ".swc", ".jest-cache", ".yarn-cache", ".pub-cache", ".pip-cache", ".uv-cache",
            "GPUCache", "Code Cache", "CachedData", "ShaderCache", "__MACOSX",
        ),
        CACHE,
    ),
}  # fmt: skip
"""Directories that are generated wherever they are."""

AMBIGUOUS: dict[str, frozenset[str]] = {
    "build": frozenset((
        "package.json", "setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "Makefile",
        "build.gradle", "build.gradle.kts", "meson.build", "configure", "pubspec.yaml", "build.xml",
        "mkdocs.yml", "Cargo.toml", "configure.ac", "Package.swift",
    )),
    "target": frozenset(("Cargo.toml", "pom.xml", "build.sbt", "project.clj")),
    "out": frozenset((
        "package.json", "tsconfig.json", "CMakeLists.txt", "next.config.js", "next.config.mjs",
        "build.gradle", "Makefile", "foundry.toml",
    )),
    "obj": frozenset(("Makefile",)),
    "coverage": frozenset(("package.json", "pyproject.toml", "setup.py", "setup.cfg", "Makefile")),
    "cmake-build-debug": frozenset(("CMakeLists.txt",)),
    "cmake-build-release": frozenset(("CMakeLists.txt",)),
}  # fmt: skip
"""Ambiguous directories, and the names that must be next to one to make it build output."""

SCATTERED_DIRECTORIES: dict[str, str] = {"__pycache__": CACHE}
"""Directories that occur everywhere and are reported together."""

DIRECTORY_ENDINGS: dict[str, str] = {".egg-info": BUILD}

SUFFIXES: dict[str, str] = {
    **dict.fromkeys((".o", ".obj", ".class", ".gcda", ".gcno", ".tsbuildinfo"), BUILD),
    **dict.fromkeys((".pyc", ".pyo", ".swp", ".swo", ".swn"), CACHE),
}

NAMES: dict[str, str] = {
    **dict.fromkeys((".coverage", "coverage.xml", "lcov.info"), BUILD),
    **dict.fromkeys((".DS_Store", "Thumbs.db", "desktop.ini", ".eslintcache", ".stylelintcache"), CACHE),
}  # fmt: skip

PLACES: dict[str, str] = {
    "var/cache": CACHE,
    "tmp": CACHE,
    "var/tmp": CACHE,
    "root/go/pkg/mod": CACHE,
    "go/pkg/mod": CACHE,
}
"""Directories from the root."""

HOME_PLACES: dict[tuple[str, ...], str] = {
    (".cargo", "registry"): CACHE,
    (".cargo", "git"): CACHE,
    (".rustup", "downloads"): CACHE,
    (".rustup", "tmp"): CACHE,
    (".m2", "repository"): CACHE,
    ("go", "pkg", "mod"): CACHE,
    (".bun", "install", "cache"): CACHE,
}
"""Path suffixes below a home directory."""

TAG = "CACHEDIR.TAG"
TAG_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""https://bford.info/cachedir/"""

VENDORED = frozenset(("site-packages", "dist-packages"))
"""Directories of installed packages, in listings; detectors read what is installed in them."""

AMBIGUOUS_VENDORED: dict[str, frozenset[str]] = {
    "vendor": frozenset(("go.mod", "composer.json", "Gemfile", "Cargo.toml")),
    "Pods": frozenset(("Podfile",)),
    "deps": frozenset(("mix.exs",)),
}
"""Directories of vendored packages, and the names that must be next to one."""

ENVIRONMENTS = frozenset(("venv", "env", ".env", "virtualenv", ".virtualenv"))
"""Usual names of virtual environments; one with any name has this file in it:"""
ENVIRONMENT_MARK = "pyvenv.cfg"

GIT = ".git"
GIT_WRITTEN = frozenset(("config", "hooks", "info", "description"))
"""What people write in the directory of a repository; git writes the rest."""
