"""Timelines that vanished, hid what was newer, or claimed what was not so."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from tests.kit.child import Child
from tests.kit.killing import fail_at, moments
from tests.kit.running import Clew
from tests.kit.walker import differences, look


def test_a_failed_save_is_never_reported_as_the_last_one(clew: Clew) -> None:
    # opencode #26893, "lost 2 days": the add failed, and the old tree came back as a success
    (clew.workspace / "file").write_text("old")
    clew.save("old")
    (clew.workspace / "file").write_text("new")
    command, environment = clew.command("save", "new"), clew.environment()
    found = [m for m in moments(command, clew.workspace, environment) if m.call == "fdatasync"]
    (clew.workspace / "file").write_text("newer")
    failed = fail_at(found[0], "EIO", clew.command("save", "newer"), clew.workspace, environment)
    intents = [one["intent"] for one in clew.json("log")["checkpoints"]]
    saved = clew.save("newest")

    assert failed.returncode not in (0, 3)
    assert intents == ["new", "old"]
    assert clew.ok("cat", saved, "file").out == "newer"


@pytest.mark.parametrize(
    "intent",
    ["a|b|c", "two\nlines", "\x1b[2J\x07", "%H%s", "'; DROP TABLE x;--", "\u202eback", "-n"],
)
def test_no_intent_breaks_the_timeline(clew: Clew, intent: str) -> None:
    # PraisonAI: one `|` in any message emptied the list for ever
    saved = clew.json("save", "--", intent)["checkpoint"]["id"]
    shown = clew.ok("log").out

    assert clew.json("show", saved)["checkpoint"]["intent"] == intent
    assert saved[:8] in shown
    assert not set(shown) & set("\x1b\x07\u202e")


def test_a_restore_hides_no_newer_checkpoint(clew: Clew) -> None:
    # PraisonAI: five checkpoints became two
    ids = []
    for number in range(5):
        (clew.workspace / "file").write_text(f"{number}")
        ids.append(clew.save(f"{number}"))
    clew.restore(ids[1])

    assert clew.ids() == ids[::-1]
    assert clew.json("log")["current"] == ids[1]


def test_the_rescue_is_in_the_timeline_also_for_the_next_process(clew: Clew) -> None:
    (clew.workspace / "file").write_text("saved")
    saved = clew.save("saved")
    (clew.workspace / "file").write_text("unsaved")
    rescue = clew.restore(saved)["rescue"]
    found = {one["id"]: one["origin"] for one in clew.json("log")["checkpoints"]}

    assert found == {rescue: "rescue", saved: "manual"}
    assert clew.ok("cat", rescue, "file").out == "unsaved"


def test_undo_twice_walks_back_twice(clew: Clew) -> None:
    # Chimera restored the same one each time
    for text in ("one", "two", "three"):
        (clew.workspace / "file").write_text(text)
        clew.save(text)
    seen = []
    for _ in range(2):
        clew.ok("undo", "--yes")
        seen.append((clew.workspace / "file").read_text())
    clew.ok("redo", "--yes")
    seen.append((clew.workspace / "file").read_text())

    assert seen == ["two", "one", "two"]


def test_undo_by_a_number_walks_that_far(clew: Clew) -> None:
    for text in ("one", "two", "three"):
        (clew.workspace / "file").write_text(text)
        clew.save(text)
    clew.ok("undo", "2", "--yes")

    assert (clew.workspace / "file").read_text() == "one"


def test_undo_further_than_the_trail_changes_nothing(clew: Clew) -> None:
    (clew.workspace / "file").write_text("one")
    clew.save("one")
    (clew.workspace / "file").write_text("two")
    clew.save("two")
    before = look(clew.workspace)
    ran = clew.run("undo", "7", "--yes")

    assert ran.code in (1, 2)
    assert differences(before, look(clew.workspace)) == []


def test_undo_and_redo_around_work_that_nobody_saved(clew: Clew) -> None:
    """The worked example of the design, word by word."""
    file = clew.workspace / "file"
    file.write_text("A")
    first = clew.save("A")
    file.write_text("edit")
    rescue = clew.restore(first)["rescue"]
    seen = [file.read_text()]
    for _ in range(2):
        clew.ok("undo", "--yes")
        seen.append(file.read_text())
    file.write_text("B")
    second = clew.save("B")
    ran = clew.run("redo", "--yes")

    assert seen == ["A", "edit", "A"]
    assert ran.code == 1
    assert file.read_text() == "B"
    assert {rescue, first, second} == set(clew.ids())


def test_redo_brings_back_the_unsaved_work_that_undo_took(clew: Clew) -> None:
    # Codewhale #384: "now i want to redo!"
    file = clew.workspace / "file"
    file.write_text("saved")
    clew.save("saved")
    file.write_text("work")
    clew.ok("undo", "--yes")
    undone = file.read_text()
    clew.ok("redo", "--yes")

    assert (undone, file.read_text()) == ("saved", "work")


def test_undo_after_undoing_unsaved_work_goes_further_back(clew: Clew) -> None:
    file = clew.workspace / "file"
    for text in ("one", "two"):
        file.write_text(text)
        clew.save(text)
    file.write_text("work")
    seen = []
    for _ in range(2):
        clew.ok("undo", "--yes")
        seen.append(file.read_text())

    assert seen == ["two", "one"]


def test_a_new_process_knows_all_checkpoints(clew: Clew) -> None:
    # Chimera's manager and PraisonAI's get_checkpoint forgot everything at exit
    ids = [clew.save(f"{number}") for number in range(3)]

    assert clew.ids() == ids[::-1]
    assert [clew.json("show", found)["checkpoint"]["intent"] for found in ids] == ["0", "1", "2"]


def test_deleting_frees_the_disk(clew: Clew) -> None:
    # PraisonAI's max_checkpoints never deleted anything; opencode #9290 kept 284 GB of litter
    for number in range(5):
        (clew.workspace / "data").write_bytes(random.Random(number).randbytes(2 << 20))
        clew.save(f"{number}")
    full = _pack_bytes(clew.store)
    clew.ok("delete", *clew.ids()[1:])
    clew.ok("gc")

    assert _pack_bytes(clew.store) < full / 3
    assert clew.run("check", "--read-data").code == 0


def test_the_same_name_twice_is_refused_or_newest_wins_but_never_hides(clew: Clew) -> None:
    # Chimera: duplicate names shadowed each other
    first = clew.save("first", "--name", "good-one")
    second = clew.run("save", "second", "--name", "good-one")

    assert second.code in (0, 2)
    assert first in clew.ids()
    if second.code == 2:
        assert clew.json("show", "good-one")["checkpoint"]["id"] == first
    else:
        assert clew.run("show", "name:good-one").code in (0, 2)


def test_a_damaged_history_restores_nothing(clew: Clew) -> None:
    # Chimera restored an empty or corrupt checkpoint to an empty workspace without a word
    (clew.workspace / "file").write_text("x" * 5000)
    saved = clew.save("saved")
    (clew.workspace / "file").write_text("work")
    for pack in (clew.store / "packs").rglob("*.pack"):
        pack.write_bytes(b"")
    before = look(clew.workspace)
    ran = clew.run("restore", saved, "--yes")

    assert ran.code == 6
    assert differences(before, look(clew.workspace)) == []


def test_the_store_is_never_inside_what_it_protects_without_being_left_out(tmp_path: Path) -> None:
    # Chimera kept it inside the workspace, where a restore rolls it back
    (tmp_path / "project").mkdir()
    clew = Clew(tmp_path / "project", tmp_path / "project" / ".history")
    (clew.workspace / "file").write_text("one")
    first = clew.run("save", "one", "--json")
    if first.code:
        assert first.code == 1 or first.code == 2
        return
    (clew.workspace / "file").write_text("two")
    second = clew.save("two")
    clew.ok("restore", "@~1", "--yes")

    assert (clew.workspace / "file").read_text() == "one"
    assert second in clew.ids()
    assert clew.run("check", "--read-data").code == 0


def test_an_off_terminal_restore_asks_first(clew: Clew) -> None:
    # claude-code #64615, opencode #3176: show me before you do it
    (clew.workspace / "file").write_text("saved")
    saved = clew.save("saved")
    (clew.workspace / "file").write_text("work")
    before = look(clew.workspace)
    asked = clew.run("restore", saved)
    shown = clew.ok("restore", saved, "--dry-run")

    assert asked.code == 5
    assert "file" in asked.out + asked.err
    assert "file" in shown.out
    assert differences(before, look(clew.workspace)) == []
    assert clew.ids() == [saved]


def test_a_failing_check_is_kept_with_its_exit_code_and_output(clew: Clew) -> None:
    # workbench exits 0 and keeps only pass or fail
    (clew.workspace / "file").write_text("x")
    ran = clew.run("save", "checked", "--verify", "echo broken; exit 3", "--json")
    verdict = clew.json("show", "@")["checkpoint"]["verdict"]

    assert ran.code in (0, 4)
    assert (verdict["status"], verdict["exit_code"]) == ("failing", 3)
    assert "broken" in verdict["output"]


def test_a_save_beside_a_stale_git_lock_works(clew: Clew) -> None:
    # PraisonAI: a stale index.lock blocked every later save
    subprocess.run(["git", "init", "-q", clew.workspace], check=True)
    (clew.workspace / ".git" / "index.lock").touch()

    assert clew.save("with a stale lock")


def test_undo_finds_its_way_when_a_checkpoint_on_the_trail_was_deleted(clew: Clew) -> None:
    for text in ("one", "two", "three"):
        (clew.workspace / "file").write_text(text)
        clew.save(text)
    middle = clew.ids()[1]
    deleted = clew.run("delete", middle)
    undone = clew.run("undo", "--yes")
    seen = (clew.workspace / "file").read_text()

    assert "Traceback" not in deleted.err + undone.err
    if deleted.code == 0:
        assert (undone.code, seen) in ((0, "one"), (1, "three"))
    else:
        assert (undone.code, seen) == (0, "two")
    assert clew.run("check", "--read-data").code == 0


def test_a_leaked_secret_can_be_removed_for_good(clew: Clew) -> None:
    # entire #156, hermes #48441, codex #30971
    secret = random.Random(11).randbytes(3000)
    (clew.workspace / "file").write_text("harmless")
    clew.save("before")
    (clew.workspace / "key").write_bytes(secret)
    leaked = clew.save("token hunter2hunter2")
    (clew.workspace / "key").unlink()
    clew.save("after")
    held = _holds(clew.store, secret[500:700])
    clew.ok("delete", leaked, "--purge")

    assert held
    assert not _holds(clew.store, secret[500:700])
    assert not _holds(clew.store, b"hunter2hunter2")
    assert clew.run("check", "--read-data").code == 0
    assert len(clew.ids()) == 2


def test_bytes_that_another_checkpoint_needs_survive_a_purge_and_that_is_said(clew: Clew) -> None:
    (clew.workspace / "key").write_bytes(random.Random(11).randbytes(3000))
    first = clew.save("first")
    second = clew.save("second")
    ran = clew.json("delete", first, "--purge")

    assert ran["remaining_references"]
    assert clew.ok("check", "--read-data")
    assert clew.ids() == [second]


def test_the_preview_names_processes_that_hold_what_would_change(clew: Clew) -> None:
    (clew.workspace / "file").write_text("saved")
    saved = clew.save("saved")
    (clew.workspace / "file").write_text("in use")
    with Child() as child:
        child.do(f"held = open({str(clew.workspace / 'file')!r})")
        plan = clew.json("restore", saved, "--dry-run")["preview"]

    assert [(holder["pid"], holder["path"]) for holder in plan["processes"]] == [
        (child.process.pid, "file")
    ]
    assert [item["path"] for item in plan["replaced"]] == ["file"]


def _pack_bytes(store: Path) -> int:
    return sum(pack.stat().st_size for pack in (store / "packs").rglob("*.pack"))


def _holds(store: Path, secret: bytes) -> bool:
    return any(secret in path.read_bytes() for path in store.rglob("*") if path.is_file())
