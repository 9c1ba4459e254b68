"""Translation detector: texts that are new, gone or different, by key.

The texts themselves are not shown, keys only if there are few.  Languages of one directory that
changed alike are one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import bytes_to_read, data_fact
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.edited_files import edited_files
from clew.detectors.files.key_names import HIDDEN, shown_path
from clew.detectors.formats.properties_reader import read_properties
from clew.detectors.formats.reading import decoded, read_values
from clew.detectors.formats.translation_readers import (
    Texts,
    read_po,
    read_strings,
    read_translation_xml,
)
from clew.detectors.formats.values import NodeCounter, Unreadable, Value
from clew.model.amount import counted
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple

_DIRECTORIES = frozenset((
    "locales", "locale", "i18n", "l10n", "lang", "langs", "languages", "translations", "translation",
    "LC_MESSAGES", "_locales", "messages", "intl",
))  # fmt: skip
_ALWAYS = (".po", ".pot", ".arb", ".strings", ".xliff", ".xlf", ".resx")
_IN_DIRECTORIES = (".json", ".yaml", ".yml", ".properties", ".toml", ".json5")
_BY_LANGUAGE = re.compile(
    r".{1,80}_[a-z]{2}(?:_[A-Z]{2})?\.properties|(?:messages|strings)[^/]{0,40}\.(?:json|ya?ml|properties)"
)
_ANDROID = re.compile(r"values(?:-[\w+]{1,20})?")
_LIMIT = 1 << 20
_BUDGET = 2 << 20
_NAMED = 4
"""Up to this number of changes, keys are named; more are counted."""
_MANY = 4
"""From this number, files of one directory share a line."""


class _Difference(NamedTuple):
    added: list[str]
    removed: list[str]
    changed: list[str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class Translations:
    """Reports changed texts of translations."""

    name = "data/translations"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(suffixes=(*_ALWAYS, *_IN_DIRECTORIES, ".xml"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        groups: dict[str, list[tuple[PathChange, _Difference]]] = {}
        left = _BUDGET
        for change in edited_files(evidence, changes, _LIMIT):
            if not _has_name(change):
                continue
            left -= bytes_to_read(change)
            with evidence.guarded(change.path):
                difference = _difference(evidence, change) if left >= 0 else None
                if difference:
                    groups.setdefault(_group(change), []).append((change, difference))
        for directory, found in groups.items():
            if len(found) >= _MANY:
                yield _together(directory, found)
            else:
                yield from (Finding((_fact(*one),), (one[0].path,)) for one in found)


def _has_name(change: PathChange) -> bool:
    name, directories = change.name, change.parent.split("/")
    if name.endswith(_ALWAYS):
        return True
    if name == "strings.xml" or (name.endswith(".xml") and _ANDROID.fullmatch(directories[-1])):
        return True
    if not name.endswith(_IN_DIRECTORIES):
        return False
    is_inside = not _DIRECTORIES.isdisjoint(directories)
    return is_inside or _BY_LANGUAGE.fullmatch(name) is not None


def _group(change: PathChange) -> str:
    """Return the directory of all languages: `locale` for `locale/de/LC_MESSAGES/django.po`."""
    names = change.parent.split("/")
    for number, name in enumerate(names):
        if name in _DIRECTORIES and name != "LC_MESSAGES":
            return "/".join(names[: number + 1])
        if _ANDROID.fullmatch(name) or name.endswith(".lproj"):
            return "/".join(names[:number])
    return change.parent


def _difference(evidence: Evidence, change: PathChange) -> _Difference | None:
    try:
        old, new = _texts(evidence.old, change), _texts(evidence.new, change)
    except Unreadable:
        return None
    return _Difference(
        [key for key in new if key not in old],
        [key for key in old if key not in new],
        [key for key, text in new.items() if key in old and old[key] != text],
    )


def _texts(tree: Tree, change: PathChange) -> Texts:
    content = tree.read(change.path, _LIMIT)
    if content is None:
        return {}
    name = change.name
    if name.endswith((".po", ".pot")):
        return read_po(decoded(content))
    if name.endswith(".strings"):
        return read_strings(decoded(content))
    if name.endswith((".xliff", ".xlf", ".resx", ".xml")):
        return read_translation_xml(content)
    if name.endswith(".properties"):
        return {key: str(text) for key, text in read_properties(decoded(content)).items()}
    return _flat(read_values(name, content))


def _flat(value: Value) -> Texts:
    """Return the texts of a value by their path; descriptions of an `.arb` file are left out."""
    found: Texts = {}
    counter = NodeCounter()
    waiting: list[tuple[str, Value]] = [("", value)]
    if not isinstance(value, dict):
        raise Unreadable("not a translation")
    while waiting:
        path, one = waiting.pop()
        counter.count()
        if isinstance(one, dict) and one:
            waiting.extend(
                (f"{path}.{key}" if path else key, inner)
                for key, inner in one.items()
                if not key.startswith("@")
            )
        elif isinstance(one, list) and one:
            waiting.extend((f"{path}.{number}", inner) for number, inner in enumerate(one, 1))
        else:
            found[path] = repr(one)
    return found


def _fact(change: PathChange, difference: _Difference) -> Fact:
    before = "translation" if change.old else None
    after = "translation" if change.new else None
    return data_fact("translations", change.path, before, after, _marks(change.name, difference))


def _marks(name: str, difference: _Difference) -> tuple[str, ...]:
    noun = "message" if name.endswith((".po", ".pot")) else "key"
    number = sum(map(len, difference))
    if number <= _NAMED and noun == "key":
        signs = zip("+−~", difference, strict=True)
        return tuple(f"{sign}{_shown(key)}" for sign, keys in signs for key in sorted(keys))
    marks = [
        f"{sign}{counted(len(keys), noun)}{_common(keys) if noun == 'key' else ''}"
        for sign, keys in (("+", difference.added), ("−", difference.removed))
        if keys
    ]
    if difference.changed:
        marks.append(f"{counted(len(difference.changed), 'text')} changed")
    return tuple(marks)


def _shown(key: str) -> str:
    return shown_path(key.split(".")) if len(key) <= 200 else HIDDEN


def _common(keys: Sequence[str]) -> str:
    """Return the part of the tree in which all keys are: ` (cart)`."""
    first, last = min(keys).split("."), max(keys).split(".")
    shared = []
    for one, other in zip(first[:-1], last[:-1], strict=False):
        if one != other:
            break
        shared.append(one)
    return f" ({shown_path(shared)})" if shared else ""


def _together(directory: str, found: Sequence[tuple[PathChange, _Difference]]) -> Finding:
    """Return one line for many languages: what changed in each, or in all."""
    paths = tuple(change.path for change, _ in found)
    sizes = {tuple(map(len, difference)) for _, difference in found}
    if len(sizes) == 1:
        marks = tuple(f"{mark} each" for mark in _marks(found[0][0].name, found[0][1]))
    else:
        totals = [sum(len(one[at]) for _, one in found) for at in range(3)]
        marks = tuple(
            f"{sign}{counted(total, noun)}{word}"
            for sign, total, noun, word in zip(
                ("+", "−", ""), totals, ("key", "key", "text"), ("", "", " changed"), strict=True
            )
            if total
        )
    fact = data_fact(
        "translations", directory or ".", marks=(f"{len(found):,} translations", *marks)
    )
    return Finding((fact._replace(evidence=paths[:5]),), paths)
