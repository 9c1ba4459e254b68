"""Plug'n'Play tables of yarn: `.pnp.cjs`, or `.pnp.data.json` next to it.

The table is JSON inside a JavaScript string, which is parsed, never run.
Yarn's own `.yarn/install-state.gz` has a private format and is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree
from clew.detectors.files.json_values import json_object, mapping, version_text
from clew.detectors.node.hoisted import adjacent_files
from clew.detectors.node.node_facts import package_facts
from clew.detectors.node.node_packages import FROM_GIT, FROM_PATH, Copy
from clew.detectors.tools.package_scopes import inside, label_of, scope_of
from clew.model.named_tuple import NamedTuple

_TABLES = (".pnp.cjs", ".pnp.js", ".pnp.data.json")
_GENERATED = (*_TABLES, ".pnp.loader.mjs", ".yarn/install-state.gz", ".yarn/build-state.yml")
_DOWNLOADS = ("cache/", "unplugged/")
"""Downloads below `.yarn`.  Releases and plugins there are programs, and are not claimed."""
_LOCAL = ("workspace:", "link:", "portal:", "file:")


class PnpTable(NamedTuple):
    """Packages in one tree."""

    packages: Mapping[str, Mapping[str, Copy]] = {}
    wanted: Mapping[str, str] = {}

    def prepare(self, changed: Iterable[str]) -> None:
        """Do nothing: the table is complete."""

    def copies(self, name: str, _stale: frozenset[str]) -> dict[str, Copy]:
        requested = self.wanted.get(name)
        return {
            name if reference == requested else f"{name}@{reference}": copy
            for reference, copy in sorted(self.packages.get(name, {}).items())
        }

    def is_requested(self, name: str, copies: Mapping[str, Copy]) -> bool:
        return bool(copies) and name in self.wanted

    def source(self, _name: str, copy: Copy) -> str:
        return copy.source


def pnp_findings(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield the changes of every directory that uses Plug'n'Play."""
    for directory, paths in _by_directory(changes).items():
        with evidence.guarded(inside(directory, ".pnp.cjs")):
            before, after = (_table(tree, directory) for tree in (evidence.old, evidence.new))
            names = {*before.packages, *after.packages}
            different = [
                name for name in names if before.packages.get(name) != after.packages.get(name)
            ]
            scope = scope_of("yarn", directory)
            facts = package_facts(scope, directory, before, after, different, frozenset())
            shown = (inside(directory, ".pnp.cjs"),)
            facts = tuple(fact._replace(evidence=shown) for fact in facts)
            if facts:
                yield Finding(
                    facts, [*paths, *adjacent_files(evidence, directory, ("yarn.lock",), facts)]
                )
            else:
                text = f"bookkeeping of {label_of('yarn', directory)} changed"
                yield Finding((), paths, text)


def parse_pnp(content: bytes) -> PnpTable:
    """Return the table in a `.pnp.cjs`; raises ValueError if there is none."""
    if not content.lstrip().startswith(b"{"):
        _, marker, rest = content.partition(b"RAW_RUNTIME_STATE =")
        start, end = rest.find(b"'"), rest.find(b"\n}';")
        if not marker or start < 0 or end < 0:
            raise ValueError("no table")
        content = _unescaped(rest[start + 1 : end + 2])
    registry = json_object(content).get("packageRegistryData")
    packages: dict[str, dict[str, Copy]] = {}
    wanted: dict[str, str] = {}
    for name, reference, details in _references(registry):
        if name is None or reference.startswith("workspace:"):
            wanted.update(_dependencies(details))
        else:
            packages.setdefault(name, {})[reference] = _copy(reference)
    return PnpTable(packages, wanted)


def _by_directory(changes: Iterable[PathChange]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for change in changes:
        if ".yarn/" not in change.path and ".pnp." not in change.path:
            continue
        directory, _, rest = f"/{change.path}".rpartition("/.yarn/")
        if rest.startswith(_DOWNLOADS) and "node_modules" not in directory:
            found.setdefault(directory.strip("/"), []).append(change.path)
        for name in _GENERATED:
            if f"/{change.path}".endswith("/" + name):
                found.setdefault(change.path[: -len(name)].strip("/"), []).append(change.path)
    return found


def _table(tree: Tree, directory: str) -> PnpTable:
    for name in reversed(_TABLES):
        content = tree.read(inside(directory, name))
        if content is not None:
            return parse_pnp(content)
    return PnpTable()


def _unescaped(literal: bytes) -> bytes:
    r"""Unescape a JavaScript string: a backslash before a line's end, `\'` and `\\`."""
    parts = literal.replace(b"\\\n", b"\n").split(b"\\\\")
    return b"\\".join(part.replace(b"\\'", b"'") for part in parts)


def _references(registry: object) -> Iterator[tuple[str | None, str, Mapping[str, object]]]:
    for name, versions in _pairs(registry):
        for reference, details in _pairs(versions):
            if isinstance(name, str | None) and isinstance(reference, str | None):
                yield name, reference or "", mapping(details)


def _dependencies(details: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, reference in _pairs(details.get("packageDependencies")):
        if isinstance(name, str) and isinstance(reference, str):
            yield name, reference


def _pairs(value: object) -> Iterator[tuple[object, object]]:
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield pair[0], pair[1]


def _copy(reference: str) -> Copy:
    """Return the copy for `npm:1.0.0` or `virtual:…#npm:1.0.0`."""
    if reference.startswith("virtual:"):
        reference = reference.partition("#")[2]
    if reference.startswith("npm:"):
        return Copy(version_text(reference.removeprefix("npm:").rpartition("@")[2]))
    if ".git#" in reference or reference.startswith(("git", "ssh://")):
        return Copy(source=FROM_GIT, commit=reference.rpartition("=")[2][:40])
    return Copy(source=FROM_PATH if reference.startswith(_LOCAL) else "")
