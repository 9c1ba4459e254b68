"""Damaged repositories: git's own files that a crash or a full disk left empty or cut.

Objects never change once they are written, so one that did is damaged.
The ref of a branch is examined with its branch (`git_story.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import beginning
from clew.detectors.detector import Evidence, PathChange
from clew.detectors.repositories.git_objects import is_loose_object
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_LOOSE = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]{38}(?:[0-9a-f]{24})?)")
_PACK = re.compile(r"objects/pack/[\w.-]{1,100}\.(?:pack|idx)")
_NEEDED = frozenset(("index", "HEAD", "config", "packed-refs"))
"""Files without which git does not work, or forgets what it knew."""
_OBJECT_LIMIT = 8 << 20
_MAX_OBJECTS = 50
"""How many changed objects are read."""
_EVIDENCE = 5


def damage_facts(
    scope: str, git_dir: str, evidence: Evidence, paths: Sequence[str]
) -> Iterator[Fact]:
    """Yield the fact about the damaged files of a git directory."""
    start = len(git_dir) + 1
    objects: list[str] = []
    files: list[str] = []
    left = _MAX_OBJECTS
    for path in paths:
        change = evidence.changes.get(path)
        name = path[start:]
        if change is None or not _is_rewritten(change):
            continue
        if name in _NEEDED:
            files += [path] if change.new is not None and not change.new.size else []
        elif left and (_LOOSE.fullmatch(name) or _PACK.fullmatch(name)):
            left -= 1
            objects += [path] if _is_object_broken(evidence, change, name) else []
    if objects or files:
        marks = [f"{path[start:]} {_state(evidence, path)}" for path in files]
        marks += [_objects_mark(evidence, objects)] if objects else []
        yield Fact(
            "broken.operation", scope, "repository", severity=Severity.HIGH,
            evidence=tuple([*files, *objects][:_EVIDENCE]), marks=tuple(marks),
        )  # fmt: skip


def _is_rewritten(change: PathChange) -> bool:
    old, new = change.old, change.new
    if old is None or new is None or not old.is_file or not new.is_file:
        return False
    return old.size > 0 and old.content != new.content


def _is_object_broken(evidence: Evidence, change: PathChange, name: str) -> bool:
    old, new = change.old, change.new
    if old is None or new is None:
        return False
    if _PACK.fullmatch(name):
        return new.size < old.size or not beginning(evidence.new, change.path, 512).strip(b"\0")
    if not new.size or new.size > _OBJECT_LIMIT:
        return not new.size
    return not is_loose_object(evidence.new.read(change.path, _OBJECT_LIMIT) or b"")


def _state(evidence: Evidence, path: str) -> str:
    entry = evidence.new.entry(path)
    return "empty" if entry is not None and not entry.size else "unreadable"


def _objects_mark(evidence: Evidence, paths: Sequence[str]) -> str:
    states = {_state(evidence, path) for path in paths}
    state = states.pop() if len(states) == 1 else "unreadable"
    if len(paths) > 1 or "/pack/" in paths[0]:
        noun = "pack" if all("/pack/" in path for path in paths) else "object"
        return f"{counted(len(paths), noun)} {state}"
    *_, head, rest = paths[0].split("/")
    return f"object {head}{rest[:6]} {state}"
