"""Detector of incomplete installations of conda, RubyGems and Composer.

* conda writes `conda-meta/<package>.json` with the list of files after it linked them: files of a new
  list that are not there were never linked.
* RubyGems writes `specifications/<gem>.gemspec` after it unpacked `gems/<gem>`.
* Composer writes `vendor/composer/installed.json` last; `composer.lock` lists what should be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.files.json_values import json_object, mapping
from clew.detectors.tools.gems import split_name
from clew.detectors.tools.missing_files import MAX_LISTED, missing_files
from clew.detectors.tools.package_scopes import inside, scope_of
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_META, _GEMS, _VENDOR = "conda-meta", "gems", "vendor"
_INSTALLED = "composer/installed.json"
_LIMIT = 8 << 20
_MAX_RECORDS = 500
_OPTIONAL = (".pyc", ".pyo")


class IncompleteInstalls:
    """Reports packages of conda, RubyGems and Composer that are not complete."""

    name = "tools/incomplete"
    version = 1
    kinds: tuple[str, ...] = ("broken.install",)
    watch = WatchedPaths(directories=(_META, _GEMS, _VENDOR))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from _conda(evidence, changes)
        yield from _gems(evidence, changes)
        yield from _composer(evidence, changes)


def _fact(scope: str, subject: str, evidence: str, mark: str) -> Fact:
    return Fact(
        "broken.install", scope, subject,
        severity=Severity.HIGH, evidence=(evidence,), marks=(mark,),
    )  # fmt: skip


def _conda(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    records = [
        change
        for change in changes
        if change.new is not None
        and change.name.endswith(".json")
        and change.parent.rpartition("/")[2] == _META
    ]
    for change in records[:_MAX_RECORDS]:
        with evidence.guarded(change.path):
            record = _json(evidence.new, change.path)
            prefix = change.parent.rpartition("/")[0]
            listed = record.get("files")
            paths = [
                inside(prefix, path)
                for path in (listed if isinstance(listed, list) else [])[:MAX_LISTED]
                if isinstance(path, str) and not path.endswith(_OPTIONAL) and ".." not in path
            ]
            missing = missing_files(evidence.new, paths)
            name = record.get("name")
            if missing and isinstance(name, str):
                mark = f"{len(missing):,} of {counted(len(paths), 'file')} missing"
                yield Finding((_fact(scope_of("conda", prefix), name[:100], change.path, mark),))


def _gems(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    seen: set[str] = set()
    for change in changes:
        parts = change.path.split("/")
        if change.new is None or _GEMS not in parts[:-1]:
            continue
        at = parts.index(_GEMS)
        home, gem = "/".join(parts[:at]), parts[at + 1]
        path = inside(home, _GEMS, gem)
        if path in seen or change.path in evidence.claimed:
            continue
        seen.add(path)
        name = split_name(gem)
        specification = inside(home, "specifications", f"{gem}.gemspec")
        # another layout may have a directory `gems` for something else
        is_home = evidence.new.entry(inside(home, "specifications")) is not None
        is_new = evidence.old.entry(path) is None
        if name and is_home and is_new and evidence.new.entry(specification) is None:
            yield Finding(
                (_fact(scope_of("gem", home), name[0], path, "no gemspec"),),
                [one.path for one in changes if f"{one.path}/".startswith(f"{path}/")],
            )


def _composer(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    places: dict[str, list[str]] = {}
    for change in changes:
        above, found, _ = f"/{change.path}/".partition(f"/{_VENDOR}/")
        if found:
            places.setdefault(above.strip("/"), []).append(change.path)
    for directory, paths in places.items():
        vendor = inside(directory, _VENDOR)
        lock = inside(directory, "composer.lock")
        names = evidence.new.entries(vendor)
        if not names or evidence.new.entry(lock) is None:
            continue
        if evidence.new.entry(f"{vendor}/{_INSTALLED}") is not None:
            continue
        was_there = evidence.old.entry(f"{vendor}/{_INSTALLED}") is not None
        if not was_there and evidence.old.entry(vendor) is not None:
            continue
        with evidence.guarded(lock):
            wanted = _locked(_json(evidence.new, lock))
            missing = [name for name in wanted if evidence.new.entry(f"{vendor}/{name}") is None]
            mark = f"{len(missing):,} of {counted(len(wanted), 'package')} missing"
            if wanted:
                yield Finding(
                    (_fact(scope_of("composer", directory), _VENDOR, vendor, mark),),
                    evidence.unclaimed(paths),
                )


def _locked(lock: Mapping[str, object]) -> list[str]:
    packages = lock.get("packages")
    found = [mapping(one).get("name") for one in (packages if isinstance(packages, list) else [])]
    return [name for name in found if isinstance(name, str) and 0 < len(name) <= 200]


def _json(tree: Tree, path: str) -> Mapping[str, object]:
    try:
        return json_object(tree.read(path, _LIMIT) or b"{}")
    except (TooLarge, ValueError, RecursionError):
        return {}
