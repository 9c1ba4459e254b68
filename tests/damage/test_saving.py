"""A damaged store still takes new saves, and what they acknowledge can be restored exactly.

Each kind of object that a record names is lost in turn: its pack is deleted or cut, or a byte of it
is flipped, with the pack's times as they were (as bytes go bad on a disk) or not.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew import errors
from clew.monitor import Monitor
from clew.store.store import Store
from tests.kit.filesystems import Filesystems
from tests.kit.killing import ALL
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.packfile import frames, packs
from tests.kit.running import Clew
from tests.kit.scene import Scene, populate
from tests.kit.walker import Tree, differences, look
from tests.kit.wreck import empty

KINDS = {
    "blob": 1,
    "chunklist": 2,
    "xattrs": 3,
    "tree": 4,
    "links": 5,
    "rules": 6,
    "signals": 7,
    "record": 8,
    "conversation": 9,
}


@pytest.fixture(scope="module")
def kept(all_filesystems: Filesystems) -> Iterator[Scene]:
    """A checkpoint with everything that a record can name, each kind in a pack of its own."""
    with all_filesystems.fresh() as place:
        scene = Scene(place / "scene")
        populate(scene.project)
        (scene.project / "large").write_bytes(os.urandom(3 << 20))
        os.setxattr(scene.project / "mode", "user.note", b"kept")
        with scene.open() as clew:
            session = clew.sessions.open(agent="an-agent")
            session.say({"role": "user", "content": "hello"})
            session.add_task("a task")
            clew.save("first")
        _one_pack_each(scene.store)
        scene.keep()
        yield scene


@pytest.fixture
def scene(kept: Scene) -> Scene:
    kept.reset()
    return kept


def delete(pack: Path) -> None:
    pack.unlink()


def cut(pack: Path) -> None:
    os.truncate(pack, pack.stat().st_size // 2)


def flip_header(pack: Path) -> None:
    _flip(pack, frames(pack)[0].start + 9)


def flip_table(pack: Path) -> None:
    _flip(pack, frames(pack)[0].table + 11)


def flip_payload(pack: Path) -> None:
    _flip(pack, frames(pack)[0].payload)


Damage = Callable[[Path], None]
DAMAGES: list[Damage] = [delete, cut, flip_payload]
if ALL:
    DAMAGES += [flip_header, flip_table]


@pytest.mark.parametrize("workspace", ["unchanged", "changed", "new"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_a_save_beside_a_lost_object_can_be_restored(
    scene: Scene, kind: str, damage: Damage, workspace: str
) -> None:
    for pack in _packs_of(scene.store, KINDS[kind]):
        damage(pack)
    _edit(scene, workspace)
    before = look(scene.project)
    with scene.open() as clew:
        saved = clew.save("after the damage")

    assert saved.created
    _assert_restores(scene, saved.checkpoint.id.hex(), before)


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_that_went_bad_unnoticed_are_stored_again_once_they_are_found(
    scene: Scene, kind: str
) -> None:
    """No time of the pack has changed: a check that reads finds it, and the next save heals it."""
    scene.clew.ok("save", "the packs have been seen")
    _rot(scene.store, _packs_of(scene.store, KINDS[kind]))
    with scene.open() as clew:
        found = clew.store.check(read_data=True)
        before = look(scene.project)
        saved = clew.save("after the check").checkpoint.id.hex()

    assert not found.whole
    _assert_restores(scene, saved, before)


def test_a_tree_that_went_bad_unnoticed_is_found_by_the_save_that_reads_it(scene: Scene) -> None:
    scene.clew.ok("save", "the packs have been seen")
    _rot(scene.store, _packs_of(scene.store, KINDS["tree"]))
    (scene.project / "src" / "main.py").write_text("print('changed')\n")
    before = look(scene.project)
    with scene.open() as clew:
        saved = clew.save("reads the tree of src").checkpoint.id.hex()

    _assert_restores(scene, saved, before)


@pytest.mark.parametrize("kind", ["blob", "tree", "links"])
def test_a_restore_stores_again_what_it_could_not_bring_back(scene: Scene, kind: str) -> None:
    """The rescue relies on *here*; what of it cannot be read is stored again before it goes."""
    here = scene.clew.save("the packs have been seen")
    before = look(scene.project)
    doomed = _packs_of(scene.store, KINDS[kind])
    empty(scene.project)
    (scene.project / "other").write_text("other\n")
    nearly_empty = scene.clew.save("nearly empty")
    scene.clew.restore(here)
    _rot(scene.store, doomed)
    with scene.open() as clew:
        clew.restore(nearly_empty, parts=["files"])
        result = clew.restore(here, parts=["files"])

    assert result.verified
    assert differences(before, look(scene.project)) == []


def test_a_fork_of_what_is_lost_is_refused(scene: Scene) -> None:
    for pack in _packs_of(scene.store, KINDS["blob"]):
        pack.unlink()
    with scene.open() as clew, pytest.raises(errors.StoreDamaged):
        clew.forks.create("@", name="a-fork")

    assert scene.clew.json("forks")["forks"] == []


def test_a_transcript_is_stored_again_and_a_told_conversation_says_what_is_lost(
    scene: Scene, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text('{"role": "user", "content": "hello"}\n')
    with scene.open() as clew:
        told = clew.sessions.open(agent="told")
        told.say({"role": "user", "content": "told"})
        clew.save("told")
        clew.sessions.open(agent="with a transcript", transcript=str(transcript))
        clew.save("with a transcript")
    for pack in packs(scene.store):
        pack.unlink()
    with scene.open() as clew:
        of_file = clew.save("of the file")
        of_messages = clew.save("of the messages", session=told.id)
        said = b"".join(clew.sessions.conversation(of_file.checkpoint.id.hex()))

    assert said == transcript.read_bytes()
    assert any("earlier conversation are lost" in notice for notice in of_messages.notices)
    assert not any("conversation" in notice for notice in of_file.notices)


def test_a_save_says_that_the_store_is_damaged(scene: Scene) -> None:
    for pack in packs(scene.store):
        pack.unlink()
    before = look(scene.project)
    ran = scene.clew.json("save", "all packs are gone")

    assert any("damaged" in notice for notice in ran["notices"])
    _assert_restores(scene, ran["checkpoint"]["id"], before)


def test_a_damaged_store_is_read_in_full_only_once(scene: Scene) -> None:
    """The first save after the damage reads all files; the next ones read what changed."""
    for pack in _packs_of(scene.store, KINDS["blob"]):
        flip_payload(pack)
    read = [_read_by_a_save(scene, number) for number in range(3)]

    assert read[0] > 3 << 20
    assert max(read[1:]) < 1 << 20


def _read_by_a_save(scene: Scene, number: int) -> int:
    """Change a small file, and return the bytes of files that a save then reads."""

    class Counting(Monitor):
        read = 0

        def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
            if phase == "scan":
                self.read = max(self.read, size)

    monitor = Counting()
    (scene.project / "mode").write_text(f"changed {number}\n")
    with scene.open() as clew:
        clew.save("counted", monitor=monitor)
    return monitor.read


def _rot(store: Path, doomed: list[Path]) -> None:
    """Flip a byte in packs that keep the times that were last seen."""
    opened = Store.open(str(store))
    for pack in doomed:
        flip_payload(pack)
        opened.pack_watch.record_written([pack.name])
    opened.close()


def _edit(scene: Scene, workspace: str) -> None:
    if workspace == "changed":
        (scene.project / "src" / "main.py").write_text("print('changed')\n")
    if workspace == "new":
        for path in sorted(scene.project.rglob("*")):
            if path.is_file() and not path.is_symlink():
                path.write_bytes(b"new " + path.read_bytes())


def _assert_restores(scene: Scene, saved: str, before: Tree) -> None:
    """Everything comes back, conversation and tasks too, into a workspace that has nothing of it."""
    empty(scene.project)
    with scene.open() as clew:
        result = clew.restore(saved)

    assert result.verified
    assert differences(before, look(scene.project)) == []


def _packs_of(store: Path, kind: int) -> list[Path]:
    found = [pack for pack in packs(store) if kind in frames(pack)[0].kinds]
    assert found
    return found


def _flip(pack: Path, at: int) -> None:
    data = bytearray(pack.read_bytes())
    data[at] ^= 0x20
    pack.chmod(0o600)
    with open(pack, "r+b") as file:
        file.write(data)


def _one_pack_each(root: Path) -> None:
    """Move the objects of a store into one pack for each kind."""
    from clew.store.writer import ObjectWriter

    store = Store.open(str(root))
    old = [row[0] for row in store.database.execute("SELECT name FROM packs")]
    rows = store.database.execute("SELECT id, kind FROM objects ORDER BY kind")
    contents = [(kind, store.objects.get(identifier)) for identifier, kind in rows]
    with store.database.transaction():
        store.database.execute("DELETE FROM objects")
        store.database.execute("DELETE FROM packs")
        for wanted in sorted({kind for kind, _ in contents}):
            writer = ObjectWriter(store.transport, lambda _: set())
            for kind, content in contents:
                if kind == wanted:
                    writer.put(kind, content)
            writer.finish()
            store.index.add(writer.packs, writer.rows)
            store.mark_packs_committed(writer)
    for name in old:
        store.transport.remove(name)
    assert {row[1] for row in rows} == set(KINDS.values())
    store.close()


def test_an_ordinary_user_saves_beside_a_pack_that_cannot_be_read(on_ext4: Path) -> None:
    prefix = as_ordinary_user()
    project = on_ext4 / "project"
    project.mkdir()
    populate(project)
    subprocess.run(["chown", "-R", f"{UID}:{UID}", on_ext4], check=True)
    clew = Clew(project, on_ext4 / "store", prefix=prefix)
    clew.save("first")
    (pack,) = packs(on_ext4 / "store")
    pack.chmod(0)
    before = look(project)
    saved = clew.save("beside it")
    empty(project)
    clew.restore(saved)

    assert differences(before, look(project)) == []
