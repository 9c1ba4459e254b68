"""Source file names: which files are code or prose that people write.

Notebooks, data, logs and lock files are text too, but not edited line by line; other detectors
handle them, and they are never source, tracked or not.
A name in neither table is undecided: it counts if git tracks it and it is text.
"""

from __future__ import annotations

from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SOURCE = _words(
    """
    py pyi pyx pxd rb php pl pm t lua tcl r jl m mm swift kt kts java groovy gradle scala sc clj cljs
    cljc edn erl hrl ex exs hs lhs elm ml mli fs fsi fsx vb cs c h cc cpp cxx hh hpp hxx inl ipp cu
    cuh go rs zig nim d v sv vhd vhdl asm s f f90 f95 for pas dart cr hx sol move cairo vy ino gd
    js mjs cjs jsx ts mts cts tsx vue svelte astro coffee html htm xhtml css scss sass less styl
    ejs hbs mustache pug jinja jinja2 j2 erb haml slim liquid twig njk tpl tmpl
    sh bash zsh fish ksh csh ps1 psm1 bat cmd awk sed sql graphql gql proto thrift fbs capnp
    tf tfvars hcl nix dhall cue rego bzl bazel cmake mk mak ninja el lisp lsp scm rkt vim
    md markdown mdx rst txt adoc asciidoc org tex bib sty texi pod wiki po pot
    glsl vert frag hlsl wgsl metal shader dockerfile containerfile just feature robot
    """
)

_DOCUMENTS = _words("md markdown mdx rst txt adoc asciidoc org tex bib texi pod wiki")
_DOCUMENT_NAMES = _words(
    "readme license copying authors contributing changelog changes news todo notice"
)

_SOURCE_NAMES = _words(
    """
    makefile gnumakefile dockerfile containerfile rakefile gemfile podfile vagrantfile brewfile
    procfile justfile jenkinsfile cmakelists.txt build workspace meson.build sconstruct wscript
    readme license copying authors contributing changelog changes news todo notice codeowners
    .gitignore .gitattributes .gitmodules .dockerignore .editorconfig
    """
)

_NEVER = _words(
    """
    ipynb csv tsv parquet arrow feather log lock lockb sum pid out err trace ndjson jsonl db sqlite
    sqlite3 pyc pyo o a so dylib dll exe class jar war wasm bin dat pack idx map min
    png jpg jpeg gif bmp ico webp avif tif tiff psd svgz heic pdf ps eps ai
    zip gz bz2 xz zst 7z tar tgz rar whl egg deb rpm apk iso img dmg
    mp3 mp4 wav ogg flac avi mov mkv webm ttf otf woff woff2 eot
    doc docx xls xlsx ppt pptx odt ods odp pt pth onnx safetensors gguf npz npy pkl pickle h5 hdf5
    swp swo bak orig rej tmp
    """
)

_NEVER_NAMES = _words(
    """
    package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock composer.lock
    poetry.lock pipfile.lock cargo.lock gemfile.lock uv.lock pdm.lock flake.lock go.sum
    """
)

_GENERATED_OR_VENDORED = _words(
    """
    node_modules bower_components vendor site-packages dist-packages __pycache__ .venv venv .tox .nox
    dist build target out obj .next .nuxt .output .svelte-kit .turbo .cache .parcel-cache
    .pytest_cache .mypy_cache .ruff_cache .hypothesis .gradle .terraform .eggs coverage htmlcov
    _build .ipynb_checkpoints deriveddata
    """
)


def is_source(name: str) -> bool | None:
    """Return whether a file with this name is source; None if undecided."""
    lower = name.lower()
    if lower in _NEVER_NAMES:
        return False
    if lower in _SOURCE_NAMES:
        return True
    stem, dot, suffix = lower.rpartition(".")
    if not dot:
        return None
    if suffix in _NEVER or stem.endswith(".min") or suffix.endswith("~"):
        return False
    return True if suffix in _SOURCE else None


def is_document(name: str) -> bool:
    """Return whether a file is prose, which changes no behaviour."""
    lower = name.lower()
    return lower in _DOCUMENT_NAMES or (
        lower.rpartition(".")[2] in _DOCUMENTS and "." in lower and lower != "cmakelists.txt"
    )


def is_generated_or_vendored(path: str) -> bool:
    """Return whether a path is in a directory of build output, dependencies or caches."""
    return _is_generated_or_vendored(path.rpartition("/")[0])


def is_copied_in(path: str) -> bool:
    """Return whether a path is in a library that was copied into a project, with all its files."""
    return _is_copied_in(path.rpartition("/")[0])


_COPIED_IN = _words("vendor third_party third-party thirdparty _vendor vendored")


@lru_cache(maxsize=4096)
def _is_copied_in(directory: str) -> bool:
    return not _COPIED_IN.isdisjoint(directory.lower().split("/"))


@lru_cache(maxsize=4096)
def _is_generated_or_vendored(directory: str) -> bool:
    return any(
        name.lower() in _GENERATED_OR_VENDORED or name.endswith((".egg-info", ".dist-info"))
        for name in directory.split("/")
    )
