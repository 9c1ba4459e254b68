"""Settings made with dpkg's own tools, which would otherwise pass for bookkeeping.

Foreign architectures, local diversions, overridden permissions, debconf answers.
Maintainer scripts also write the last two, so they are only reported if no package changed.
For an answer only the question is named: some answers are passwords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.os_packages.dpkg_status import DPKG, diversions
from clew.model.fact import Fact

ARCHITECTURES = f"{DPKG}/arch"
DIVERSIONS = f"{DPKG}/diversions"
OVERRIDES = f"{DPKG}/statoverride"
DEBCONF = ("var/cache/debconf/config.dat", "var/cache/debconf/passwords.dat")

_MAX_MARKS = 20
_LIMIT = 8 << 20
_NAME = re.compile(rb"^Name:[ \t]*+([\w./+-]{1,120})$", re.M)


def setting_facts(evidence: Evidence, *, did_packages_move: bool) -> Iterator[Fact]:
    """Yield changed settings of dpkg and debconf."""
    readers = [(ARCHITECTURES, _architectures), (DIVERSIONS, _diversions)]
    if not did_packages_move:
        readers.append((OVERRIDES, _overrides))
    for path, read in readers:
        if path in evidence.changes:
            with evidence.guarded(path):
                before, after = read(evidence.old), read(evidence.new)
                marks = [f"+{name}" for name in after if name not in before]
                marks += [f"−{name}" for name in before if name not in after]
                yield from _facts(path, marks)
    for path in DEBCONF if not did_packages_move else ():
        if path in evidence.changes:
            with evidence.guarded(path):
                yield from _facts(path, _answers(evidence, path))


def _facts(path: str, marks: list[str]) -> Iterator[Fact]:
    if marks:
        if len(marks) > _MAX_MARKS:
            marks[_MAX_MARKS:] = [f"and {len(marks) - _MAX_MARKS:,} more"]
        yield Fact("config.changed", path, path, evidence=(path,), marks=tuple(marks))


def _architectures(tree: Tree) -> list[str]:
    """Return the foreign architectures; the first line is the native one."""
    return _lines(tree, ARCHITECTURES)[1:]


def _diversions(tree: Tree) -> list[str]:
    return [f"{start} → {end}" for start, end, owner in diversions(tree) if owner == ":"]


def _overrides(tree: Tree) -> list[str]:
    return [" ".join(line.split()[2:]) for line in _lines(tree, OVERRIDES)]


def _answers(evidence: Evidence, path: str) -> list[str]:
    """Return the questions whose answer changed or was removed."""
    before, after = _questions(evidence.old, path), _questions(evidence.new, path)
    marks = []
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            sign = "+" if name not in before else "−" if name not in after else "~"
            marks.append(sign + name)
    return marks


def _questions(tree: Tree, path: str) -> dict[str, bytes]:
    """Return each question with its answer, which never leaves this module."""
    found = {}
    for stanza in (tree.read(path, _LIMIT) or b"").split(b"\n\n"):
        name = _NAME.search(stanza)
        if name:
            lines = [line for line in stanza.split(b"\n") if line.startswith(b"Value:")]
            found[name[1].decode("ascii", "replace")] = b"\n".join(lines)
    return found


def _lines(tree: Tree, path: str) -> list[str]:
    text = (tree.read(path, _LIMIT) or b"").decode("utf-8", "replace")
    return [line.strip() for line in text.split("\n") if line.strip()]
