"""Changes between two values of a structured file, each at its path.

Mappings are compared by key, lists of words as sets, lists of requirements by package, and lists of
mappings by the entry that identifies them: `name`, `id`, …
What was added or removed as a whole is one change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import filterfalse

from clew.detectors.formats.reading import Documents
from clew.detectors.formats.requirements_reader import requirements
from clew.detectors.formats.values import (
    MAX_DEPTH,
    Hidden,
    Plain,
    Unreadable,
    Value,
    is_equal,
    is_same,
)
from clew.model.named_tuple import NamedTuple

MAX_CHANGES = 5_000
_IDENTITIES = (
    "name", "id", "key", "@name", "@id", "@key", "uuid", "slug", "artifactId", "path", "url", "host",
    "code", "label", "title", "alias", "target", "repo", "package", "job_name", "containerPort",
    "port", "mountPath", "@Include", "@Name", "alert", "record", "job", "uses", "run", "src",
    "@android:name",
)  # fmt: skip
"""Entries by which mappings of a list are told apart, the best first."""

KeyPath = tuple[str, ...]


class ValueChange(NamedTuple):
    """One value that differs; `before` or `after` is `ABSENT` where there is none."""

    path: KeyPath
    sign: str
    """`+`, `−` or `~`."""
    before: Value = None
    after: Value = None


def value_changes(old: Value, new: Value) -> list[ValueChange]:
    """Return the changes between two values; raises `Unreadable` if there are too many."""
    found: list[ValueChange] = []
    try:
        for change in _changes((), _as_mapping(old), _as_mapping(new)):
            found.append(change)
            if len(found) > MAX_CHANGES:
                raise Unreadable("too many changes")
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    return found


def leaf_count(value: Value) -> int:
    """Return how many scalars are in a value; an empty collection is one."""
    number = 0
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict) and one:
            waiting.extend(one.values())
        elif isinstance(one, list) and one:
            waiting.extend(one)
        else:
            number += 1
    return number


def _as_mapping(value: Value) -> Value:
    """Return several documents by their number, the first at the top."""
    if not isinstance(value, Documents):
        return value
    first = value[0] if value else {}
    others: dict[str, Value] = {f"document {n}": one for n, one in enumerate(value[1:], 2)}
    return {**first, **others} if isinstance(first, dict) else {"document 1": first, **others}


def _changes(path: KeyPath, old: Value, new: Value) -> Iterator[ValueChange]:
    if len(path) > MAX_DEPTH:
        raise Unreadable("nested too deeply")
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _mapping_changes(path, old, new)
    elif (lists := _as_lists(old, new)) is not None:
        yield from _list_changes(path, *lists)
    elif isinstance(old, dict | list) or isinstance(new, dict | list) or not is_same(old, new):
        yield ValueChange(path, "~", old, new)


def _as_lists(old: Value, new: Value) -> tuple[list[Value], list[Value]] | None:
    """Return two values as lists, if one of them is; in INI and XML, one item is not a list."""
    if isinstance(old, list) and isinstance(new, list):
        return old, new
    if isinstance(old, list) and _is_item(new, old):
        return old, [new]
    return ([old], new) if isinstance(new, list) and _is_item(old, new) else None


def _is_item(value: Value, others: list[Value]) -> bool:
    if isinstance(value, dict):
        return bool(_by_name([value]) and _by_name(others)) and not is_equal([value], others)
    return isinstance(value, str) and not is_equal([value], others)


def _mapping_changes(
    path: KeyPath, old: dict[str, Value], new: dict[str, Value]
) -> Iterator[ValueChange]:
    for key in {**old, **new}:
        here = (*path, key)
        if key not in new:
            yield from _whole(here, "−", old[key])
        elif key not in old:
            yield from _whole(here, "+", new[key])
        else:
            yield from _changes(here, old[key], new[key])


def _whole(path: KeyPath, sign: str, value: Value) -> Iterator[ValueChange]:
    """Yield a value that came or went; a mapping with one entry by the path of that entry."""
    while isinstance(value, dict) and len(value) == 1 and len(path) < MAX_DEPTH:
        ((key, value),) = value.items()
        if value == path[-1]:  # the name by which it was found
            value = Plain("")
        else:
            path = (*path, key)
    yield ValueChange(path, sign, *((value, None) if sign == "−" else (None, value)))


def _list_changes(path: KeyPath, old: list[Value], new: list[Value]) -> Iterator[ValueChange]:
    if is_equal(old, new):
        return
    before, after = _by_name(old), _by_name(new)
    is_one = len(old) == len(new) == 1 and isinstance(old[0], dict) and isinstance(new[0], dict)
    if is_one and (not before or not after or before.keys() != after.keys()):
        yield from _changes(path, old[0], new[0])
    elif before is not None and after is not None and not is_equal(before, after):
        yield from _mapping_changes(path, before, after)
    elif _is_flat(old) and _is_flat(new):
        yield from _item_changes(path, old, new)
    elif _is_mixed(old) and _is_mixed(new):
        yield from _mixed_changes(path, old, new)
    elif len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True), 1):
            yield from _changes((*path, str(number)), one, other)
    else:
        yield ValueChange(path, "~", old, new)


def _mixed_changes(path: KeyPath, old: list[Value], new: list[Value]) -> Iterator[ValueChange]:
    """Yield the changes of words, and of the mappings among them; else their order changed."""
    found = [
        *_list_changes(path, list(filter(_is_scalar, old)), list(filter(_is_scalar, new))),
        *_list_changes(
            path, list(filterfalse(_is_scalar, old)), list(filterfalse(_is_scalar, new))
        ),
    ]
    yield from found or [ValueChange(path, "~", old, new)]


def _item_changes(path: KeyPath, old: list[Value], new: list[Value]) -> Iterator[ValueChange]:
    """Yield the words that came and went; if none did, their order changed."""
    before, after = Counter(map(_item, old)), Counter(map(_item, new))
    removed, added = list((before - after).elements()), list((after - before).elements())
    if len(removed) == len(added) == 1 and len(old) == len(new):
        yield ValueChange(path, "~", removed[0], added[0])
        return
    yield from (ValueChange(path, "−", item) for item in removed)
    yield from (ValueChange(path, "+", None, item) for item in added)
    if not removed and not added:
        yield ValueChange(path, "~", old, new)


def _item(value: Value) -> str | bool | None:
    assert not isinstance(value, dict | list)
    return value


def _is_scalar(value: Value) -> bool:
    return not isinstance(value, dict | list)


def _is_flat(values: list[Value]) -> bool:
    return all(map(_is_scalar, values))


def _is_mixed(values: list[Value]) -> bool:
    return any(map(_is_scalar, values)) and not _is_flat(values)


def _by_name(values: list[Value]) -> dict[str, Value] | None:
    """Return requirements or mappings by what identifies them; None if nothing does."""
    if not values:
        return {}
    if all(isinstance(value, str) and not isinstance(value, Hidden) for value in values):
        return requirements(values)
    mappings = [value for value in values if isinstance(value, dict)]
    if len(mappings) != len(values):
        return None
    only = [next(iter(value)) for value in mappings if len(value) == 1]
    is_pair = len(set(only)) == len(mappings) and not set(only) & set(_IDENTITIES)
    if is_pair:  # `- Home: index.md`
        return {key: value[key] for key, value in zip(only, mappings, strict=True)}
    for key in _IDENTITIES:
        names = [value.get(key) for value in mappings]
        texts = [name for name in names if isinstance(name, str)]
        if len(texts) == len(mappings) == len(set(texts)):
            return dict(zip(texts, mappings, strict=True))
    return _by_any_name(mappings)


def _by_any_name(mappings: list[dict[str, Value]]) -> dict[str, Value] | None:
    """Return mappings by the first entry of each that can identify it."""
    found: dict[str, Value] = {}
    for one in mappings:
        names = (value for key in _IDENTITIES if isinstance(value := one.get(key), str))
        name = next(names, None)
        if name is None or name in found:
            return None
        found[name] = one
    return found
