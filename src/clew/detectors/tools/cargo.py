"""cargo detector: programs that `cargo install` installed, from `.crates2.json`.

Downloads for their builds are explained by them, or are a changed cache.
Other detectors handle cargo's configuration and credentials.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.json_values import json_object, mapping, version_text
from clew.detectors.node.semver import in_order, is_lower
from clew.detectors.tools.package_files import own_files
from clew.detectors.tools.package_scopes import inside, label_of, scope_of
from clew.detectors.tools.package_versions import Installed, version_facts

_LIST = ".crates2.json"
_CACHES = ("registry/", "git/", ".global-cache", ".package-cache", ".crates.toml", _LIST)
_SOURCES = (("path+", "from a local path"), ("git+", "from git"))


class Cargo:
    """Reports crates installed as programs, changed and removed."""

    name = "rust/cargo"
    version = 1
    kinds = ("package.added", "package.changed", "package.removed")
    watch = WatchedPaths(names=(_LIST,), directories=(".cargo",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for home, paths in _by_home(changes).items():
            with evidence.guarded(inside(home, _LIST)):
                yield from _findings(evidence, home, paths)


def parse_crates(content: bytes | None) -> tuple[dict[str, Installed], dict[str, set[str]]]:
    """Return the crates of a list, and the programs of each."""
    found: dict[str, Installed] = {}
    programs: dict[str, set[str]] = {}
    installs = mapping(json_object(content).get("installs")) if content else {}
    for key, details in installs.items():
        name, _, rest = key.partition(" ")
        version, _, source = rest.partition(" ")
        if not name or not version_text(version):
            continue
        known = found[name].versions if name in found else ()
        mark = next((mark for head, mark in _SOURCES if source.startswith("(" + head)), "")
        commit = source.rpartition("#")[2].rstrip(")")[:40] if mark == "from git" else ""
        found[name] = Installed(tuple(in_order((*known, version))), True, mark, commit)
        programs.setdefault(name, set()).update(_programs(mapping(details)))
    return found, programs


def _programs(details: Mapping[str, object]) -> Iterator[str]:
    bins = details.get("bins")
    for name in bins if isinstance(bins, list) else ():
        if isinstance(name, str) and name and "/" not in name:
            yield name


def _by_home(changes: Sequence[PathChange]) -> dict[str, list[str]]:
    """Return the changes by cargo home: `.cargo`, or any directory with such a list."""
    found: dict[str, list[str]] = {}
    for change in changes:
        above, marker, _ = f"/{change.path}/".partition("/.cargo/")
        home = f"{above}/.cargo".strip("/") if marker else change.parent
        found.setdefault(home, []).append(change.path)
    return found


def _findings(evidence: Evidence, home: str, paths: Sequence[str]) -> Iterator[Finding]:
    path = inside(home, _LIST)
    place = home[: -len(".cargo")].strip("/") if f"/{home}".endswith("/.cargo") else home
    skip = len(home) + 1 if home else 0
    claims = [path for path in paths if path[skip:].startswith(_CACHES)]
    if path not in evidence.changes:
        if claims:
            yield Finding((), claims, f"downloaded crates changed ({label_of('cargo', place)})")
        return
    before, programs_before = parse_crates(evidence.old.read(path))
    after, programs_after = parse_crates(evidence.new.read(path))
    facts = version_facts(scope_of("cargo", place), before, after, is_lower, (path,))
    claims += evidence.unclaimed([inside(home, ".crates.toml")])
    for fact in facts:
        names = {*programs_before.get(fact.subject, ()), *programs_after.get(fact.subject, ())}
        programs = [inside(home, "bin", name) for name in sorted(names)]
        changed = [program for program in programs if program in evidence.changes]
        own_files(evidence, fact.subject, changed)
        claims += changed
    text = "" if facts else f"list of installed crates rewritten ({label_of('cargo', place)})"
    yield Finding(facts, dict.fromkeys(claims), text)
