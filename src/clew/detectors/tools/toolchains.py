"""Toolchain detector: versions that a version manager installed, and the default.

A version is a directory, so added and removed versions are found by listing, and explain every
file below them.  In an unchanged version, packages belong to other detectors.
Links among the versions (`3.12`, `current`, `latest`) are names, not versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.tools.single_toolchains import single_findings
from clew.detectors.tools.toolchain_choices import chosen, default_of
from clew.detectors.tools.toolchain_homes import Home, home_of
from clew.detectors.tools.toolchain_layouts import CHOICES, LAYOUTS
from clew.model.entry import EntryKind
from clew.model.fact import Fact

_MAX_VERSIONS = 500
_RUSTC = re.compile(
    rb'^\[pkg\.rustc\]\r?\nversion = "([0-9][\w.-]{0,30})(?: \(\w{1,40} ([0-9-]{10})\))?"', re.M
)
_RUST_MANIFEST = "lib/rustlib/multirust-channel-manifest.toml"
_HOST = re.compile(r"-(?:x86_64|aarch64|i[3-6]86|armv?7|riscv64gc|powerpc64le|s390x)-.*$")

_BOOKKEEPING = (
    "shims",
    "alias",
    "aliases",
    "update-hashes",
    "version",
    "settings.toml",
    "tools/user",
)
"""Files that a manager rewrites next to its versions whenever they change."""


class Toolchains:
    """Reports added and removed versions of a toolchain, and its default."""

    name = "tools/toolchains"
    version = 1
    kinds: tuple[str, ...] = ("toolchain.added", "toolchain.changed", "toolchain.removed")
    watch = WatchedPaths(
        directories=tuple(dict.fromkeys(layout.marker for layout in LAYOUTS)),
        names=(*CHOICES, "release", "VERSION"),
        below=("etc/alternatives",),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        homes: dict[Home, list[PathChange]] = {}
        others = []
        for change in changes:
            home = home_of(change.path)
            if home is None:
                others.append(change)
            else:
                homes.setdefault(home, []).append(change)
        for home, inside in sorted(homes.items()):
            with evidence.guarded(home.path):
                yield from _of_home(evidence, home, inside)
        for change in others:
            if change.name in CHOICES and change.is_content:
                with evidence.guarded(change.path):
                    yield from _of_choices(evidence, change)
        yield from single_findings(evidence, others)


def _of_home(evidence: Evidence, home: Home, inside: list[PathChange]) -> Iterator[Finding]:
    before, after = _versions(evidence.old, home), _versions(evidence.new, home)
    facts, moved = [], set()
    for (tool, version), place in sorted({**before, **after}.items()):
        was, now = (tool, version) in before, (tool, version) in after
        words = _version_words(evidence, home, place, version)
        if was != now or words[0] != words[1]:
            moved.add(place)
            facts.append(_version_fact(home, tool, place, words, was=was, now=now))
    with evidence.guarded(f"{home.path}/{home.layout.default}"):
        facts += list(_default_facts(evidence, home))
    if facts:
        facts.sort(key=lambda fact: fact.kind)  # added versions first, removed ones last
        yield Finding(tuple(facts), tuple(_claims(home, inside, moved)))


def _versions(tree: Tree, home: Home) -> dict[tuple[str, str], str]:
    """Return the directory of each version of each tool."""
    base = home.versions
    if home.layout.tool:
        tools = {home.layout.tool: base}
    else:
        tools = {
            name: f"{base}/{name}"
            for name, entry in tree.entries(base).items()
            if entry.is_directory
        }
    found: dict[tuple[str, str], str] = {}
    for tool, directory in sorted(tools.items())[:_MAX_VERSIONS]:
        for name, entry in sorted(tree.entries(directory).items()):
            if entry.is_directory and not name.startswith(".") and len(found) < _MAX_VERSIONS:
                found[tool, name] = f"{directory}/{name}"
    return found


def _version_words(
    evidence: Evidence, home: Home, place: str, name: str
) -> tuple[str | None, str | None]:
    """Return the version names before and after; rustup's `stable` is not a number."""
    if home.layout.manager != "rustup":
        return name, name
    if f"{place}/{_RUST_MANIFEST}" not in evidence.changes:
        return _HOST.sub("", name), _HOST.sub("", name)
    old, new = (_rust_version(tree, place, name) for tree in (evidence.old, evidence.new))
    return old, new


def _rust_version(tree: Tree, place: str, name: str) -> str:
    short = _HOST.sub("", name)
    try:
        manifest = tree.read(f"{place}/{_RUST_MANIFEST}", 4 << 20)
    except TooLarge:
        manifest = None
    match = _RUSTC.search(manifest or b"")
    number = match[1].decode("ascii") if match else short
    if number == short:
        return short
    if match and match[2] and "-" in number:  # nightlies differ only by date
        number += f" {match[2].decode('ascii')}"
    return f"{number} ({short})"


def _version_fact(
    home: Home,
    tool: str,
    place: str,
    words: tuple[str | None, str | None],
    *,
    was: bool,
    now: bool,
) -> Fact:
    kind = "changed" if was and now else "added" if now else "removed"
    return Fact(
        f"toolchain.{kind}", home.layout.manager, tool, words[0] if was else None,
        words[1] if now else None, evidence=(place,),
    )  # fmt: skip


def _default_facts(evidence: Evidence, home: Home) -> Iterator[Fact]:
    """Yield the tools with another default."""
    layout = home.layout
    if layout.manager == "sdkman":
        yield from _sdkman_defaults(evidence, home)
        return
    place = f"{home.path}/{layout.default}"
    if not layout.default or place not in evidence.changes:
        return
    old, new = (default_of(tree, layout, place) for tree in (evidence.old, evidence.new))
    for tool in sorted({*old, *new}):
        before, after = old.get(tool), new.get(tool)
        if before and after and before != after:
            was, now = _HOST.sub("", before), _HOST.sub("", after)
            yield Fact("toolchain.changed", layout.manager, tool, was, now, evidence=(place,))


def _sdkman_defaults(evidence: Evidence, home: Home) -> Iterator[Fact]:
    base = home.versions
    for tool in sorted(evidence.new.entries(base))[:_MAX_VERSIONS]:
        place = f"{base}/{tool}/current"
        change = evidence.changes.get(place)
        if change is None or change.old is None or change.new is None:
            continue
        if change.old.kind == change.new.kind == EntryKind.SYMLINK:
            was, now = (
                entry.target.decode("utf-8", "surrogateescape").rpartition("/")[2]
                for entry in (change.old, change.new)
            )
            yield Fact("toolchain.changed", "sdkman", tool, was, now, evidence=(place,))


def _claims(home: Home, inside: list[PathChange], moved: set[str]) -> Iterator[str]:
    """Yield what added and removed versions explain, links to them and the manager's own files."""
    base = home.versions
    own_paths = tuple(f"{home.path}/{name}" for name in _BOOKKEEPING)
    for change in inside:
        version = home.version_at(change.path)
        is_link = change.path == version and not change.is_directory
        is_above = f"{base}/".startswith(f"{change.path}/")
        is_own = change.path in own_paths or change.path.startswith(
            tuple(f"{name}/" for name in own_paths)
        )
        if version in moved or is_above or is_own or (is_link and change.path.startswith(base)):
            yield change.path


def _of_choices(evidence: Evidence, change: PathChange) -> Iterator[Finding]:
    old, new = (chosen(tree, change.path) for tree in (evidence.old, evidence.new))
    manager = "mise" if "mise" in change.name else "asdf"
    facts = tuple(
        Fact(
            "toolchain.changed",
            manager,
            tool,
            old.get(tool),
            new.get(tool),
            evidence=(change.path,),
        )
        for tool in sorted({*old, *new})
        if old.get(tool) != new.get(tool)
    )
    if facts:
        yield Finding(facts, (change.path,))
