"""Rules about exclude patterns that somebody types: which are refused, and what a warning is due for.

`model/pattern.py` says what a pattern means, and accepts more: what is in a store must stay readable.
"""

from __future__ import annotations

import re

from clew.model.pattern import Patterns, check_pattern

_ENVIRONMENT = "environment file"
_GIT = "git repository"
_DATABASE = "database"

_DATABASES = re.compile(rb".\.(?:db|db3|sqlite|sqlite3|duckdb|mdb|accdb|rdb|kdbx)\Z", re.IGNORECASE)
_SAMPLES = (b".example", b".sample", b".template", b".dist")
_REPOSITORIES = (b".git", b".hg", b".svn", b".jj")
_PROBES = (b"a", b"zq0.py", b"Makefile", b"k/zq0.py")
"""Names of which no sensible pattern matches all."""


def refused(pattern: bytes) -> str:
    """Return why a pattern cannot do what it was written for; empty if it can."""
    try:
        check_pattern(pattern)
    except ValueError as error:
        return str(error)
    if pattern.endswith(b"\r"):
        return "the pattern ends with a carriage return"
    return _bad_set(pattern)


def matches_everything(pattern: bytes) -> bool:
    """Return whether a pattern excludes whatever there is, or every directory."""
    patterns = Patterns([pattern])
    return all(patterns.excludes(probe, True) for probe in _PROBES)


def doubts(pattern: bytes, root: bytes) -> list[str]:
    """Return what in a pattern may not mean what its author thinks, one sentence each."""
    found = []
    if matches_everything(pattern):
        what = "every directory" if pattern.endswith(b"/") else "everything"
        found.append(f"it excludes {what}")
    if root != b"/" and (pattern + b"/").startswith(root + b"/"):
        found.append("a slash in front means the root of the workspace, not of the machine")
    if pattern.startswith((b"~/", b"$")):
        found.append("~ and variables are not replaced")
    if pattern.startswith(b"# "):
        found.append("there are no comments: it is the name of a file that begins with #")
    if b"[[:" in pattern:
        found.append("classes such as [[:digit:]] are not understood; write [0-9]")
    if pattern != pattern.strip(b" \t"):
        found.append("the space around it is part of the name")
    if b"{" in pattern and b"," in pattern.partition(b"{")[2].partition(b"}")[0]:
        found.append("braces have no meaning: write one pattern for each name")
    return found


def valued(name: bytes, is_directory: bool) -> str:
    """Return what kind of valuable thing an entry is by its name; empty if it is nothing special."""
    if is_directory:
        return _GIT if name in _REPOSITORIES else ""
    if name == b".env" or (name.startswith(b".env.") and not name.endswith(_SAMPLES)):
        return _ENVIRONMENT
    return _DATABASE if _DATABASES.search(name) else ""


def valued_names(pattern: bytes) -> list[tuple[bytes, str]]:
    """Return usual names of valuable things that a pattern excludes, each with its kind."""
    patterns = Patterns([pattern])
    return [
        (name, valued(name, is_directory))
        for name, is_directory in ((b".env", False), (b".git", True), (b"app.db", False))
        if patterns.covers(name, is_directory=is_directory)
    ]


def _bad_set(pattern: bytes) -> str:
    """Return what is wrong with the sets of a pattern."""
    for name in pattern.split(b"/"):
        at = 0
        while at < len(name):
            if name[at : at + 1] == b"\\":
                at += 1
            elif name[at : at + 1] == b"[":
                end = _set_end(name, at)
                if not end:
                    return "a [ is not closed; write \\[ for the character"
                if not any(
                    Patterns([name[at:end]]).excludes(bytes([one]), False) for one in _BYTES
                ):
                    return f"{name[at:end].decode('utf-8', 'replace')} matches no character"
                at = end - 1
            at += 1
    return ""


_BYTES = [byte for byte in range(1, 256) if byte != ord("/")]


def _set_end(name: bytes, at: int) -> int:
    """Return the position after the set that begins at `at`; 0 if it is not closed."""
    first = at + 1
    if name[first : first + 1] in (b"!", b"^"):
        first += 1
    return name.find(b"]", first + 1) + 1  # a leading `]` belongs to the set
