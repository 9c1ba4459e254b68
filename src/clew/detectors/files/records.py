"""Record detector: records that came and went in JSON and YAML data.

Data is a list of mappings, alone or as the main value of a file, or a mapping of many mappings of
the same shape; and every JSON or YAML file in a directory of data.  Contents are not shown, only
how many records there are and which fields differ.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from clew.detectors.data.data_facts import bytes_to_read, data_fact, split_crowds
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.edited_files import edited_files
from clew.detectors.files.key_names import shown_name
from clew.detectors.formats.parsed_files import Parsed, ParsedFiles
from clew.detectors.formats.reading import Documents, decoded
from clew.detectors.formats.values import Unreadable
from clew.model.amount import counted
from clew.model.named_tuple import NamedTuple

DATA_DIRECTORIES = frozenset((
    "fixtures", "__fixtures__", "testdata", "test-data", "test_data", "__snapshots__", "data",
    "datasets", "dataset", "seeds", "seed", "dumps", "exports", "corpus", "samples", "mocks",
    "__mocks__", "cassettes",
))  # fmt: skip
_CONFIGURATION = frozenset((
    "package.json", "tsconfig.json", "composer.json", "deno.json", "turbo.json", "nx.json",
    "tasks.json", "launch.json", "settings.json", "keybindings.json", "manifest.json",
))  # fmt: skip
_IDENTITIES = (
    "id",
    "_id",
    "uuid",
    "guid",
    "key",
    "sku",
    "slug",
    "code",
    "name",
    "email",
    "pk",
    "title",
)
_LEAST = 5
"""Lists of fewer records outside a directory of data are settings."""
_JSON_LIMIT = 6 << 20
_BUDGET = 12 << 20
_MAX_FILES = 100
_CROWD = 8
"""Above this number, files of one directory are not looked into."""
_MANY = 4
"""From this number, files of one directory of data share a line."""


class _Records(NamedTuple):
    """The records of a file."""

    all: list[Any]
    by_identity: dict[str, Any] | None
    """By what identifies them; None if nothing does."""


class Records:
    """Reports changed records of data files."""

    name = "data/records"
    version = 2
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(suffixes=(".json", ".yaml", ".yml", ".geojson"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        edited = edited_files(evidence, changes, _JSON_LIMIT)
        few, others = _split([change for change in edited if _may_be_data(change)])
        left = _BUDGET
        for change in few:
            left -= bytes_to_read(change)
            finding = None
            with evidence.guarded(change.path):
                finding = _finding(evidence, change) if left >= 0 else None
                if finding is None and left >= 0 and _is_in_data(change):
                    finding = _rewritten(evidence, change)
            if finding is not None:
                yield finding
            elif _is_in_data(change):
                others.append(change)
        _, crowded = split_crowds("records", others, _MANY - 1)
        yield from crowded


def _may_be_data(change: PathChange) -> bool:
    name = change.name
    return name not in _CONFIGURATION and name[0] != "." and not change.path.startswith("etc/")


def _split(changes: list[PathChange]) -> tuple[list[PathChange], list[PathChange]]:
    """Return the files to look into, and those of data directories in which too many changed."""
    by_directory = Counter(change.parent for change in changes)
    few: list[PathChange] = []
    crowds: list[PathChange] = []
    for change in changes:
        if by_directory[change.parent] <= _CROWD and len(few) < _MAX_FILES:
            few.append(change)
        elif _is_in_data(change):
            crowds.append(change)
    return few, crowds


def _is_in_data(change: PathChange) -> bool:
    return not DATA_DIRECTORIES.isdisjoint(change.parent.split("/"))


def _finding(evidence: Evidence, change: PathChange) -> Finding | None:
    if change.name.endswith((".yaml", ".yml")):
        files = evidence.once(ParsedFiles)
        old, new = (_of_yaml(parsed) for parsed in (files.old(change), files.new(change)))
    else:
        old, new = (_of_json(tree, change) for tree in (evidence.old, evidence.new))
    if (change.old and old is None) or (change.new and new is None):
        return None
    number = max(len(one.all) for one in (old, new) if one is not None)
    if number < (1 if _is_in_data(change) else _LEAST):
        return None
    before = counted(len(old.all), "record") if old is not None else None
    after = counted(len(new.all), "record") if new is not None else None
    marks = _marks(old, new) if old is not None and new is not None else ()
    if old is not None and new is not None and not marks:
        is_same = repr(old.all) == repr(new.all)
        marks = (after or "", "same values, other layout" if is_same else "another order")
    return Finding((data_fact("records", change.path, before, after, marks),), (change.path,))


def _rewritten(evidence: Evidence, change: PathChange) -> Finding | None:
    """Return the finding about a file of JSON that has the same values as before."""
    if change.old is None or change.new is None or change.name.endswith((".yaml", ".yml")):
        return None
    old, new = (_json(tree, change) for tree in (evidence.old, evidence.new))
    if old is None or old != new:
        return None
    fact = data_fact("records", change.path, marks=("same values, other layout",))
    return Finding((fact,), (change.path,))


def _of_json(tree: Tree, change: PathChange) -> _Records | None:
    """Return the records of a file; None if there is none, or it holds something else."""
    value = _json(tree, change)
    return _records(value) if value is not None else None


def _json(tree: Tree, change: PathChange) -> Any:
    """Return the value of a file; None if there is none, or it is no JSON."""
    content = tree.read(change.path)
    if content is None:
        return None
    try:
        return json.loads(decoded(content))
    except (Unreadable, ValueError, RecursionError):
        return None


def _of_yaml(parsed: Parsed | None) -> _Records | None:
    return None if parsed is None else _records(parsed.value)


def _records(value: Any) -> _Records | None:
    found = _list_of(value)
    return _Records(found, _by_identity(found)) if found is not None else None


def _list_of(value: Any) -> list[Any] | None:
    """Return the records of a value: a list of mappings, or the values of a mapping of many."""
    if isinstance(value, list) and not isinstance(value, Documents):
        is_data = all(isinstance(one, dict) for one in value)
        return value if is_data else None
    if not isinstance(value, dict):
        return None
    lists = [one for one in value.values() if isinstance(one, list) and len(one) >= _LEAST]
    if len(lists) == 1 and len(value) <= 6 and all(isinstance(one, dict) for one in lists[0]):
        return lists[0]
    return _values_of_one_shape(value)


def _values_of_one_shape(value: dict[Any, Any]) -> list[Any] | None:
    """Return the values of a mapping of many mappings that have the same fields."""
    inner = [one for one in value.values() if isinstance(one, dict) and one]
    if len(inner) < max(_LEAST * 2, len(value)):
        return None
    shapes = Counter(frozenset(map(str, one)) for one in inner[:1000])
    ((shape, number),) = shapes.most_common(1)
    if number * 10 < min(len(inner), 1000) * 8 or len(shape) < 2:
        return None
    return [{"_id": str(key), **one} for key, one in value.items()]


def _by_identity(records: list[Any]) -> dict[str, Any] | None:
    for key in _IDENTITIES:
        names = [repr(one.get(key)) for one in records if one.get(key) is not None]
        if len(names) == len(records) == len(set(names)):
            return dict(zip(names, records, strict=True))
    return None


def _marks(old: _Records, new: _Records) -> tuple[str, ...]:
    """Return how many records there are, came, went and changed."""
    if old.by_identity is not None and new.by_identity is not None:
        before, after = old.by_identity, new.by_identity
        added, removed = len(after.keys() - before.keys()), len(before.keys() - after.keys())
        changed = [key for key, one in after.items() if key in before and before[key] != one]
        fields = _fields([(before[key], after[key]) for key in changed[:2000]])
    else:
        bags = [Counter(json.dumps(one, sort_keys=True) for one in side.all) for side in (old, new)]
        removed, added = (bags[0] - bags[1]).total(), (bags[1] - bags[0]).total()
        both = min(removed, added)
        added, removed, changed, fields = added - both, removed - both, [""] * both, ""
    was, now = len(old.all), len(new.all)
    marks = [f"{was:,} → {counted(now, 'record')}"] if was != now else []
    marks += [f"+{added:,}"] if added and removed else []
    marks += [f"−{removed:,}"] if added and removed else []
    marks += [f"+{counted(added, 'record')}"] if added and not removed else []
    marks += [f"−{counted(removed, 'record')}"] if removed and not added else []
    marks += [f"{counted(len(changed), 'record')} changed{fields}"] if changed else []
    return tuple(marks)


def _fields(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    """Return the fields in which records differ, if they are few: ` (price)`."""
    names: set[str] = set()
    for one, other in pairs:
        names |= {str(key) for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
        if len(names) > 3:
            return ""
    return f" ({', '.join(shown_name(name) for name in sorted(names))})" if names else ""
