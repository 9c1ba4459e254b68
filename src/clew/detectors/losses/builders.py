"""Builders: what makes build output again, and which files are build output.

Output of a build can be made again while something is there that makes it: a repository, a
manifest, a makefile.  A manifest that was deleted together with the output makes nothing.
"""

from __future__ import annotations

from clew.detectors.detector import Evidence
from clew.detectors.inherited import inherited
from clew.detectors.losses.data_kinds import SOURCE
from clew.detectors.security.security_rules import directories_above
from clew.model.entry import Entry


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MANIFESTS = frozenset((
    ".git", "package.json", "deno.json", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile",
    "requirements.txt", "environment.yml", "tox.ini", "noxfile.py", "Cargo.toml", "go.mod",
    "pom.xml", "build.xml", "build.gradle", "build.gradle.kts", "build.sbt", "project.clj",
    "Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "meson.build", "configure",
    "configure.ac", "SConstruct", "WORKSPACE", "MODULE.bazel", "BUILD.bazel", "Justfile", "justfile",
    "Rakefile", "Gemfile", "composer.json", "mix.exs", "rebar.config", "stack.yaml",
    "cabal.project", "dune-project", "pubspec.yaml", "Package.swift", "Podfile", "shard.yml",
    "elm.json", "mkdocs.yml", "hugo.toml", "config.toml", "_config.yml", "conf.py", "antora.yml",
    "docusaurus.config.js", "tsconfig.json", "vite.config.js", "vite.config.ts", "webpack.config.js",
    "Dockerfile", "foundry.toml", "main.tf", "build.zig", "renv.lock", "latexmkrc",
))  # fmt: skip

_DEPENDENCIES = frozenset((
    "node_modules", "bower_components", ".venv", "site-packages", "dist-packages", "__pypackages__",
    ".tox", ".nox", ".eggs", ".pnpm-store", "elm-stuff", ".stack-work", ".dart_tool", ".bundle",
))  # fmt: skip
"""Directories that only ever hold what was installed."""

_NEXT_TO = {
    "vendor": ("go.mod", "composer.json", "Gemfile", "Cargo.toml", "manifest"),
    "Pods": ("Podfile",),
    "Carthage": ("Cartfile",),
    "deps": ("mix.exs", "rebar.config"),
    "jspm_packages": ("package.json",),
    "renv": ("renv.lock",),
    "site": ("mkdocs.yml", "mkdocs.yaml"),
    "public": ("hugo.toml", "hugo.yaml", "config.toml", "gatsby-config.js", "gatsby-config.ts"),
    "_site": ("_config.yml", ".eleventy.js", "eleventy.config.js"),
    "book": ("book.toml",),
    "cdk.out": ("cdk.json",),
    "Library": ("ProjectSettings",),
    "Intermediate": ("Content", "Source"),
    "DerivedDataCache": ("Content", "Source"),
    "Saved": ("Content", "Source"),
    "screenshots": (
        "playwright.config.ts", "playwright.config.js", "cypress.config.ts", "cypress.config.js",
        "cypress.json", "wdio.conf.js", "nightwatch.conf.js", "backstop.json", "conftest.py",
    ),
    "venv": ("requirements.txt", "pyproject.toml", "setup.py", "Pipfile"),
    "env": ("requirements.txt", "pyproject.toml", "setup.py", "Pipfile"),
}  # fmt: skip
"""Directories that are dependencies or output next to one of these files."""

_OUTPUTS = frozenset((
    "screenshots", "videos", "reports", "report", "artifacts", "build", "out", "output", "bundle",
    "generated", "gen", "rendered", "staticfiles", "_site", "site", "book", "compiled", "release",
    "debug", "bin", "obj", "target",
))  # fmt: skip
"""Directories of output and of results of test runs, if git ignores them."""

_COMPILED = _words("""
    o obj a so lo la dylib dll lib exp pdb ilk class pyc pyd rlib rmeta hi cmi cmo cmx beam elc d dep
    gch pch bc ll tsbuildinfo gcda gcno gcov aux bbl blg fls fdb_latexmk toc synctex exe
""")  # fmt: skip
"""Suffixes of what only compilers write."""

_BUILT = _COMPILED | _words("""
    js mjs cjs css map html htm wasm jar war ear nupkg whl egg deb rpm apk aab ipa aar msi appimage
    woff woff2 ttf eot otf br s i ii
""")  # fmt: skip
"""Suffixes of what bundlers and generators write too."""

_OF_PEOPLE = frozenset((
    "upload", "uploads", "media", "storage", "backup", "backups", "data", "userdata", "user-data",
    "attachments", "files", "documents", "photos", "pictures", "archive", "archives", "dumps", "mail", "maildir", "datasets", "dataset", "models", "weights",
    "checkpoints", "notebooks", "recordings", "exports", "db", "database", "databases", "pgdata",
    "secrets", "keys", "certs", "private", "notes",
))  # fmt: skip
"""Directories that people and programs fill with what they keep."""


class Builders:
    """Directories that something can build; `evidence.once(Builders)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[str, bool] = {}
        self._made: dict[str, bool] = {"": False}

    def is_made(self, directory: str) -> bool:
        """Return whether a directory holds dependencies or output of what is next to it."""
        return inherited(self._made, directory, self._is_next_to_maker)

    def _is_next_to_maker(self, directory: str) -> bool:
        parent, _, name = directory.rpartition("/")
        if name in _DEPENDENCIES:
            return True
        makers = _NEXT_TO.get(name)
        return makers is not None and any(
            maker in self._evidence.new.entries(parent) for maker in makers
        )

    def can_build(self, directory: str) -> bool:
        """Return whether a directory above this one has what builds it, in the new tree."""
        missing: list[str] = []
        found = False
        for above in directories_above(directory):
            if above in self._known:
                found = self._known[above]
                break
            missing.append(above)
            if not _MANIFESTS.isdisjoint(self._evidence.new.entries(above)):
                found = True
                break
        for above in missing:
            self._known[above] = found
        return found


def is_built(name: str, kind: str, entry: Entry) -> bool:
    """Return whether a file that git ignores is what a compiler or generator writes."""
    if kind == SOURCE or name.rpartition(".")[2].lower() in _BUILT:
        return True
    return is_compiled(name, entry)


def is_compiled(name: str, entry: Entry) -> bool:
    """Return whether a file is what a compiler writes: objects, byte code, programs."""
    dot = name.rfind(".")
    return name[dot + 1 :].lower() in _COMPILED if dot > 0 else bool(entry.mode & 0o111)


def is_of_output(directory: str) -> bool:
    """Return whether a directory that git ignores has output or results, by its name."""
    return directory.rpartition("/")[2].lower() in _OUTPUTS


def is_of_people(directory: str) -> bool:
    """Return whether a name in a path says that people keep something there."""
    return not _OF_PEOPLE.isdisjoint(directory.lower().split("/"))
