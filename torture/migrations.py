"""Migrations: a store that an old clew wrote, opened for the first time and killed on the way.

The archives are those of `tests/old_stores`; each has a manifest of its checkpoints, written when
it was made.
"""

from __future__ import annotations

import json
import random
import shutil
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torture.oracle import Tree, read_tree
from torture.protocol import Response
from torture.rounds import Bench
from torture.scene import Problem, Scene

_ARCHIVES = Path(__file__).resolve().parents[1] / "tests" / "old_stores"
_EXCLUDED = b"left out.tmp".hex()
"""The manifest has it, and the workspace of these stores excludes it."""
_FIRST = (("log",), ("save", "first with a new clew"), ("gc",), ("check", "--read-data"))


def kill_migration(
    bench: Bench, rng: random.Random, kill: Callable[[Scene, tuple[str, ...]], Response]
) -> None:
    """Run one round."""
    archive = rng.choice(sorted(_ARCHIVES.glob("v*.tar.gz")))
    place = bench.place / "old"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with tarfile.open(archive) as content:
        content.extractall(place, filter="data")
    scene = Scene(place, bench.server())
    bench.scene_now = scene
    scene.commands.append(archive.name)
    scene.store.chmod(0o700)
    scene.project.mkdir()
    manifest = json.loads((place / "manifest.json").read_text())
    attach = ("init", str(scene.project), "--attach", manifest["workspace"])
    kill(scene, attach)
    scene.server.settle()
    scene.run(*attach)  # refused if the first one had bound it
    kill(scene, rng.choice(_FIRST))
    scene.server.settle()
    known = scene.checkpoints()
    for checkpoint in manifest["checkpoints"]:
        identifier = checkpoint["id"]
        if identifier not in known:
            raise Problem(f"{archive.name}: checkpoint {identifier[:8]} is lost", is_loss=True)
        scene.ok("restore", identifier, "--yes")
        _compare(checkpoint["files"], read_tree(str(scene.project)), archive.name)
    scene.check_store()
    scene.server.settle()


def _compare(expected: dict[str, Any], actual: Tree, archive: str) -> None:
    """Compare by mode, time, content and user attributes; the manifest has no owners."""
    found = {path.hex(): entry for path, entry in actual.entries.items()}
    expected = {path: one for path, one in expected.items() if path != _EXCLUDED}
    if found.keys() != expected.keys():
        raise Problem(f"{archive}: other paths: {found.keys() ^ expected.keys()}", is_loss=True)
    for path, (mode, mtime, content, xattrs, *_) in expected.items():
        entry = found[path]
        own = {n.decode(): v.hex() for n, v in entry.xattrs if n.startswith(b"user.")}
        text = entry.content.hex() if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else ""
        if (entry.kind | entry.mode, entry.mtime_ns, text, own) != (mode, mtime, content, xattrs):
            name = bytes.fromhex(path)
            raise Problem(f"{archive}: {name!r} differs: {entry}", is_loss=True)
