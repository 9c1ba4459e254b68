"""yarn detector: packages in the `node_modules` of any yarn version, or Plug'n'Play.

`node_modules` is authoritative, as for npm; `yarn.lock` states what should be installed, and only
the origin of a package is read from it.
With Plug'n'Play there is no `node_modules`: Node loads packages through `.pnp.cjs`
(`yarn_pnp.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.node.hoisted import Manager, hoisted_findings
from clew.detectors.node.node_facts import NODE_KINDS
from clew.detectors.node.node_packages import FROM_GIT, FROM_PATH, Copy, Lock
from clew.detectors.node.yarn_pnp import pnp_findings

_GIT = ("git+", "git:", "git@", "ssh://git@", "https://codeload.github.com/")
_LOCAL = ("file:", "link:", "portal:")


class Yarn:
    """Reports packages that yarn installed, changed and removed."""

    name = "node/yarn"
    version = 2
    kinds = NODE_KINDS
    watch = WatchedPaths(
        directories=("node_modules", ".yarn"),
        names=(".pnp.cjs", ".pnp.js", ".pnp.data.json"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from hoisted_findings(evidence, _YARN)
        yield from pnp_findings(evidence, changes)


def parse_yarn_lock(content: bytes) -> Lock:
    """Return the origins of packages that are not from a registry."""
    sources = {}
    name = version = ""
    for line in content.decode("utf-8", "replace").split("\n"):
        if line[:1] not in ("", " ", "#"):
            first = line.strip("\"':").partition(",")[0]
            name, version = first[: max(first.find("@", 1), 0)], ""
        key, _, value = line.strip().replace(": ", " ", 1).partition(" ")
        if key == "version":
            version = value.strip('"')
        elif key in ("resolved", "resolution"):
            source = _source(name, value.strip('"'))
            if source.source:
                sources[f"{name}@{version}"] = source
    return Lock(content, sources=sources)


def _source(name: str, resolved: str) -> Copy:
    """Return a copy with its origin; of the URL only a commit is used."""
    address = resolved.removeprefix(f"{name}@")
    if address.startswith(_GIT) or ".git#" in address:
        return Copy(source=FROM_GIT, commit=address.replace("=", "#").rpartition("#")[2][:40])
    return Copy(source=FROM_PATH if address.startswith(_LOCAL) else "")


_YARN = Manager("yarn", "yarn.lock", parse_yarn_lock, ("yarn.lock",))
