"""The store as a small archive that opens anywhere, with the stories of its checkpoints.

    python -m tests.recorded.recording.packing     derives the stories of the fixture again

Without that, stories of another version are derived whenever it is opened, which takes a while.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

from clew.operations.context import Context
from clew.operations.history.missing_stories import derive_missing_stories
from clew.store.store import Store
from clew.story.budget import WorkerLimits
from tests.kit.fake_host import FakeHost

ARCHIVE = Path(__file__).parents[1] / "store.tar.xz"
_PATIENT = WorkerLimits(seconds=300, processor_seconds=60, per_detector=20, stalled=120)
"""Every story is whole, however busy the machine."""


def tell(store: Store, host: FakeHost) -> None:
    """Derive the stories that are missing or of another version."""
    for info in store.workspaces.all():
        context = Context(store, info, host)
        derive_missing_stories(context, set(), count=1000, seconds=600, limits=_PATIENT)


def pack(store: Path, journal: Path, archive: Path) -> None:
    """Write the store and the journal to an archive, without what a store makes again."""
    for path in (store, *store.rglob("*")):
        os.chown(path, os.getuid(), os.getgid())
    with closing(Store.open(str(store))) as opened:
        tell(opened, FakeHost())
        opened.database.execute("VACUUM")
    for name in ("cache", "backup"):
        shutil.rmtree(store / name, ignore_errors=True)
        (store / name).mkdir(mode=0o700)
    (store / "reserve").unlink(missing_ok=True)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz", preset=9) as tar:
        tar.add(journal, "journal.json", filter=_anonymous)
        tar.add(store, "store", filter=_anonymous)
    archive.write_bytes(content.getvalue())


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(ARCHIVE) as tar:
            tar.extractall(place, filter="data")
        pack(Path(place) / "store", Path(place) / "journal.json", ARCHIVE)


if __name__ == "__main__":
    main()
