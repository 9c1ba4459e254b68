"""After a purge there is no byte of the secret in the store, wherever it had got to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clew import opening
from clew.errors import StoreDamaged
from clew.model.ids import short
from clew.model.verdict import Verdict
from clew.monitor import Monitor, RecordingMonitor
from clew.operations.copies.copies import throwaway_copy
from clew.store.backup import backup
from clew.workspace import Workspace
from tests.kit.secrets import places_holding
from tests.operations.copies.copying import slots, small

SECRET = "violet-harbour-2291-kite"
TEXT = SECRET.encode()


@pytest.fixture
def home(project: Path, ws: Workspace) -> Workspace:
    """A workspace with one checkpoint that knows nothing of the secret."""
    small(project)
    ws.save("before")
    return ws


def holding(store: Path) -> list[str]:
    return places_holding(store, TEXT)


def purge_after(ws: Workspace, store: Path, clean: Callable[[], None]) -> None:
    """Save a moment that holds the secret, take it away, save again, and purge the first."""
    doomed = ws.save("a moment").checkpoint
    ws.show(doomed.id.hex())
    backup(ws._access.store)
    clean()
    ws.save("after it")
    ws.log()
    assert holding(store)
    result = ws.delete([doomed.id.hex()], purge=True)

    assert result.remaining == ()
    assert result.searched is not None
    assert result.searched.files > 0
    assert holding(store) == []
    assert ws.store.check(read_data=True).whole


def test_a_small_file(home: Workspace, project: Path, store: Path) -> None:
    (project / "key").write_text(f"token: {SECRET}\n")

    purge_after(home, store, (project / "key").unlink)


def test_a_file_that_is_compressed_with_others(home: Workspace, project: Path, store: Path) -> None:
    for number in range(50):
        (project / f"text-{number}").write_text(f"line {number}\n" * 200)
    (project / "text-7").write_text("line 7\n" * 100 + SECRET + "\n" + "line 7\n" * 100)

    purge_after(home, store, (project / "text-7").unlink)


def test_a_large_file_that_is_cut_into_chunks(home: Workspace, project: Path, store: Path) -> None:
    content = os.urandom(2_500_000) + TEXT + os.urandom(2_500_000)
    (project / "large").write_bytes(content)

    purge_after(home, store, (project / "large").unlink)


def test_an_attribute(home: Workspace, project: Path, store: Path) -> None:
    try:
        os.setxattr(project / "marker", "user.token", TEXT)
    except OSError:
        pytest.skip("no attributes on this filesystem")

    purge_after(home, store, lambda: os.removexattr(project / "marker", "user.token"))


def test_a_file_name(home: Workspace, project: Path, store: Path) -> None:
    (project / f"{SECRET}.txt").write_text("harmless")

    purge_after(home, store, (project / f"{SECRET}.txt").unlink)


def test_the_name_of_a_directory(home: Workspace, project: Path, store: Path) -> None:
    (project / SECRET / "deep").mkdir(parents=True)
    (project / SECRET / "deep" / "file").write_text("harmless")

    purge_after(home, store, lambda: shutil.rmtree(project / SECRET))


def test_the_target_of_a_link(home: Workspace, project: Path, store: Path) -> None:
    (project / "link").symlink_to(SECRET)

    purge_after(home, store, (project / "link").unlink)


def test_a_setting_that_a_story_told(home: Workspace, project: Path, store: Path) -> None:
    (project / "config.json").write_text(f'{{"{SECRET}": 1}}')

    purge_after(home, store, (project / "config.json").unlink)


def test_a_transcript(home: Workspace, project: Path, store: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text(f'{{"role": "user", "content": "{SECRET}"}}\n')
    home.sessions.open(agent="example", transcript=str(transcript))

    purge_after(home, store, lambda: (transcript.write_text('{"role": "user"}\n'), None)[1])


def test_a_task(home: Workspace, store: Path) -> None:
    session = home.sessions.open(agent="example")
    session.say({"role": "user", "content": "hello"})
    home.tasks.add(f"use {SECRET}")
    task = home.tasks.list().tasks[0]

    def clean() -> None:
        with home._access.store.database.transaction():
            home._access.store.tasks.replace(session.info.id, [task._replace(title="use it")])

    purge_after(home, store, clean)


def test_what_was_said_of_it(home: Workspace, store: Path) -> None:
    doomed = home.save(f"uses {SECRET}", description=f"also {SECRET}", meta={"k": SECRET})
    state = doomed.checkpoint.record.state
    verdict = Verdict(f"echo {SECRET}", 1, 1, f"says {SECRET}", 1, "workspace", state)
    home._access.store.verdicts.add(doomed.checkpoint.id, verdict)
    home.forks.create(doomed.checkpoint.id.hex(), name="other")
    home.save("after it")
    backup(home._access.store)
    assert holding(store)
    home.delete([doomed.checkpoint.id.hex()], purge=True)

    assert holding(store) == []


def test_a_verdict_of_a_state_that_nobody_holds_any_more(
    home: Workspace, project: Path, store: Path
) -> None:
    """It may have been given under the name of a checkpoint that was deleted before."""
    (project / "marker").write_text("other")
    first, second = home.save("one").checkpoint, home.save("two").checkpoint
    assert first.record.state == second.record.state
    verdict = Verdict("check", 1, 1, f"says {SECRET}", 1, "workspace", first.record.state)
    home._access.store.verdicts.add(first.id, verdict)
    (project / "marker").write_text("third")
    home.save("three")
    home.delete([first.id.hex()])
    assert holding(store)
    home.delete([second.id.hex()], purge=True)

    assert holding(store) == []


def test_a_verdict_that_waits_in_the_spool(home: Workspace, project: Path, store: Path) -> None:
    (project / "marker").write_text("other")
    doomed = home.save("one").checkpoint
    (project / "marker").write_text("third")
    home.save("two")
    verdict = Verdict("check", 1, 1, f"says {SECRET}", 1, "workspace", doomed.record.state)
    found = doomed.id.hex()
    chosen = home.resolve(found).id
    home._access.store.spool.put(doomed.id, verdict)
    from clew.operations.maintenance.delete import delete

    delete(home._access.context, [chosen], True, Monitor())

    assert holding(store) == []


def test_a_copy_that_was_kept_for_checks(home: Workspace, project: Path, store: Path) -> None:
    (project / "key").write_text(SECRET)
    doomed = home.save("one").checkpoint
    with throwaway_copy(home._access.context, doomed, Monitor(), whole=True):
        pass
    (project / "key").unlink()
    home.save("two")
    assert slots(home)
    assert any(path.startswith("copies/") for path in holding(store))
    home.delete([doomed.id.hex()], purge=True)

    assert holding(store) == []


def test_a_copy_in_use_is_named_and_goes_when_its_user_is_done(
    home: Workspace, project: Path, store: Path
) -> None:
    (project / "key").write_text(SECRET)
    doomed = home.save("one").checkpoint
    with (
        opening.open(project, store=store) as other,
        throwaway_copy(other._access.context, doomed, Monitor(), whole=True),
    ):
        (project / "key").unlink()
        home.save("two")
        result = home.delete([doomed.id.hex()], purge=True)
        assert holding(store)

    assert len(result.remaining) == 1
    assert "copies/" in result.remaining[0]
    assert holding(store) == []


def test_the_cache_of_the_workspace(home: Workspace, project: Path, store: Path) -> None:
    (project / f"{SECRET}.txt").write_text("harmless")
    doomed = home.save("one").checkpoint
    (project / f"{SECRET}.txt").unlink()
    home.save("two")
    (project / f"{SECRET}.txt").write_text("harmless")
    home.status()
    (project / f"{SECRET}.txt").unlink()
    home.delete([doomed.id.hex()], purge=True)

    assert holding(store) == []


def test_what_a_killed_story_left(home: Workspace, project: Path, store: Path) -> None:
    (project / "marker").write_text("other")
    doomed = home.save("one").checkpoint
    (project / "marker").write_text("third")
    home.save("two")
    left = store / "tmp" / "story-0123"
    left.mkdir()
    (left / "old.db").write_text(SECRET)
    home.delete([doomed.id.hex()], purge=True)

    assert holding(store) == []


def test_packs_in_quarantine(home: Workspace, project: Path, store: Path) -> None:
    (project / "key").write_text(SECRET)
    doomed = home.save("one").checkpoint
    (project / "key").unlink()
    home.save("two")
    packs = list((store / "packs").iterdir())
    for pack in packs:
        shutil.copy(pack, store / "quarantine" / pack.name)
    damaged = store / "quarantine" / "damaged.pack"
    damaged.write_bytes(packs[0].read_bytes()[:-20] + TEXT)
    (store / "quarantine" / "catalog-old.db").write_bytes(b"SQLite format 3\0" + TEXT)
    home.delete([doomed.id.hex()], purge=True)

    assert holding(store) == []


def test_a_pack_in_quarantine_that_holds_nothing_of_it_stays(
    home: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("another history")
    with opening.open(tmp_path / "elsewhere", store=tmp_path / "other", create=True) as other:
        other.save("theirs")
    pack = next((tmp_path / "other" / "packs").iterdir())
    shutil.copy(pack, store / "quarantine" / pack.name)
    (project / "key").write_text(SECRET)
    doomed = home.save("one").checkpoint
    (project / "key").unlink()
    home.save("two")
    home.delete([doomed.id.hex()], purge=True)

    assert (store / "quarantine" / pack.name).exists()
    assert holding(store) == []


def test_another_checkpoint_and_a_fork_that_hold_it_are_named(
    home: Workspace, project: Path, store: Path
) -> None:
    (project / "key").write_text(SECRET)
    doomed = home.save("one").checkpoint
    (project / "marker").write_text("other")
    second = home.save("two").checkpoint
    fork = home.forks.create(second.id.hex(), name="side")
    (project / "key").unlink()
    home.save("three")
    result = home.delete([doomed.id.hex()], purge=True)

    holders = {(one.checkpoint, one.fork) for one in result.held_by}

    assert (second.id, "") in holders
    assert (fork.checkpoint.id, "side") in holders
    assert any(short(second.id) in sentence for sentence in result.still_held)
    assert any("side" in sentence for sentence in result.still_held)
    assert holding(store)
    home.delete([second.id.hex()], purge=True)
    home.forks.discard("side", force=True)
    result_of_gc = home.store.gc(purge=True)

    assert result_of_gc.remaining == ()
    assert holding(store) == []


def test_a_file_of_the_live_workspace_is_named(home: Workspace, project: Path, store: Path) -> None:
    (project / "key").write_text(SECRET)
    doomed = home.save("one").checkpoint
    (project / "key").unlink()
    home.save("two")
    (project / "key").write_text(SECRET)
    result = home.delete([doomed.id.hex()], purge=True)

    assert any("key" in sentence and "workspace" in sentence for sentence in result.still_held)
    assert holding(store) == []


def test_the_conversation_that_a_session_goes_on_from_is_named(
    home: Workspace, project: Path, store: Path
) -> None:
    session = home.sessions.open(agent="example")
    session.say({"role": "user", "content": SECRET})
    doomed = home.save("one").checkpoint
    session.say({"role": "user", "content": "more"})
    home.save("two")
    (project / "marker").write_text("other")
    result = home.delete([doomed.id.hex()], purge=True)

    assert result.held_by
    assert holding(store)


def test_the_desk_of_the_agents_session(home: Workspace, project: Path, store: Path) -> None:
    session = home.sessions.open(agent="example")
    (project / "marker").write_text("other")
    doomed = home.save("one").checkpoint
    (project / "marker").write_text("third")
    home.save("two")
    with home._access.store.desks.at(session.info.id) as (_, put):
        put(b'{"prompt": "%s", "failed": {"a": "%s"}, "effects": {"b": 7}}' % (TEXT, TEXT))
    home.delete([doomed.id.hex()], purge=True)

    assert holding(store) == []
    with home._access.store.desks.at(session.info.id) as (left, _):
        assert left == b'{"effects": {"b": 7}}'


_SAVING = """
import pathlib, sys, clew
place, store, stop = map(pathlib.Path, sys.argv[1:])
with clew.open(place, store=store, create=True) as workspace:
    number = 0
    while not stop.exists():
        (place / "file").write_text(str(number) * 5000)
        workspace.save(str(number))
        number += 1
        if number == 1:
            print("begun", flush=True)
"""


def test_a_purge_beside_saves_loses_nothing_of_theirs(
    home: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    other, stop = tmp_path / "other", tmp_path / "stop"
    other.mkdir()
    command = [sys.executable, "-c", _SAVING, str(other), str(store), str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as saving:
        try:
            assert saving.stdout is not None
            saving.stdout.readline()
            for number in range(3):
                (project / "key").write_text(f"{SECRET} {number}\n" * 50)
                doomed = home.save("one").checkpoint
                (project / "key").unlink()
                home.save("two")
                result = home.delete([doomed.id.hex()], purge=True)
                assert result.remaining == ()
        finally:
            stop.touch()
    with opening.open(other, store=store) as theirs:
        saved = len(theirs.log(limit=100_000).checkpoints)

    assert saving.returncode == 0
    assert saved > 3
    assert holding(store) == []
    assert home.store.check(read_data=True).whole


def test_a_purge_that_cannot_be_finished_lets_people_save_and_look(
    home: Workspace, project: Path, store: Path
) -> None:
    """The next command would finish it, but the store is damaged."""
    (project / "marker").write_text("other")
    doomed = home.save("one").checkpoint
    (project / "marker").write_text("third")
    here = home.save("two").checkpoint
    home._access.store.database.execute("DELETE FROM objects WHERE id = ?", (here.record.tree,))
    with pytest.raises(StoreDamaged):
        home.delete([doomed.id.hex()], purge=True)
    monitor = RecordingMonitor()
    (project / "marker").write_text("fourth")

    assert home.log().checkpoints
    assert home.save("after", monitor=monitor).created
    assert any("Cannot finish the interrupted purge" in text for text in monitor.notices)
