"""What other tools did not capture, or brought back changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.everything import git, repository
from tests.kit.running import Clew
from tests.kit.walker import differences, look
from tests.kit.wreck import edit_unnoticed


def test_a_nested_repository_without_a_commit_is_captured(clew: Clew) -> None:
    # t3code #12181, cline #2868, Roo #8164: a nested repository stopped or emptied the capture
    repository(clew.workspace, {"main.py": "1\n"})
    repository(clew.workspace / "nested", {"new.txt": "unborn\n"}, message=None)
    before = look(clew.workspace)
    saved = clew.save("with a nested repository")
    (clew.workspace / "nested" / "new.txt").unlink()
    (clew.workspace / "nested" / ".git" / "HEAD").unlink()
    clew.restore(saved)

    assert differences(before, look(clew.workspace)) == []


def test_an_edit_of_the_same_size_with_its_mtime_put_back_is_seen(clew: Clew) -> None:
    # t3code #9661
    (clew.workspace / "file").write_text("aaaa")
    saved = clew.save("before")
    edit_unnoticed(clew.workspace / "file", new=b"b")
    seen = [change["path"] for change in clew.json("status")["changes"]]
    clew.restore(saved)

    assert seen == ["file"]
    assert (clew.workspace / "file").read_text() == "aaaa"


def test_newlines_in_paths_change_nothing(clew: Clew) -> None:
    # tldw_chatbook #1254
    odd = clew.workspace / "line\nbreak"
    odd.mkdir()
    (odd / "two\nlines").write_text("content")
    (clew.workspace / "line").write_text("another file")
    before = look(clew.workspace)
    saved = clew.save("odd names")
    (odd / "two\nlines").unlink()
    (clew.workspace / "line").write_text("changed")
    paths = {change["path"] for change in clew.json("status")["changes"]}
    clew.restore(saved)

    assert paths == {"line\nbreak/two\nlines", "line"}
    assert differences(before, look(clew.workspace)) == []


def test_ignored_files_and_secrets_are_captured(clew: Clew) -> None:
    # PraisonAI, Chimera and every shadow git: build/, .env, *.log, node_modules, venv
    names = ["build/out.o", ".env", "run.log", "node_modules/x/index.js", ".venv/bin/python",
             "dist/a.whl", "app.db", "__pycache__/a.pyc"]  # fmt: skip
    repository(clew.workspace, {".gitignore": "*\n"}, message=None)
    for name in names:
        (clew.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (clew.workspace / name).write_text(name)
    before = look(clew.workspace)
    saved = clew.save("all of it")
    for name in names:
        (clew.workspace / name).unlink()
    clew.restore(saved)

    assert differences(before, look(clew.workspace)) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("commit.gpgsign", "true"), ("core.autocrlf", "input"), ("core.excludesFile", "everything")],
)
def test_the_user_s_git_settings_change_nothing(clew: Clew, key: str, value: str) -> None:
    # PraisonAI: signing broke it, autocrlf turned CRLF into LF, excludesFile hid files
    home = clew.store.parent / "home"
    home.mkdir()
    (home / "everything").write_text("*\n")
    section, name = key.split(".")
    (home / ".gitconfig").write_text(f"[{section}]\n{name} = {value}\n")
    repository(clew.workspace, {"main.py": "1\n"})
    (clew.workspace / "windows.txt").write_bytes(b"one\r\ntwo\r\n")
    saved = clew.save()
    (clew.workspace / "windows.txt").unlink()
    clew.restore(saved)

    assert (clew.workspace / "windows.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_binary_empty_and_executable_files_are_what_they_were_after_an_undo(clew: Clew) -> None:
    # Chimera's ghost: text only, CRLF lost, an empty file taken for a missing one, mode lost
    (clew.workspace / "binary").write_bytes(bytes(range(256)))
    (clew.workspace / "crlf").write_bytes(b"a\r\nb\r\n")
    (clew.workspace / "empty").touch()
    (clew.workspace / "script").write_text("#!/bin/sh\n")
    (clew.workspace / "script").chmod(0o755)
    (clew.workspace / "private").write_text("x")
    (clew.workspace / "private").chmod(0o600)
    before = look(clew.workspace)
    clew.save("before")
    for path in clew.workspace.iterdir():
        path.write_text("changed")
        path.chmod(0o644)
    clew.ok("undo", "--yes")

    assert differences(before, look(clew.workspace)) == []


def test_symlinks_are_kept_as_symlinks(clew: Clew, tmp_path: Path) -> None:
    # Chimera followed them, stopped at a dangling one, and failed half way at a linked directory
    (tmp_path / "external").mkdir()
    (tmp_path / "external" / "file").write_text("outside")
    (clew.workspace / "dangling").symlink_to("nowhere")
    (clew.workspace / "directory").symlink_to(tmp_path / "external")
    before, outside = look(clew.workspace), look(tmp_path / "external")
    saved = clew.save("links")
    for path in clew.workspace.iterdir():
        path.unlink()
    clew.restore(saved)

    assert differences(before, look(clew.workspace)) == []
    assert differences(outside, look(tmp_path / "external")) == []


def test_hardlinks_and_empty_directories_come_back(clew: Clew) -> None:
    (clew.workspace / "empty").mkdir()
    (clew.workspace / "one").write_text("x")
    os.link(clew.workspace / "one", clew.workspace / "two")
    saved = clew.save("linked")
    (clew.workspace / "empty").rmdir()
    (clew.workspace / "two").unlink()
    (clew.workspace / "two").write_text("y")
    clew.restore(saved)

    assert (clew.workspace / "one").stat().st_ino == (clew.workspace / "two").stat().st_ino
    assert (clew.workspace / "empty").is_dir()


def test_a_file_added_after_the_checkpoint_goes_away(clew: Clew) -> None:
    # Chimera's git environment left it
    (clew.workspace / "file").write_text("x")
    saved = clew.save("before")
    (clew.workspace / "added").write_text("x")
    result = clew.restore(saved)

    assert not (clew.workspace / "added").exists()
    assert result["deleted_count"] == 1


def test_the_diff_tells_the_truth_about_each_kind_of_change(clew: Clew) -> None:
    # PraisonAI guessed: an append was "added", a removal "deleted", a new binary "modified"
    (clew.workspace / "grows").write_text("one\n")
    (clew.workspace / "shrinks").write_text("one\ntwo\n")
    (clew.workspace / "goes").write_text("x")
    (clew.workspace / "moves").write_text("a long enough content to be recognised\n" * 9)
    (clew.workspace / "turns").write_text("x")
    (clew.workspace / "opens").write_text("x")
    saved = clew.save("before")
    (clew.workspace / "grows").write_text("one\ntwo\n")
    (clew.workspace / "shrinks").write_text("one\n")
    (clew.workspace / "goes").unlink()
    (clew.workspace / "moves").rename(clew.workspace / "na\u00efve moved.txt")
    (clew.workspace / "turns").unlink()
    (clew.workspace / "turns").mkdir()
    (clew.workspace / "opens").chmod(0o755)
    (clew.workspace / "new empty").touch()
    (clew.workspace / "new binary").write_bytes(b"\0\1\2")
    found = {change["path"]: change["kind"] for change in clew.json("diff", saved)["changes"]}

    assert found == {
        "grows": "modified",
        "shrinks": "modified",
        "goes": "deleted",
        "na\u00efve moved.txt": "renamed",
        "turns": "type",
        "opens": "metadata",
        "new empty": "added",
        "new binary": "added",
    }


def test_a_change_made_by_any_program_is_captured(clew: Clew) -> None:
    # claude-code #94657: edits by Bash were not tracked at all
    repository(clew.workspace, {"main.py": "1\n"})
    saved = clew.save("before")
    git(clew.workspace, "mv", "main.py", "moved.py")
    changes = clew.json("diff", saved, "--", "main.py", "moved.py")["changes"]

    assert [(change["old_path"], change["path"]) for change in changes] == [("main.py", "moved.py")]
