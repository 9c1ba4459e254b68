"""Makes the store of the present format: `python -m tests.old_stores.make`.

To be run once, when a format is born; the archive is then kept as it is for ever.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from clew import opening
from clew.model.checkpoint import Checkpoint
from clew.model.database_look import DatabaseLook, LookedDatabase, LookedServer, LookedTable
from clew.model.record import Origin
from clew.model.retention import RetentionRule
from clew.operations.maintenance.delete import make_tombstones
from clew.store import schema
from clew.store.format_file import VERSION
from clew.store.store import Store
from clew.workspace import Workspace
from tests.old_stores import agent
from tests.old_stores.describe import describe

HERE = Path(__file__).parent
LOOK = DatabaseLook(
    1_800_000_000_000_000_000,
    (
        LookedServer(
            "postgres", "data", "15.18", (LookedDatabase("shop", (LookedTable("orders", 5000),)),),
            ("postgres",),
        ),
    ),
)  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        manifest = _work(Path(place))
        (Path(place) / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True))
        name = f"v{VERSION}-catalogue-{schema.VERSION}.tar.gz"
        with tarfile.open(HERE / name, "w:gz") as archive:
            for part in ("manifest.json", "store"):
                archive.add(os.path.join(place, part), part, filter=_anonymous)


def _work(place: Path) -> dict[str, object]:
    project, store = place / "project", place / "store"
    project.mkdir(mode=0o755)
    checkpoints: list[dict[str, object]] = []
    with opening.open(project, store=str(store), create=True) as clew:

        def save(
            intent: str, change: Callable[[Path], object], name: str | None = None
        ) -> Checkpoint:
            change(project)
            saved = clew.save(intent, name=name, meta={"number": str(len(checkpoints))})
            checkpoints.append(_about(clew, saved.checkpoint, project))
            return saved.checkpoint

        agent.begin(clew)
        save("a little of everything", _first)
        save("changed", _second, name="good-one")
        agent.go_on(clew)
        doomed = save("to be deleted", lambda root: (root / "text").write_text("doomed\n"))
        (project / "text").write_text("thinned out\n")
        thinned = clew.save("thinned out", origin=Origin.HOOK).checkpoint
        clew.settings.set("exclude", "*.tmp")
        save("with a rule", _third)
        clew.delete([doomed.id.hex()])
        with clew.writing_context() as context:
            make_tombstones(context, [thinned.id], rule=RetentionRule.HOURLY)
        checkpoints = [one for one in checkpoints if one["id"] != doomed.id.hex()]
        (project / "text").write_text("not saved\n")
        rescue = clew.restore("good-one").rescue
        assert rescue is not None
        save("went back", lambda root: (root / "text").write_text("another way\n"))
        drilled = clew.drill("good-one").checkpoint.id.hex()
        with clew.writing_context() as context:
            context.store.looks.put(clew.resolve("good-one").id, LOOK)
        agent.leave(clew)
        session = agent.session_now(clew)
        uuid = clew.info.text_id
    _forget_this_machine(store)
    return {
        "workspace": uuid,
        "checkpoints": checkpoints,
        "rescue": rescue.id.hex(),
        "removed": {doomed.id.hex(): RetentionRule.DELETE, thinned.id.hex(): RetentionRule.HOURLY},
        "drilled": drilled,
        "looked": True,
        "session": session,
    }


def _about(clew: Workspace, checkpoint: Checkpoint, project: Path) -> dict[str, object]:
    verified = clew.resolve(checkpoint.id.hex())
    return {
        "id": checkpoint.id.hex(),
        "tree": checkpoint.record.tree.hex(),
        "state": checkpoint.record.state.hex(),
        "intent": verified.labels.intent,
        "name": verified.labels.name,
        "files": describe(str(project)),
        "position": agent.position_of(clew, checkpoint),
    }


def _first(root: Path) -> None:
    (root / "text").write_text("first\n")
    (root / "empty").touch()
    (root / "directory" / "nothing in it").mkdir(parents=True)
    (root / "wide").mkdir()
    for number in range(700):
        (root / "wide" / f"{number:03}").touch()
    (root / "link").symlink_to("text")
    (root / "linked").hardlink_to(root / "text")
    os.mkfifo(root / "fifo")
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "tool").chmod(0o4711)
    lines = b"".join(
        b"line %d of a file that is cut into chunks\n" % (n % 9973) for n in range(40_000)
    )
    (root / "large").write_bytes(lines + bytes(1 << 20) + lines[:100_000])
    Path(os.fsdecode(os.fsencode(root) + b"/not \xff text\n")).write_text("any bytes")
    os.setxattr(root / "text", "user.note", b"\x00raw")
    os.utime(root / "empty", ns=(1, 1_234_567_890_123_456_789))
    os.utime(root / "directory", ns=(1, -5))


def _second(root: Path) -> None:
    (root / "text").write_text("second\n")
    (root / "linked").unlink()
    (root / "wide" / "350").write_text("changed")
    with open(root / "large", "r+b") as file:
        file.seek(700_000)
        file.write(b"an edit in the middle")
    shutil.rmtree(root / "directory")


def _third(root: Path) -> None:
    (root / "left out.tmp").write_text("x")
    (root / "third").write_text("third\n")


def _forget_this_machine(root: Path) -> None:
    store = Store.open(str(root))
    for info in store.workspaces.all():
        store.workspaces.bind(info.uuid, b"/home/me/project", 1)
    store.database.execute("VACUUM")
    store.close()
    shutil.rmtree(root / "cache")
    shutil.rmtree(root / "backup")
    (root / "reserve").unlink(missing_ok=True)
    for name in ("cache", "backup"):
        (root / name).mkdir(mode=0o700)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main()
