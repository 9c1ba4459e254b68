"""npm detector: packages in a project's `node_modules` and the global `lib/node_modules`.

npm records what it installed in `node_modules/.package-lock.json`; a project's own
`package-lock.json` only states what should be installed and is not read.
See `node_packages.py` for the precedence of sources, and `node_facts.py` for several copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.json_values import json_object, mapping, version_text
from clew.detectors.node.hoisted import Manager, hoisted_findings
from clew.detectors.node.node_facts import NODE_KINDS
from clew.detectors.node.node_manifest import wanted_of
from clew.detectors.node.node_packages import FROM_GIT, FROM_PATH, Copy, Lock

_GIT = ("git+", "git:", "git@", "github:", "gitlab:", "bitbucket:")
_PLACE = "node_modules/"


class Npm:
    """Reports packages that npm installed, changed and removed."""

    name = "node/npm"
    version = 2
    kinds = NODE_KINDS
    watch = WatchedPaths(directories=("node_modules",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from hoisted_findings(evidence, _NPM)


def parse_lock(content: bytes) -> Lock:
    """Return npm's record in a `node_modules`."""
    packages = mapping(json_object(content).get("packages"))
    return Lock(content, _places(packages), wanted=_members_want(packages))


def source_of(resolved: object) -> tuple[str, str]:
    """Return the origin of a package, worded as a mark, and the commit."""
    if not isinstance(resolved, str):
        return "", ""
    if resolved.startswith(_GIT):
        return FROM_GIT, resolved.rpartition("#")[2][:40]
    return (FROM_PATH if resolved.startswith(("file:", "link:")) else ""), ""


def _places(packages: Mapping[str, object]) -> dict[str, Copy]:
    found = {}
    for key, value in packages.items():
        if not key.startswith(_PLACE) or not isinstance(value, dict):
            continue
        source, commit = source_of(value.get("resolved"))
        # for a link the lock describes the target, which may be outside the tree
        described = mapping(packages.get(str(value.get("resolved")))) if "link" in value else value
        found[key[len(_PLACE) :]] = Copy(
            version_text(described.get("version")),
            FROM_PATH if value.get("link") is True else source,
            commit,
            value.get("hasInstallScript") is True,
        )
    return found


def _members_want(packages: Mapping[str, object]) -> dict[str, str]:
    """Return the dependencies of workspace members; only members and link targets are elsewhere."""
    found = {}
    for key, value in packages.items():
        if "node_modules" not in key and not key.startswith(".."):
            found.update(wanted_of(mapping(value)))
    return found


_NPM = Manager(
    "npm",
    "node_modules/.package-lock.json",
    parse_lock,
    ("package-lock.json", "npm-shrinkwrap.json"),
)
