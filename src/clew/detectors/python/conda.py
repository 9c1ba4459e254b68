"""Conda detector: packages that conda, mamba, micromamba and pixi record in `conda-meta/*.json`.

Requested packages are recorded there (`requested_spec`) or in `conda-meta/history`.
Packages that pip installed into such an environment belong to `pip.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.python.byte_code import compiled_claims
from clew.detectors.python.pep440 import is_older
from clew.detectors.python.python_changes import can_ship
from clew.detectors.python.python_environments import SITES, join, paths_below
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_META = "conda-meta"
_HISTORY = f"{_META}/history"
_HISTORY_LIMIT = 4 << 20
_LENGTH = 100
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_SPECS = re.compile(r"^# (update|install|remove) specs:(.*+)$", re.MULTILINE)
_QUOTED = re.compile(r"'([^'\n]*+)'|\"([^\"\n]*+)\"")
_ARCHIVES = (".conda", ".tar.bz2")


class CondaRecord(NamedTuple):
    """The relevant content of a `conda-meta` file."""

    path: str
    name: str
    version: str
    build: str
    channel: str
    is_requested: bool
    files: dict[str, int | None]
    """Paths in the prefix, with sizes where linking does not change them."""

    @property
    def archive(self) -> str:
        """The name of the package in a package cache."""
        return f"{self.name}-{self.version}-{self.build}"


class _Prefix(NamedTuple):
    root: str
    before: dict[str, CondaRecord]
    after: dict[str, CondaRecord]
    is_removed: bool
    claims: list[str]


class Conda:
    """Reports conda packages added, removed or with another version."""

    name = "python/conda"
    version = 1
    kinds: tuple[str, ...] = ("package.added", "package.changed", "package.removed")
    watch = WatchedPaths(directories=(_META,))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        prefixes: dict[str, _Prefix] = {}
        for root, touched in sorted(_touched(changes).items()):
            with evidence.guarded(join(root, _META)):
                prefixes[root] = _read(evidence, root, touched)
        for prefix in prefixes.values():
            prefix.claims.extend(_shipped(evidence, prefix))
        for path, root in _leftovers(evidence, prefixes):
            prefixes[root].claims.append(path)
        for prefix in prefixes.values():
            with evidence.guarded(join(prefix.root, _META)):
                facts = tuple(_facts(evidence, prefix))
                text = "" if facts else f"conda's own records changed ({prefix.root or '.'})"
                if facts or prefix.claims:
                    yield Finding(facts, tuple(dict.fromkeys(prefix.claims)), text)


def history_specs(content: bytes) -> set[str]:
    """Return the packages that were requested and not removed since."""
    found: set[str] = set()
    for verb, specs in _SPECS.findall(content.decode("utf-8", "replace").replace("\r", "")):
        quoted = [one or other for one, other in _QUOTED.findall(specs)]
        for spec in quoted or specs.split(","):
            name = _NAME.match(spec.rpartition("::")[2].strip())
            if name is not None:
                (found.discard if verb == "remove" else found.add)(name[0].lower())
    return found


def _touched(changes: Iterable[PathChange]) -> dict[str, list[str]]:
    """Return the changed files directly in a `conda-meta`, by prefix."""
    found: dict[str, list[str]] = {}
    for change in changes:
        root, _, directory = change.parent.rpartition("/")
        if directory == _META and not change.is_directory:
            found.setdefault(root, []).append(change.path)
    return found


def _read(evidence: Evidence, root: str, touched: Sequence[str]) -> _Prefix:
    sides = []
    claims = [path for path in touched if path == join(root, _HISTORY)]
    for tree in (evidence.old, evidence.new):
        found = {}
        for path in touched:
            if path.endswith(".json"):
                with evidence.guarded(path):
                    record = _record(tree, path)
                    if record is not None:
                        found[record.name] = record
                        claims.append(path)
        sides.append(found)
    is_removed = evidence.new.entry(join(root, _META)) is None
    return _Prefix(root, sides[0], sides[1], is_removed, claims)


def _record(tree: Tree, path: str) -> CondaRecord | None:
    content = tree.read(path)
    if content is None:
        return None
    data = json.loads(content)
    name, version = data["name"], data["version"]
    if not _NAME.fullmatch(name):
        raise ValueError("no name")
    specs = [data.get("requested_spec"), *(data.get("requested_specs") or ())]
    return CondaRecord(
        path,
        name.lower(),
        str(version)[:_LENGTH],
        str(data.get("build", ""))[:_LENGTH],
        _channel(str(data.get("channel", ""))),
        any(spec not in (None, "", "None") for spec in specs),
        _files(data),
    )


def _channel(url: str) -> str:
    """Return a channel's name: its URL may contain a token."""
    parts = [part for part in url.partition("?")[0].rstrip("/").split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"noarch|[a-z]{3,10}-[a-z0-9_]{2,10}", parts[-1]):
        parts.pop()
    return parts[-1].rpartition("@")[2][:_LENGTH] if parts else ""


def _files(data: dict[str, Any]) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for path in data.get("files") or ():
        if isinstance(path, str):  # a path outside the prefix is never a changed path
            found[path] = None
    for entry in (data.get("paths_data") or {}).get("paths") or ():
        if entry.get("_path") in found and not entry.get("prefix_placeholder"):
            size = entry.get("size_in_bytes")
            is_unmodified = entry.get("path_type") == "hardlink" and "sha256_in_prefix" not in entry
            found[entry["_path"]] = size if is_unmodified and isinstance(size, int) else None
    return found


def _shipped(evidence: Evidence, prefix: _Prefix) -> Iterator[str]:
    """Yield the changed files that packages list, and record their owners."""
    for record in prefix.before.values():
        for name in record.files:
            path = join(prefix.root, name)
            change = evidence.changes.get(path)
            if change is not None and change.is_deleted:
                yield path
    for record in prefix.after.values():
        mine = []
        for name, size in record.files.items():
            path = join(prefix.root, name)
            change = evidence.changes.get(path)
            if change is not None and can_ship(change, size):
                mine.append(path)
        evidence.own(mine, record.name)
        yield from mine


def _leftovers(evidence: Evidence, prefixes: dict[str, _Prefix]) -> Iterator[tuple[str, str]]:
    """Yield unlisted paths: byte code, the package cache, everything in a deleted prefix."""
    modules: dict[str, str] = {}
    archives: dict[str, str] = {}
    for root, prefix in prefixes.items():
        for record in (*prefix.before.values(), *prefix.after.values()):
            archives[record.archive] = root
            modules |= {join(root, name): root for name in record.files if name.endswith(".py")}
    yield from compiled_claims(evidence.changes.values(), modules)
    for path, change in evidence.changes.items():
        cached = f"/{path}".partition("/pkgs/")[2].partition("/")[0]
        for suffix in _ARCHIVES:
            cached = cached.removesuffix(suffix)
        if cached in archives and not change.is_directory:
            yield path, archives[cached]
    for path, root in paths_below(evidence, prefixes):
        inside = path[len(root) :].lstrip("/")
        is_site = any(f"/{site}/" in f"/{inside}" for site in SITES)  # may belong to pip
        is_removed = prefixes[root].is_removed and evidence.changes[path].is_deleted and not is_site
        if is_removed or inside in (_META, "CACHEDIR.TAG"):
            yield path, root


def _facts(evidence: Evidence, prefix: _Prefix) -> Iterator[Fact]:
    requested: set[str] = set()
    for tree in (evidence.old, evidence.new):
        with evidence.guarded(join(prefix.root, _HISTORY)):
            requested |= history_specs(
                tree.read(join(prefix.root, _HISTORY), _HISTORY_LIMIT) or b""
            )
    for name in sorted({*prefix.before, *prefix.after}):
        old, new = prefix.before.get(name), prefix.after.get(name)
        shown = new or old
        if shown is None or (old and new and _is_same(old, new)):
            continue
        kind = "added" if old is None else "removed" if new is None else "changed"
        marks = _marks(old, new) if old and new else ()
        yield Fact(
            f"package.{kind}",
            f"conda:{prefix.root or '.'}",
            name,
            old.version if old else None,
            new.version if new else None,
            direct=shown.is_requested or name in requested,
            severity=Severity.NOTE if "downgrade" in marks else Severity.NONE,
            evidence=(shown.path,),
            marks=marks,
        )


def _is_same(old: CondaRecord, new: CondaRecord) -> bool:
    return (old.version, old.build, old.channel) == (new.version, new.build, new.channel)


def _marks(old: CondaRecord, new: CondaRecord) -> tuple[str, ...]:
    marks: list[str] = []
    if is_older(new.version, old.version):
        marks.append("downgrade")
    if old.version == new.version and old.build != new.build:
        marks.append("other build")
    if old.channel != new.channel and new.channel:
        marks.append(f"from {new.channel}")
    return tuple(marks)
