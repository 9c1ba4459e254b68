"""Workspaces at the edges: empty, huge, deep, oddly named; and labels that are hostile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import errors, opening
from tests.kit import everything, wreck
from tests.kit.running import Clew
from tests.kit.walker import differences, look

WIDE = 100_000


def test_an_empty_workspace_is_saved_and_restored(clew: Clew) -> None:
    saved = clew.save("nothing")
    (clew.workspace / "something").write_text("x")
    clew.restore(saved)
    result = clew.json("show", saved)["checkpoint"]

    assert list(clew.workspace.iterdir()) == []
    assert result["coverage"]["entry_count"] == 0


@pytest.mark.slow
def test_a_hundred_thousand_files_in_one_directory(scratch: Path) -> None:
    wide = scratch / "project" / "wide"
    wide.mkdir(parents=True)
    for number in range(WIDE):
        os.close(os.open(wide / f"file {number:06}", os.O_CREAT, 0o600))
    clew = Clew(scratch / "project", scratch / "store")
    first = clew.save("wide")
    (wide / "file 050000").write_text("one change")
    second = clew.json("save", "one change")
    changes = clew.json("diff", first, second["checkpoint"]["id"])["changes"]
    (wide / "file 000007").unlink()
    clew.restore(first)

    assert second["new_bytes"] < 100_000
    assert [(change["kind"], change["path"]) for change in changes] == [
        ("modified", "wide/file 050000")
    ]
    assert len(os.listdir(wide)) == WIDE
    assert (wide / "file 050000").stat().st_size == 0


def test_deep_paths_work_in_every_command(on_ext4: Path) -> None:
    clew = Clew(on_ext4 / "project", on_ext4 / "store")
    clew.workspace.mkdir()
    everything.build_deep(clew.workspace)
    before = look(clew.workspace)
    saved = clew.save("deep")
    deepest = max(before.facts, key=len).decode()
    listed = clew.run("ls", saved, "deep")
    read = clew.run("cat", saved, deepest.rpartition("/")[0] + "/file")
    wreck.empty(clew.workspace)
    status = clew.json("status")
    clew.ok("diff", "--name-status")
    clew.restore(saved)

    assert listed.code == 0
    assert read.out == "at level 29\n"
    assert status["changes"]
    assert differences(before, look(clew.workspace)) == []


def test_odd_names_are_never_shown_raw(clew: Clew) -> None:
    for name in (b"\x1b[31mred\x07", b"line\nbreak", b"\xff\xfe", "\u202egnp.exe".encode()):
        (clew.workspace / os.fsdecode(name)).write_text("x")
    saved = clew.save("odd names")
    shown = "".join(
        clew.ok(*arguments).out
        for arguments in (["ls", saved], ["diff", saved, "--name-status"], ["status"], ["log"])
    )
    for path in clew.workspace.iterdir():
        path.unlink()
    shown += clew.ok("status").out + clew.ok("diff", "--stat").out + clew.ok("diff", "--patch").out
    shown += clew.run("restore", saved, "--dry-run").out

    assert not set(shown) & set("\x1b\x07\u202e")
    assert "red" in shown
    assert "break" in shown


def test_names_that_are_not_utf_8_are_exact_in_json(clew: Clew) -> None:
    (clew.workspace / os.fsdecode(b"\xff\xfe")).write_text("x")
    saved = clew.save("odd name")
    (clew.workspace / os.fsdecode(b"\xff\xfe")).unlink()
    change = clew.json("diff", saved)["changes"][0]

    assert change["path_b64"] == "//4="
    assert clew.ok("cat", saved, os.fsdecode(b"\xff\xfe")).out == "x"


def test_an_intent_of_ten_megabytes_is_cut_or_refused(clew: Clew) -> None:
    with opening.open(clew.workspace, store=str(clew.store), create=True) as history:
        try:
            result = history.save("x" * 10_000_000)
        except errors.UsageError:
            assert history.log().checkpoints == ()
        else:
            assert len(result.checkpoint.labels.intent) < 100_000
            assert result.notices
        shown = clew.run("log")

    assert shown.code == 0
    assert len(shown.out) < 100_000


def test_huge_and_odd_labels_do_no_harm(clew: Clew) -> None:
    odd = "a|b\nc\x1b]0;title\x07\x00\udcff\u202e"
    with opening.open(clew.workspace, store=str(clew.store), create=True) as history:
        history.save(odd, description=odd * 1000, meta={"key|odd": odd})
        found = history.log().checkpoints
    shown = clew.ok("log").out + clew.ok("show", "@").out

    assert len(found) == 1
    assert found[0].labels.intent.startswith("a|b\nc\x1b")
    assert not set(shown) & set("\x1b\x07\u202e")


def test_a_workspace_that_is_a_file_is_refused(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("x")
    ran = clew.run("init", str(tmp_path / "a file"))

    assert ran.code in (1, 2)
    assert "Traceback" not in ran.err


def test_a_workspace_that_does_not_exist_is_refused(clew: Clew, tmp_path: Path) -> None:
    ran = clew.run("-C", str(tmp_path / "nowhere"), "save", "x")

    assert ran.code in (1, 2)
    assert not (tmp_path / "nowhere").exists()


def test_the_root_of_the_machine_is_not_taken_by_accident(tmp_path: Path) -> None:
    clew = Clew(tmp_path, tmp_path / "store")
    code, error = clew.error("save", "x", cwd=Path("/"))

    assert (code, error["kind"]) == (2, "explicit-path-required")
