"""Environment file detector: added, removed and changed keys.  Values never leave this module.

`.env`, `.env.local`, `prod.env`, `.envrc`, `/etc/environment`, `/etc/default/*`.
An unmodified file of a package is not reported; one that a package's script wrote is reported as
indirect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.os_packages.maintainer_scripts import script_paths
from clew.model.fact import Fact, Severity

_ASSIGNMENT = re.compile(
    rb"""^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]{0,200})[ \t]*[=:][ \t]*"""
    rb"""((?:"(?:[^"\\]|\\[\s\S]){0,65536}+"|'[^']{0,65536}+')?[^\n]*)""",
    re.M,
)
"""A quoted value may span lines, which contain no keys."""


class EnvFiles:
    """Reports changed keys of environment files."""

    name = "config/env"
    version = 3
    kinds = ("env.added", "env.changed", "env.removed")
    watch = WatchedPaths(
        paths=("etc/environment",),
        suffixes=(".env", ".envrc"),
        heads=(".env",),
        below=("etc/default",),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in changes:
            if change.is_directory or not change.is_content or change.path in evidence.owners:
                continue
            if change.path in evidence.claimed and (change.is_added or change.is_deleted):
                continue  # it was moved, or is lost: its keys are not the news
            with evidence.guarded(change.path):
                before = keys_of(evidence.old.read(change.path))
                after = keys_of(evidence.new.read(change.path))
                is_direct = not evidence.once(script_paths).is_named(change)
                facts = tuple(_facts(change.path, before, after, is_direct=is_direct))
                if change.is_deleted:
                    facts = tuple(fact._replace(marks=("file deleted",)) for fact in facts)
                if facts:
                    yield Finding(facts, (change.path,))


EMPTIED = "emptied"
_PARTS = frozenset(("example", "sample", "template", "dist", "defaults", "tmpl", "tpl", "test"))
"""Parts of the names of files whose values nobody needs."""
_SEVERAL = 2
_SECRET = re.compile(r"key|secret|token|passw|dsn|url|credential|auth", re.I)


def _emptied(path: str, before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Return the keys that lost their values, if that is worth a warning."""
    if not _PARTS.isdisjoint(path.rpartition("/")[2].lower().split(".")):
        return set()
    gone = {
        key for key, value in before.items() if value.strip(b"\"' ") and after.get(key) is not None
    }
    gone = {key for key in gone if not after[key].strip(b"\"' ")}
    is_loud = len(gone) >= _SEVERAL or any(_SECRET.search(key) for key in gone)
    return gone if is_loud else set()


def is_environment_file(name: str) -> bool:
    """Return whether a file of this name holds environment variables."""
    return name.startswith(".env") or name.endswith((".env", ".envrc"))


def keys_of(content: bytes | None) -> dict[str, bytes]:
    """Return the keys that a file assigns, with their values."""
    found = {}
    for match in _ASSIGNMENT.finditer(content or b""):
        found[match[1].decode("ascii")] = match[2].strip()
    return found


def _facts(
    path: str, before: dict[str, bytes], after: dict[str, bytes], *, is_direct: bool
) -> Iterator[Fact]:
    emptied = _emptied(path, before, after)
    for key in sorted({*before, *after}):
        if key in emptied:
            yield Fact(
                "env.changed", path, key, direct=is_direct, severity=Severity.HIGH,
                evidence=(path,), marks=(EMPTIED,),
            )  # fmt: skip
            continue
        if key not in before:
            kind = "env.added"
        elif key not in after:
            kind = "env.removed"
        elif before[key] != after[key]:
            kind = "env.changed"
        else:
            continue
        yield Fact(kind, path, key, direct=is_direct, evidence=(path,))
