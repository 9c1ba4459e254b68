"""Real trees of Node projects, with the listing of each package manager.

Created with npm 11.19, pnpm 9.15, yarn 1.22, yarn 4 (Plug'n'Play) and bun 1.2, which installed
`send@0.17.0 debug@4.3.0 is-odd@3.0.0` and then changed that.
Reduced: files other than locks and manifests contain a hash, most are omitted, checksums are short.
Listings: `npm ls --all --json`, `pnpm ls --json --depth Infinity`, `yarn list --json`,
`yarn info --all --recursive --json`, `bun pm ls --all`; by name, with all versions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from clew.model.fact import Fact
from tests.kit.moments import Thing, link

Files = dict[str, bytes | Thing]
Listed = dict[str, list[str]]
Changes = set[tuple[str, str, str | None, str | None]]

_TESTDATA = Path(__file__).parent / "testdata" / "node"


def real_moments(name: str) -> list[tuple[Files, Listed]]:
    found = json.loads((_TESTDATA / f"{name}.json").read_text())
    moments = [
        {
            path: link(what["link"]) if isinstance(what, dict) else what.encode()
            for path, what in files.items()
        }
        for files in found["moments"]
    ]
    return list(zip(moments, found["listed"], strict=True))


def listing_changes(before: Listed, after: Listed) -> Changes:
    """Return the differences between two listings."""
    changes: Changes = set()
    for name in {*before, *after}:
        was, now = ", ".join(before.get(name, [])), ", ".join(after.get(name, []))
        if was != now:
            word = "changed" if was and now else "added" if now else "removed"
            changes.add((f"package.{word}", name, was or None, now or None))
    return changes


def package_changes(facts: Iterable[Fact]) -> Changes:
    return {(fact.kind, fact.subject, fact.before, fact.after) for fact in facts}


def direct(facts: Iterable[Fact]) -> set[str]:
    return {fact.subject for fact in facts if fact.direct}


def manifest(name: str = "", version: str = "", **more: object) -> bytes:
    return json.dumps({"name": name, "version": version, **more}).encode()


def hidden_lock(**packages: Mapping[str, object]) -> bytes:
    """Return npm's record of what it installed; names without `node_modules/`."""
    places = {f"node_modules/{place}": value for place, value in packages.items()}
    return json.dumps({"lockfileVersion": 3, "packages": places}).encode()
