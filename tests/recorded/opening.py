"""Opens the recorded session: a store and its files in a directory of the test, at a time that stands.

    with opened(tmp_path) as shop:
        print(shop.run("log", width=100).out)
        shop.of("drop-orders")["checkpoints"]

The store is that of `store.tar.xz`, moved to the directory; the files are those of the newest
checkpoint.  Commands run in this process, at `NOW`, in UTC.  `journal.json` has what was done when.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clew import opening
from clew.cli.context import CommandContext
from clew.cli.dispatch import dispatch
from clew.cli.terminal import Terminal
from clew.errors import NoSuchPath
from clew.model.checkpoint import WorkspaceInfo
from clew.model.signals import Signals
from clew.model.small_objects import decode_links
from clew.monitor import Monitor
from clew.operations.copies.materialize_copy import source_of
from clew.store.store import Store
from clew.workspace import Workspace
from clew.worktree.materialize import materialise
from tests.cli.fakes import Stream
from tests.kit.fake_host import FakeHost
from tests.kit.running import Ran
from tests.recorded.recording.packing import ARCHIVE, tell

NOW = datetime(2026, 11, 17, 16, 30, tzinfo=UTC)
_NOW_NS = int(NOW.timestamp()) * 1_000_000_000


class Shop:
    """The shop after the two days."""

    def __init__(self, place: Path) -> None:
        self.path = place / "shop"
        self.store = place / "store"
        self.journal: list[dict[str, Any]] = json.loads((place / "journal.json").read_text())
        self.host = _Still(signals=Signals(boot="a boot"))

    def run(
        self, *words: str, width: int = 100, tty: bool = False, answer: str | None = None
    ) -> Ran:
        """Run one command; an `answer` means that somebody sits at the terminal."""
        asks = answer is not None
        stdin = Stream(answer or "", tty=asks)
        stdout, stderr = Stream(tty=tty or asks), Stream(tty=tty or asks)
        environ = {"COLUMNS": str(width), "TERM": "xterm-256color", "PAGER": "cat"}
        terminal = Terminal(stdin, stdout, stderr, environ)
        context = CommandContext(
            terminal, lambda: _Library(self.host), lambda: _NOW_NS, lambda _: 0
        )
        with chdir(self.path):
            code = dispatch(["--store", str(self.store), *words], context)
        return Ran(code, stdout.text, stderr.text)

    def of(self, name: str) -> dict[str, Any]:
        """Return the entry of the journal with a name."""
        (found,) = (entry for entry in self.journal if entry["name"] == name)
        return found

    def made_by(self, name: str) -> str:
        """Return the checkpoint that a step made; the last if it was more than one."""
        found: str = self.of(name)["checkpoints"][-1]
        return found

    def before(self, name: str) -> str:
        """Return the last checkpoint with the state before a step."""
        steps = [entry["name"] for entry in self.journal].index(name)
        ids = [one for entry in self.journal[:steps] for one in entry["checkpoints"]]
        ids += self.journal[steps]["checkpoints"][:-1]
        found: str = ids[-1]
        return found

    def words(self, command: tuple[str, ...]) -> list[str]:
        """Return a command in which the name of a step in braces became its checkpoint."""
        return [self.made_by(word[1:-1]) if word[:1] == "{" else word for word in command]

    def content(self, checkpoint: str, path: str) -> bytes | None:
        """Return a file of a checkpoint; None if it has none."""
        with self.workspace() as workspace:
            try:
                return b"".join(workspace.cat(checkpoint, str(self.path / path)))
            except NoSuchPath:
                return None

    def work_on(self) -> None:
        """Change some files and save nothing: what somebody has in front of them."""
        orders = self.path / "src/shop/orders.py"
        orders.write_text(orders.read_text().replace("or 0", "or 0  # no orders yet"))
        (self.path / "src/shop/vouchers.py").write_text('"""Vouchers."""\n\nDAYS = 30\n')
        with (self.path / ".env").open("a") as file:
            file.write("VOUCHER_DAYS=30\n")
        for path in sorted((self.path / "web/node_modules/date-fns/add_days").iterdir()):
            path.unlink()

    def workspace(self) -> Workspace:
        """Open it with the library."""
        return opening.open(self.path, self.store, host=self.host)


@contextmanager
def opened(place: Path) -> Iterator[Shop]:
    """Open the recording in an empty directory."""
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(place, filter="data")
    shop = Shop(place)
    with closing(Store.open(str(shop.store))) as store:
        for info in store.workspaces.all():
            where = place / os.path.basename(os.fsdecode(info.path))
            where.mkdir()
            store.workspaces.bind(info.uuid, os.fsencode(where), where.stat().st_ino)
        for info in store.workspaces.all():
            _write_files(store, info)
        tell(store, shop.host)
    yield shop


def _write_files(store: Store, info: WorkspaceInfo) -> None:
    assert info.here is not None
    found = store.checkpoints.get(info.here)
    assert found is not None
    links = decode_links(store.objects.get(found.record.links))
    made = materialise(info.path, found.record.tree, links, source_of(store), Monitor())
    assert not made.problems


class _Still(FakeHost):
    def now_ns(self) -> int:
        return _NOW_NS

    def free_bytes(self, path: str | bytes) -> int:
        return 200_000_000_000


class _Library:
    """The library on the machine of the recording."""

    init = staticmethod(opening.init)
    open_named = staticmethod(opening.open_named)
    search = staticmethod(opening.search)
    workspaces = staticmethod(opening.workspaces)
    check_store = staticmethod(opening.check_store)
    require_name = staticmethod(opening.require_name)
    require_check = staticmethod(opening.require_check)

    def __init__(self, host: FakeHost) -> None:
        self._host = host

    def open(self, path: str, store: str | None = None, *, create: bool = False) -> Workspace:
        return opening.open(path, store, create=create, host=self._host)
