"""bun detector: packages in `node_modules`, which is authoritative, as for npm.

bun leaves no marker in it; `bun.lock` or `bun.lockb` next to it identify bun.
`bun.lock` states what should be installed; only the origin of a package is read from it.
It is JSON with comments and trailing commas; the older `bun.lockb` is binary and not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.json_values import mapping
from clew.detectors.node.hoisted import Manager, hoisted_findings
from clew.detectors.node.node_facts import NODE_KINDS
from clew.detectors.node.node_manifest import wanted_of
from clew.detectors.node.node_packages import FROM_GIT, FROM_PATH, FROM_URL, Copy, Lock

_TOKEN = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|,(?=\s*+[}\]])', re.S
)
"""An unterminated token extends to the end, so that no text is scanned twice."""
_GIT = ("git+", "git:", "github:", "gitlab:", "bitbucket:")


class Bun:
    """Reports packages that bun installed, changed and removed."""

    name = "node/bun"
    version = 2
    kinds = NODE_KINDS
    watch = WatchedPaths(directories=("node_modules",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from hoisted_findings(evidence, _BUN)


def parse_bun_lock(content: bytes) -> Lock:
    """Return the origins of packages outside registries, and the members' requirements."""
    found = mapping(json.loads(without_comments(content.decode("utf-8", "replace"))))
    sources = {}
    for described in mapping(found.get("packages")).values():
        ident = described[0] if isinstance(described, list) and described else None
        if isinstance(ident, str):
            name, _, version = ident[1:].partition("@")
            copy = _source(version)
            if copy.source:  # the version is in the package's own manifest, not here
                sources[f"{ident[:1]}{name}"] = copy
    wanted: dict[str, str] = {}
    for member, manifest in mapping(found.get("workspaces")).items():
        if member:
            wanted.update(wanted_of(mapping(manifest)))
    return Lock(content, sources=sources, wanted=wanted)


def without_comments(text: str) -> str:
    """Return plain JSON: comments and trailing commas are removed, strings are preserved."""
    return _TOKEN.sub(lambda match: match[0] if match[0].startswith('"') else "", text)


def _source(version: str) -> Copy:
    if version.startswith(_GIT):
        return Copy(source=FROM_GIT, commit=version.rpartition("#")[2][:40])
    if version.startswith(("file:", "link:", "workspace:")):
        return Copy(source=FROM_PATH)
    return Copy(source=FROM_URL if version.startswith(("http://", "https://")) else "")


_BUN = Manager("bun", "bun.lock", parse_bun_lock, ("bun.lock", "bun.lockb"))
