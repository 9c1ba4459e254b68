"""Ruby gem detector: installed gems, from the names of the files in `specifications`.

A specification is a Ruby program, so only its name `<name>-<version>[-<platform>].gemspec` is read.
A `Gemfile` above `vendor/bundle` lists the requested gems; elsewhere that is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.tools.package_files import own_files
from clew.detectors.tools.package_scopes import inside, scope_of
from clew.detectors.tools.package_versions import Installed, version_facts

_DIRECTORY = "specifications"
_PLATFORM = re.compile(
    r"-(?:java|jruby|dalvik|mswin[0-9]*|mingw[0-9]*"
    r"|(?:x86|x64|x86_64|i[3-6]86|arm[a-z0-9]*|aarch64|universal|ppc[a-z0-9]*|powerpc[a-z0-9]*"
    r"|s390x?|riscv[0-9]*|loongarch[0-9]*|sparc[a-z0-9]*)-[a-z0-9_.-]{1,40})$"
)
_VERSION = re.compile(r"[0-9][0-9A-Za-z.]{0,100}")
_GEMFILE = re.compile(rb"^[ \t]*gem[ \t(]+[\"']([A-Za-z0-9_.-]{1,100})[\"']", re.M)
_PARTS = re.compile(r"[0-9]+|[A-Za-z]+")
_SMALL = 1 << 16


class Gems:
    """Reports gems that were installed, changed and removed."""

    name = "ruby/gems"
    version = 1
    kinds = ("package.added", "package.changed", "package.removed")
    watch = WatchedPaths(suffixes=(".gemspec",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        homes = _changed_homes(evidence, changes)
        files = _files(evidence, homes) if homes else {}
        for home, names in homes.items():
            with evidence.guarded(inside(home, _DIRECTORY)):
                yield from _findings(evidence, home, names, files.get(home, {}))


def split_name(full: str) -> tuple[str, str] | None:
    """Split `nokogiri-1.16.0-x86_64-linux` into name and version; None if it is not a gem."""
    name, _, version = _PLATFORM.sub("", full).rpartition("-")
    return (name, version) if name and _VERSION.fullmatch(version) else None


def order(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return the sort key of a version, as in RubyGems: pre-releases before the release."""
    found: list[tuple[int, int, str]] = []
    for part in [*_PARTS.findall(version), ""]:
        if part.isdecimal():
            found.append((1, int(part), ""))
            continue
        while found and found[-1] == (1, 0, ""):  # 1.0 is 1, and 1.0.rc1 is 1.rc1
            found.pop()
        found.append((-1 if part else 0, 0, part))
    return tuple(found)


def is_lower(after: str | None, before: str | None) -> bool:
    return bool(after and before) and order(after or "") < order(before or "")


def _changed_homes(evidence: Evidence, changes: Sequence[PathChange]) -> dict[str, set[str]]:
    """Return the full names of added and removed gems, by gem directory."""
    found: dict[str, set[str]] = {}
    for change in changes:
        above = change.parent.removesuffix("/default")
        is_listed = f"/{above}".endswith("/" + _DIRECTORY)
        if not is_listed or change.path in evidence.owners:
            continue
        if change.is_added or change.is_deleted:
            home = above[: -len(_DIRECTORY)].strip("/")
            found.setdefault(home, set()).add(change.name.removesuffix(".gemspec"))
    return found


def _findings(
    evidence: Evidence, home: str, changed: set[str], files: Mapping[str, list[str]]
) -> Iterator[Finding]:
    names = {split[0] for full in changed if (split := split_name(full))}
    before, after = (
        {name: gem for name, gem in _installed(tree, home).items() if name in names}
        for tree in (evidence.old, evidence.new)
    )
    shown = tuple(path for full in sorted(changed) for path in files.get(full, ())[-1:])[:5]
    facts = version_facts(scope_of("gem", home), before, after, is_lower, shown)
    claims = []
    for full in sorted(changed):
        split = split_name(full)
        if split:
            mine = [*files.get(full, ()), *_programs(evidence, home, split[0], files.get(full, ()))]
            own_files(evidence, split[0], mine)
            claims += mine
    if facts:
        yield Finding(facts, claims)


def _installed(tree: Tree, home: str) -> dict[str, Installed]:
    requested = _requested(tree, home)
    versions: dict[str, list[str]] = {}
    defaults: set[str] = set()
    for part in (_DIRECTORY, f"{_DIRECTORY}/default"):
        for file_name in tree.entries(inside(home, part)):
            split = split_name(file_name.removesuffix(".gemspec"))
            if file_name.endswith(".gemspec") and split:
                versions.setdefault(split[0], []).append(split[1])
                if part != _DIRECTORY:
                    defaults.add(split[0])
    return {
        name: Installed(
            tuple(sorted({*found}, key=lambda version: (order(version), version))),
            name in requested if requested is not None else name not in defaults,
        )
        for name, found in versions.items()
    }


def _requested(tree: Tree, home: str) -> set[str] | None:
    project, marker, _ = f"/{home}/".partition("/vendor/bundle/")
    if not marker:
        return None
    path = inside(project.strip("/"), "Gemfile")
    entry = tree.entry(path)
    if entry is None or entry.size > _SMALL:
        return None
    return {match.decode() for match in _GEMFILE.findall(tree.read(path) or b"")}


def _files(evidence: Evidence, homes: Mapping[str, set[str]]) -> dict[str, dict[str, list[str]]]:
    """Return the changed files of each added or removed gem."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in evidence.changes:
        above = path
        while above:
            above = above.rpartition("/")[0]
            if above in homes:
                parts = path[len(above) :].strip("/").split("/")
                full = _full_name(parts)
                if full in homes[above]:
                    found.setdefault(above, {}).setdefault(full, []).append(path)
    return found


def _full_name(parts: Sequence[str]) -> str:
    """Return the gem that a path below a gem directory belongs to."""
    match parts:
        case ["gems" | "doc", full, *_] | ["extensions", _, _, full, *_]:
            return full
        case [*_, name] if parts[0] in (_DIRECTORY, "cache", "build_info"):
            return name.rpartition(".")[0]
        case _:
            return ""


def _programs(evidence: Evidence, home: str, name: str, files: Sequence[str]) -> Iterator[str]:
    """Yield the wrapper scripts that RubyGems wrote for a gem's programs."""
    programs = {path.rpartition("/")[2] for path in files if "/exe/" in path or "/bin/" in path}
    for program in sorted(programs):
        for directory in (inside(home, "bin"), "usr/local/bin", "usr/bin"):
            path = f"{directory}/{program}"
            change = evidence.changes.get(path)
            entry = change and (change.new or change.old)
            if change is None or not entry or entry.size > _SMALL:
                continue
            text = (evidence.new if change.new else evidence.old).read(path) or b""
            if b"generated by RubyGems" in text and f"'{name}'".encode() in text:
                yield path
