"""A small project with a store, driven by the operations."""

from __future__ import annotations

import os
import random
import shutil
from copy import copy
from pathlib import Path

from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.model.results import CheckResult, GcResult
from clew.model.signals import Signals
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.save.commit import SaveOptions, save
from clew.store.check import check
from clew.store.gc import gc
from clew.store.limits import StoreLimits
from clew.store.reader import ObjectReader
from clew.store.store import Store
from tests.kit.fake_host import FakeHost, SmallStore

QUIET = Monitor()


class Scratch:
    """One project, its store, and the files at each checkpoint.

    Its machine has no processes, which would add an object to each checkpoint, and small stores.
    """

    def __init__(self, place: Path, limits: StoreLimits | None = None) -> None:
        self.host = FakeHost(signals=Signals(), store_limits=limits or SmallStore())
        self.project = place / "project"
        self.root = place / "store"
        self.moments: dict[CheckpointId, dict[str, bytes]] = {}
        self.project.mkdir(parents=True)
        self.open(create=True)

    def open(self, *, create: bool = False) -> None:
        self.store = Store.open(
            str(self.root), create=create, now_ns=self.host.now_ns, limits=self.host.store_limits
        )
        root = os.fsencode(self.project.resolve())
        info = self.store.workspaces.at(root) or self.store.workspaces.add(
            root, self.project.stat().st_ino, machine=False
        )
        self.context = Context(self.store, info, self.host)

    def reopen(self) -> None:
        self.close()
        self.open()

    def beside(self) -> Scratch:
        """Open the same project and store again, as another process would."""
        other = copy(self)
        other.open()
        return other

    def close(self) -> None:
        self.store.close()

    def write(self, name: str, content: bytes | str) -> None:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def noise(self, name: str, size: int) -> None:
        """Write incompressible bytes, always the same for a name."""
        self.write(name, random.Random(name).randbytes(size))

    def remove(self, name: str) -> None:
        path = self.project / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def save(
        self, intent: str = "", *, name: str | None = None, origin: str = Origin.MANUAL
    ) -> Checkpoint:
        """Save, with origin *manual* by default."""
        with (
            self.store.locks.workspace(self.context.workspace, QUIET),
            self.store.locks.shared(QUIET),
        ):
            options = SaveOptions(intent, name, origin=origin)
            checkpoint = save(self.context, options, QUIET).checkpoint
        self.moments[checkpoint.id] = self.files()
        return checkpoint

    def bury(self, *checkpoints: Checkpoint) -> None:
        """Delete checkpoints without a collection."""
        with self.store.database.transaction():
            self.store.checkpoints.bury([one.id for one in checkpoints], purge=False)
        for checkpoint in checkpoints:
            del self.moments[checkpoint.id]

    def gc(self, *, purge: bool = False) -> GcResult:
        return gc(self.store, QUIET, purge=purge)

    def check(self, *, read_data: bool = True) -> CheckResult:
        return check(self.store, read_data, QUIET)

    def files(self) -> dict[str, bytes]:
        """Return the files of the project."""
        return {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted(self.project.rglob("*"))
            if path.is_file()
        }

    def held(self, checkpoint: CheckpointId) -> dict[str, bytes]:
        """Return the files of a checkpoint in the store."""
        from clew.model.tree import read_directory, read_root

        found: dict[str, bytes] = {}
        objects = ObjectReader(self.store.transport, self.store.index.locate)
        record = self.context.find(checkpoint).record
        ahead = [("", read_root(record.tree, objects.get).content)]
        while ahead:
            above, tree = ahead.pop()
            for entry in read_directory(tree, objects.get):
                path = above + os.fsdecode(entry.name)
                if entry.is_directory:
                    ahead.append((path + "/", entry.content))
                elif entry.is_file:
                    found[path] = b"".join(objects.content(entry.content, entry.size))
        return dict(sorted(found.items()))

    def packs(self) -> list[Path]:
        return sorted((self.root / "packs").iterdir())

    def pack_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.packs())

    def holds(self, content: bytes) -> bool:
        """Return whether any file of the store contains these bytes."""
        return any(content in path.read_bytes() for path in self.root.rglob("*") if path.is_file())

    def assert_whole(self) -> None:
        """Assert that every checkpoint is intact byte by byte, and that a check finds no damage."""
        result = self.check()

        assert result.damages == ()
        for identifier, files in self.moments.items():
            assert self.held(identifier) == files
