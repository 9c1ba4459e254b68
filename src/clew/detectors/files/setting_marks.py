"""Marks of changed settings: `log_level 1 → 25`, `+workers 8`, `−debug`, `~password`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from clew.detectors.files.key_names import HIDDEN, shown_path
from clew.detectors.files.shown_values import shown_value
from clew.detectors.files.value_changes import KeyPath, ValueChange, leaf_count
from clew.detectors.formats.values import Shown, Value
from clew.model.amount import counted

_MAX_MARKS = 20
_CHANGED, _REMOVED, _ADDED, _HIDDEN = range(4)
"""The order of marks: what says most comes first."""


def setting_marks(
    changes: Sequence[ValueChange],
    *,
    context: KeyPath = (),
    is_secret: bool = False,
    rename: Callable[[KeyPath], KeyPath] = tuple,
) -> tuple[str, ...]:
    """Return a mark for each change.

    `context` are names around the paths, which may say that a value is secret; `is_secret` hides all
    values; `rename` returns the path as it is shown.
    """
    ranked = []
    for change in changes:
        name = shown_path(rename(change.path)) or HIDDEN
        ranked.append(_mark(change, name, None if is_secret else (*context, *change.path)))
    ranked.sort(key=lambda one: one[0])
    counts = Counter(mark for _, mark in ranked)
    marks = [mark if number == 1 else f"{mark} ×{number}" for mark, number in counts.items()]
    if len(marks) > _MAX_MARKS:
        marks[_MAX_MARKS:] = [f"and {len(marks) - _MAX_MARKS:,} more"]
    return tuple(marks)


def _mark(change: ValueChange, name: str, path: KeyPath | None) -> tuple[int, str]:
    """Return a mark and its rank; values are shown only with a path."""
    before, after = _text(path, change.before), _text(path, change.after)
    if change.sign == "+":
        return _ADDED, f"+{name} {_unless_empty(after)}".rstrip()
    if change.sign == "−":
        return _REMOVED, f"−{name} {_unless_empty(before)}".rstrip()
    if before and after and before != after:
        if isinstance(change.after, Shown):
            after = _after_colon(before, after)
        return _CHANGED, f"{name} {before} → {after}"
    return _HIDDEN, f"~{name}"


def _unless_empty(text: str) -> str:
    return "" if text == '""' else text


def _after_colon(before: str, after: str) -> str:
    """Return `16` for `postgres:15` and `postgres:16`."""
    name, colon, tag = after.rpartition(":")
    return (
        tag if colon and name and before.rpartition(":")[0] == name and "@" not in after else after
    )


def _text(path: KeyPath | None, value: Value) -> str:
    """Return how a value is shown; empty if it is not."""
    if isinstance(value, dict) and value:
        return f"({counted(leaf_count(value), 'key')})"
    if isinstance(value, list) and value:
        items = [_text(path, one) for one in value[:4] if not isinstance(one, dict | list)]
        if len(items) == len(value) < 4 and all(items):
            return ", ".join(items)
        return f"({counted(len(value), 'item')})"
    if isinstance(value, dict | list):
        return "(empty)"
    return (shown_value(path, value) or "") if path is not None else ""
