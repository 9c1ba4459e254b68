"""Python packages that are not installed completely.

pip writes the modules first, then `*.dist-info`, and RECORD last; uv writes RECORD first.
While pip replaces a package, it moves the old one to `~ackage` next to it.
So an interrupted installation leaves one of these, and nothing else does:

* a `*.dist-info` without METADATA or RECORD;
* a RECORD that lists modules which are not there;
* a directory that no RECORD names, next to `~ackage`, or whose modules import what is not there.

A directory that somebody copied into `site-packages` has no record either, but it is complete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from clew.detectors.detector import Evidence, PathChange, TooLarge, Tree
from clew.detectors.python.broken_imports import missing_module
from clew.detectors.python.python_changes import ChangedEnvironment, Delta
from clew.detectors.python.python_environments import (
    PythonEnvironment,
    environment_of,
    join,
    site_of,
)
from clew.detectors.python.python_metadata import Distribution, name_in_path, normalised
from clew.detectors.tools.missing_files import MAX_LISTED, missing_files
from clew.detectors.tools.toolchain_homes import came_with_toolchain
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_INFO = ".dist-info"
_ASIDE = "~"
_IGNORED_TOPS = frozenset(("__pycache__", "bin", "share", "etc", "include"))
_OPTIONAL_PARTS = frozenset(("tests", "test", "testing", "docs", "doc", "examples", "__pycache__"))
_CODE = (".py", ".so", ".pyd", ".pyx", ".abi3.so")
_RECORDED = (_INFO, ".egg-info")
_TOPS = {
    "RECORD": re.compile(rb'^"?([^/\n,"]{1,200})/', re.M),
    "installed-files.txt": re.compile(rb"^\.\./([^/\n]{1,200})/", re.M),
    "top_level.txt": re.compile(rb"^([^/\s]{1,200})", re.M),
}
"""Where packages list their files, and the first directory of a path there."""
_EXAMINED = 20_000
"""How many changes of one `site-packages` are examined."""
_SEARCHED = 20
"""How many directories without a record are searched for missing modules."""
_RECORDS_READ = 2_000
_RECORDS_SIZE = 12 << 20


class Incomplete(NamedTuple):
    """One package that is not installed completely."""

    name: str
    evidence: str
    marks: tuple[str, ...]
    before: str | None = None
    """The version that was installed before."""
    directories: tuple[str, ...] = ()
    """The directories whose changes it explains, without that of its record."""

    def fact(self, scope: str) -> Fact:
        return Fact(
            "broken.install", scope, self.name, self.before,
            severity=Severity.HIGH, evidence=(self.evidence,), marks=self.marks,
        )  # fmt: skip


def incomplete_packages(
    evidence: Evidence,
    changed: ChangedEnvironment,
    delta: Delta,
    unexplained: Iterable[PathChange],
) -> dict[str, Incomplete]:
    """Return the incomplete packages of an environment; `unexplained` are changes in its sites."""
    found: dict[str, Incomplete] = {}
    for dist in delta.after.values():
        one = _unrecorded(evidence, dist) or _lacking(evidence, dist)
        if one is not None:
            found[dist.name] = one
    for path in changed.touched:
        name = name_in_path(path)
        if name not in found and name not in delta.after and _lacks_metadata(evidence, path):
            found[name] = Incomplete(name, path, ("no METADATA",))
    for site, tops in _by_site(unexplained).items():
        for one in (
            *_without_record(evidence, site, tops),
            *_gutted(evidence, site, tops),
            *_set_aside(site, tops, delta),
        ):
            old = delta.before.get(one.name)
            found.setdefault(one.name, one._replace(before=old.version if old else None))
    return found


def unexplained_by_environment(
    evidence: Evidence, changes: Iterable[PathChange], explained: Collection[str]
) -> dict[PythonEnvironment, list[PathChange]]:
    """Return the changes in each environment that no installation explains, byte code left out."""
    sites: dict[str, list[PathChange]] = {}
    homes: dict[str, str | None] = {}
    for change in changes:
        path = change.path
        if path.endswith(".pyc") or path in explained or path in evidence.claimed:
            continue
        parent = change.parent
        if parent not in homes:
            homes[parent] = site_of(path)
        site = homes[parent]
        if site is not None and not change.is_directory and path not in evidence.owners:
            sites.setdefault(site, []).append(change)
    found: dict[PythonEnvironment, list[PathChange]] = {}
    for site, mine in sites.items():
        if not came_with_toolchain(evidence, site):
            found.setdefault(environment_of(evidence, site), []).extend(mine[:_EXAMINED])
    return found


def _gutted(
    evidence: Evidence, site: str, tops: Mapping[str, list[PathChange]]
) -> Iterator[Incomplete]:
    """Yield installed packages whose modules were deleted."""
    for top, changes in sorted(tops.items()):
        deleted = [change.path for change in changes if change.new is None]
        record = evidence.once(_Records).of(site, top) if any(map(_is_needed, deleted)) else None
        if not record or evidence.new.entry(f"{record}/RECORD") is None:
            continue
        listed = _listed(evidence.new, record, site)
        missing = [path for path in missing_files(evidence.new, listed) if _is_needed(path)]
        if missing:
            mark = f"{len(missing):,} of {counted(len(listed), 'file')} missing"
            where = (join(site, top),)
            yield Incomplete(name_in_path(record), f"{record}/RECORD", (mark,), directories=where)


def _set_aside(
    site: str, tops: Mapping[str, list[PathChange]], delta: Delta
) -> Iterator[Incomplete]:
    """Yield packages whose removal stopped after pip had moved their files aside."""
    for top, changes in sorted(tops.items()):
        if not top.startswith(_ASIDE) or not any(change.new is not None for change in changes):
            continue
        gone = [dist.name for dist in delta.before.values() if dist.name not in delta.after]
        name = next((one for one in gone if _is_renamed(one.replace("-", "_"), top)), None)
        if name is not None:
            yield Incomplete(
                name,
                join(site, top),
                (f"its files are left in {top}",),
                directories=(join(site, top),),
            )


def _unrecorded(evidence: Evidence, dist: Distribution) -> Incomplete | None:
    """Return a package whose installer did not come to write RECORD."""
    if not dist.path.endswith(_INFO) or dist.installer:
        return None
    if evidence.old.entry(dist.path) is not None or "RECORD" in evidence.new.entries(dist.path):
        return None
    return Incomplete(dist.name, dist.path, ("no RECORD",))


def _lacking(evidence: Evidence, dist: Distribution) -> Incomplete | None:
    """Return a package whose RECORD lists modules that are not there."""
    site = dist.path.rpartition("/")[0] + "/"
    listed = [path for path in dist.files if path.startswith(site)][:MAX_LISTED]
    missing = [path for path in missing_files(evidence.new, listed) if _is_needed(path)]
    if not missing:
        return None
    mark = f"{len(missing):,} of {counted(len(listed), 'file')} missing"
    return Incomplete(dist.name, f"{dist.path}/RECORD", (mark,))


def _lacks_metadata(evidence: Evidence, path: str) -> bool:
    if not path.endswith(_INFO):
        return False
    names = evidence.new.entries(path)
    if not names or "METADATA" in names:
        return False
    return evidence.old.entry(path) is None or "METADATA" in evidence.old.entries(path)


def _is_needed(path: str) -> bool:
    """Return whether a file is code that a package needs; people delete tests to save space."""
    names = path.split("/")
    return names[-1].endswith(_CODE) and _OPTIONAL_PARTS.isdisjoint(names[:-1])


def _by_site(changes: Iterable[PathChange]) -> dict[str, dict[str, list[PathChange]]]:
    """Return changes by their `site-packages`, and the top directory in it."""
    found: dict[str, dict[str, list[PathChange]]] = {}
    homes: dict[str, str | None] = {}
    for change in changes:
        parent = change.parent
        if parent not in homes:
            homes[parent] = site_of(change.path)
        site = homes[parent]
        if site is None:
            continue
        top, slash, _ = change.path[len(site) + 1 :].partition("/")
        if slash and not top.endswith((_INFO, ".egg-info")) and top not in _IGNORED_TOPS:
            found.setdefault(site, {}).setdefault(top, []).append(change)
    return found


def _without_record(
    evidence: Evidence, site: str, tops: Mapping[str, list[PathChange]]
) -> Iterator[Incomplete]:
    aside = [name for name in evidence.new.entries(site) if name.startswith(_ASIDE)]
    searched = 0
    for top, changes in sorted(tops.items()):
        if top.startswith(_ASIDE) or not any(change.new is not None for change in changes):
            continue
        if evidence.once(_Records).of(site, top) is not None:
            continue
        left = [name for name in aside if _is_renamed(top, name)]
        searched += not left
        if not left and searched > _SEARCHED:
            continue
        lacks = None if left else missing_module(evidence.new, join(site, top))
        if not left and lacks is None:
            continue
        mark = f"the old one is in {left[0]}" if left else f"no {top}.{lacks}"
        others = (f"{top}.libs", *aside) if left else (f"{top}.libs",)
        where = tuple(join(site, name) for name in (top, *others))
        yield Incomplete(
            normalised(top), join(site, top), ("no dist-info", mark), directories=where
        )


def _is_renamed(top: str, aside: str) -> bool:
    """Return whether pip may have renamed a directory: it replaces the first characters."""
    tail = aside.lstrip("~-.=%0123456789")
    return bool(tail) and top.endswith(tail) and len(top) - len(tail) <= max(2, len(top) // 2)


class _Records:
    """The directories that packages of the new tree name in their records, read once."""

    def __init__(self, evidence: Evidence) -> None:
        self._tree = evidence.new
        self._known: dict[str, dict[bytes, str] | None] = {}

    def of(self, site: str, top: str) -> str | None:
        """Return the `*.dist-info` whose record names a directory; empty if that is unknown."""
        wanted = top.encode("utf-8", "surrogateescape")
        infos = self._infos(site)
        same = [name for name in infos if name_in_path(name) == normalised(top)]
        found = (self._tops(site, same) or {}).get(wanted)  # most have the name of their directory
        if found is not None:
            return found
        if site not in self._known:
            self._known[site] = self._tops(site, infos)
        tops = self._known[site]
        return tops.get(wanted) if tops is not None else ""

    def _infos(self, site: str) -> list[str]:
        names = self._tree.entries(site)
        return [name for name in names if name.endswith(_RECORDED) and not name.startswith(_ASIDE)]

    def _tops(self, site: str, names: list[str]) -> dict[bytes, str] | None:
        found: dict[bytes, str] = {}
        budget = _RECORDS_SIZE
        if len(names) > _RECORDS_READ:
            return None
        for name in names:
            for record, pattern in _TOPS.items():
                try:
                    content = self._tree.read(f"{site}/{name}/{record}", max(budget, 0)) or b""
                except TooLarge:
                    return None
                budget -= len(content)
                for top in set(pattern.findall(content)):
                    found.setdefault(top, f"{site}/{name}")
        return found


def _listed(tree: Tree, record: str, site: str) -> list[str]:
    content = (tree.read(f"{record}/RECORD") or b"").decode("utf-8", "surrogateescape")
    rows = (line.rsplit(",", 2)[0].strip('"') for line in content.split("\n")[:MAX_LISTED])
    return [f"{site}/{name}" for name in rows if name and not name.startswith(("/", ".."))]
