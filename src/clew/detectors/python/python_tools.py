"""Detector of programs that pipx and `uv tool` installed, each in its own environment.

The program is reported once, and packages that were added explicitly (`pipx inject`, `--with`).
Its dependencies are claimed; they are reported only if the program itself did not change.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.python.byte_code import compiled_claims, modules_of
from clew.detectors.python.python_changes import (
    ChangedEnvironment,
    Delta,
    changed_environments,
    claim_packages,
    package_facts,
    read_delta,
)
from clew.detectors.python.python_environments import (
    MARKER,
    SITES,
    environment_paths,
    join,
    paths_below,
    virtual_environment,
)
from clew.detectors.python.python_metadata import normalised, requirement_name
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple

_PIPX, _UV = "pipx_metadata.json", "uv-receipt.toml"
_MANAGERS = {_PIPX: "pipx", _UV: "uv-tool"}
"""Marker files of tool environments, and their managers."""
_LIMIT = 1 << 20
_MAX_APPS = 2_000


class ToolReceipt(NamedTuple):
    """A manager's record of a tool."""

    manager: str
    main: str
    """The requested package."""
    injected: frozenset[str] = frozenset()
    """Packages that were added to its environment explicitly."""
    exposed: tuple[tuple[str, str], ...] = ()
    """Links that were created, and their targets in the environment."""


class PythonTools:
    """Reports programs that pipx and uv installed, changed or removed."""

    name = "python/tools"
    version = 1
    kinds: tuple[str, ...] = ("package.added", "package.changed", "package.removed")
    watch = WatchedPaths(directories=SITES, names=(MARKER, *_MANAGERS))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        found = _changed_tools(evidence, changes)
        if not found:
            return
        framed = environment_paths(evidence, [changed.environment for changed in found.values()])
        by_root: dict[str, tuple[tuple[Fact, ...], list[str], str]] = {}
        modules: dict[str, str] = {}
        for root, changed in sorted(found.items()):
            with evidence.guarded(changed.environment.place):
                before, after = _receipt(evidence.old, root), _receipt(evidence.new, root)
                receipt = after or before or ToolReceipt("pipx", "")
                delta = read_delta(evidence, changed)
                links = [*_links(evidence, root, before), *_links(evidence, root, after)]
                evidence.own(links, receipt.main)
                claims = [*claim_packages(evidence, changed, delta), *framed.get(root, ())]
                claims += [*links, *_bookkeeping(evidence, root)]
                facts = tuple(_facts(delta, receipt, root))
                by_root[root] = facts, claims, f"kept in order by {receipt.manager}"
                modules.update(modules_of(delta, root))
        for path, root in compiled_claims(changes, modules):
            by_root[root][1].append(path)
        shared = _shared_by_pipx(evidence, changes)
        if shared:
            yield Finding((), shared, "kept in order by pipx")
        for facts, claims, text in by_root.values():
            if facts or claims:
                yield Finding(facts, tuple(dict.fromkeys(claims)), "" if facts else text)


def _shared_by_pipx(evidence: Evidence, changes: Sequence[PathChange]) -> list[str]:
    """Return the changes in the pip that all environments of pipx share."""
    roots = {
        change.parent
        for change in changes
        if change.name == MARKER and f"/{change.parent}".endswith("/pipx/shared")
    }
    return [path for path, _ in paths_below(evidence, roots)]


def tool_receipt(evidence: Evidence, root: str) -> str | None:
    """Return the name of the marker file of a tool environment, in either tree."""
    for name in _MANAGERS:
        path = join(root, name)
        if evidence.new.entry(path) is not None or evidence.old.entry(path) is not None:
            return name
    return None


def _changed_tools(
    evidence: Evidence, changes: Sequence[PathChange]
) -> dict[str, ChangedEnvironment]:
    found = {
        root: changed
        for root, changed in changed_environments(evidence, changes).items()
        if tool_receipt(evidence, root) is not None
    }
    for change in changes:
        if change.name in _MANAGERS and change.parent not in found:
            environment = virtual_environment(evidence, change.parent)
            found[change.parent] = ChangedEnvironment(environment, {})
    return found


def _receipt(tree: Tree, root: str) -> ToolReceipt | None:
    content = tree.read(join(root, _PIPX), _LIMIT)
    if content is not None:
        return _pipx(json.loads(content), root)
    content = tree.read(join(root, _UV), _LIMIT)
    if content is not None:
        return _uv(tomllib.loads(content.decode("utf-8", "replace")), root)
    return None


def _pipx(data: dict[str, Any], root: str) -> ToolReceipt:
    main = data["main_package"]
    bins, pages = _places(root)
    exposed = []
    for package in (main, *data.get("injected_packages", {}).values()):
        for app in package.get("apps", [])[:_MAX_APPS]:
            exposed += [(join(place, app), f"bin/{app}") for place in bins]
        for page in package.get("man_pages", [])[:_MAX_APPS]:
            exposed += [(join(place, page), f"share/man/{page}") for place in pages]
    injected = frozenset(normalised(str(name)) for name in data.get("injected_packages", {}))
    return ToolReceipt("pipx", normalised(str(main["package"])), injected, tuple(exposed))


def _uv(data: dict[str, Any], root: str) -> ToolReceipt:
    names = [
        requirement_name(wanted["name"] if isinstance(wanted, dict) else wanted) or ""
        for wanted in data["tool"]["requirements"]
    ]
    called = normalised(root.rpartition("/")[2])
    main = called if called in names else names[0]
    bins, _ = _places(root)
    exposed = []
    for point in data["tool"].get("entrypoints", [])[:_MAX_APPS]:
        app = point["name"]
        exposed += [(join(place, app), f"bin/{app}") for place in bins]
        exposed.append((point["install-path"].strip("/"), f"bin/{app}"))
    return ToolReceipt("uv-tool", main, frozenset(names) - {main}, tuple(exposed))


def _places(root: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the directories of links to a tool's programs and manual pages."""
    home, local, _ = f"/{root}".partition("/.local/")
    if not local:
        return ("usr/local/bin",), ("usr/local/share/man",)
    above = (home + "/.local").strip("/")
    return (above + "/bin",), (above + "/share/man",)


def _links(evidence: Evidence, root: str, receipt: ToolReceipt | None) -> Iterator[str]:
    """Yield the changed links that lead into a tool's environment."""
    tool = root.rpartition("/")[2]
    for path, inside in receipt.exposed if receipt else ():
        change = evidence.changes.get(path)
        if change is None:
            continue
        target = f"/{tool}/{inside}".encode("utf-8", "surrogateescape")
        # only a link has a target: a program put in its place does not belong to the tool
        sides = [entry for entry in (change.old, change.new) if entry is not None]
        if all(entry.target.endswith(target) for entry in sides):
            yield path


def _bookkeeping(evidence: Evidence, root: str) -> list[str]:
    parent, _, tool = root.rpartition("/")
    above = parent.rpartition("/")[0]
    mine = [join(parent, name) for name in (".lock", ".gitignore", f".{tool}.lock")]
    mine += [join(above, f"{name}/CACHEDIR.TAG") for name in (".cache", "py")]
    mine += [join(root, name) for name in _MANAGERS]
    mine += [path for path in evidence.changes if path.endswith("/pipx_shared.pth")]
    return [path for path in mine if path in evidence.changes]


def _facts(delta: Delta, receipt: ToolReceipt, root: str) -> Iterator[Fact]:
    tool = root.rpartition("/")[2]
    found = list(package_facts(delta, receipt.manager, lambda dist: dist.name == receipt.main))
    found.sort(key=lambda fact: not fact.direct)  # the tool first: claims go to its line
    is_tool_reported = any(fact.direct for fact in found)
    for fact in found:
        if fact.direct:
            yield fact
        elif fact.subject in receipt.injected or not is_tool_reported:
            scope = f"{receipt.manager}:{tool}"
            yield fact._replace(scope=scope, direct=fact.subject in receipt.injected)
