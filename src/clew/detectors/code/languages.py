"""Languages of source files, by suffix."""

from __future__ import annotations

_SUFFIXES = {
    "python": "py pyi",
    "js": "js mjs cjs jsx",
    "ts": "ts mts cts tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "groovy": "groovy gradle",
    "swift": "swift",
    "csharp": "cs",
    "php": "php",
    "c": "c h cc cpp cxx hh hpp hxx",
    "dart": "dart",
    "zig": "zig",
    "ruby": "rb",
    "elixir": "ex exs",
    "lua": "lua",
    "shell": "sh bash bats",
    "perl": "pl pm t",
    "r": "r",
    "julia": "jl",
    "haskell": "hs",
    "clojure": "clj cljc cljs",
}

LANGUAGES: dict[str, str] = {
    f".{suffix}": language
    for language, suffixes in _SUFFIXES.items()
    for suffix in suffixes.split()
}
"""The language of each suffix."""


def language_of(name: str) -> str:
    """Return the language of a file with this name; empty if it has none that is read."""
    dot = name.rfind(".")
    return LANGUAGES.get(name[dot:].lower(), "") if dot > 0 else ""


def decoded(content: bytes) -> str:
    """Return the text of a source file; bytes that are not UTF-8 are replaced."""
    return content.decode("utf-8-sig", "replace").replace("\r\n", "\n")


_LINE = 24
"""What a line costs to parse at least, in bytes of usual code."""


def parsing_cost(content: bytes) -> int:
    """Return the size of a file as far as parsing it is concerned: very short lines cost more."""
    return max(len(content), _LINE * content.count(b"\n"))
