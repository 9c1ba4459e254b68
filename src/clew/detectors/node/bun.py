"""What bun installed: `node_modules`, which is the truth, as for npm.

bun leaves no mark of its own in it, so `bun.lock` or `bun.lockb` beside it tell that it was bun.
`bun.lock` says what should be installed; it is only asked where a package came from.
It is JSON with comments and trailing commas; the older `bun.lockb` is binary and not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.json_values import mapping
from clew.detectors.node.hoisted import Manager, hoisted_findings
from clew.detectors.node.node_manifest import wanted_of
from clew.detectors.node.node_packages import FROM_GIT, FROM_PATH, FROM_URL, Copy, Lock
from clew.detectors.tools.package_files import PACKAGE_KINDS

_TOKEN = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|,(?=\s*+[}\]])', re.S
)
"""What is not closed goes to the end, so that nothing is looked at twice."""
_GIT = ("git+", "git:", "github:", "gitlab:", "bitbucket:")


class Bun:
    """States which packages bun installed, changed and removed."""

    name = "node/bun"
    version = 1
    kinds = PACKAGE_KINDS
    watch = WatchedPaths(directories=("node_modules",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from hoisted_findings(evidence, _BUN)


def parse_bun_lock(content: bytes) -> Lock:
    """Return where packages that are not from a registry came from, and what members ask for."""
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
    """Return plain JSON: strings are kept, comments and trailing commas are not."""
    return _TOKEN.sub(lambda match: match[0] if match[0].startswith('"') else "", text)


def _source(version: str) -> Copy:
    if version.startswith(_GIT):
        return Copy(source=FROM_GIT, commit=version.rpartition("#")[2][:40])
    if version.startswith(("file:", "link:", "workspace:")):
        return Copy(source=FROM_PATH)
    return Copy(source=FROM_URL if version.startswith(("http://", "https://")) else "")


_BUN = Manager("bun", "bun.lock", parse_bun_lock, ("bun.lock", "bun.lockb"))
