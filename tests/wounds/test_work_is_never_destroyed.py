"""Restores that destroyed work elsewhere; each test is one such story with a good end."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kit.everything import git, repository
from tests.kit.removing import remove
from tests.kit.running import Clew
from tests.kit.walker import differences, look


def test_untracked_output_of_the_user_comes_back_when_a_restore_removed_it(clew: Clew) -> None:
    # copilot-cli #1675, gemini-cli #13331: `git clean` deleted what the agent had only read
    repository(clew.workspace, {"main.py": "1\n"})
    saved = clew.save("before")
    (clew.workspace / "results").mkdir()
    (clew.workspace / "results" / "evaluation.bin").write_bytes(random.Random(1).randbytes(90_000))
    before = look(clew.workspace)
    clew.restore(saved)
    clew.ok("undo", "--yes")

    assert differences(before, look(clew.workspace)) == []


def test_a_large_file_is_neither_skipped_nor_deleted(clew: Clew) -> None:
    # hermes #95491, PraisonAI's 2 MB and otter's 25 MiB: "not captured" was read as "not there"
    path = clew.workspace / "model.bin"
    path.write_bytes(random.Random(1).randbytes(1 << 20))
    small = clew.save("1 MB")
    path.write_bytes(random.Random(2).randbytes(30 << 20))
    large, content = clew.save("30 MB"), path.read_bytes()
    clew.restore(small)
    small_size = path.stat().st_size
    clew.restore(large)

    assert small_size == 1 << 20
    assert path.read_bytes() == content


def test_a_tracked_file_that_is_ignored_is_not_deleted(clew: Clew) -> None:
    # agent-orchestrator #2451
    repository(clew.workspace, {"config.local": "tracked\n"})
    (clew.workspace / ".gitignore").write_text("*.local\n")
    (clew.workspace / "other.local").write_text("ignored\n")
    saved = clew.save("both")
    (clew.workspace / "config.local").write_text("edited\n")
    (clew.workspace / "other.local").unlink()
    clew.restore(saved)

    assert (clew.workspace / "config.local").read_text() == "tracked\n"
    assert (clew.workspace / "other.local").read_text() == "ignored\n"


def test_putting_gitignore_back_does_not_clean_what_it_protected(clew: Clew) -> None:
    # cline #14367
    repository(clew.workspace, {"main.py": "1\n", ".gitignore": "\n"})
    (clew.workspace / "main.py").write_text("2\n")
    saved = clew.save("before")
    (clew.workspace / ".gitignore").write_text("secrets/\n")
    (clew.workspace / "secrets").mkdir()
    (clew.workspace / "secrets" / "key").write_text("only copy\n")
    result = clew.restore(saved)
    rescued = clew.ok("cat", result["rescue"], "secrets/key").out
    clew.ok("undo", "--yes")

    assert rescued == "only copy\n"
    assert (clew.workspace / "secrets" / "key").read_text() == "only copy\n"


def test_a_session_started_in_a_subdirectory_leaves_its_siblings_alone(clew: Clew) -> None:
    # opencode #7775, entire #661: a session below the root overwrote siblings with old files
    for name in ("app", "library"):
        (clew.workspace / name).mkdir()
        (clew.workspace / name / "file").write_text("old\n")
    saved = clew.save("at the root")
    (clew.workspace / "app" / "file").write_text("new\n")
    (clew.workspace / "library" / "file").write_text("new\n")
    inside = clew.json("save", "from below", cwd=clew.workspace / "app")
    clew.ok("restore", saved, "file", "--yes", cwd=clew.workspace / "app")

    assert inside["is_new_workspace"] is False
    assert (clew.workspace / "app" / "file").read_text() == "old\n"
    assert (clew.workspace / "library" / "file").read_text() == "new\n"


def test_undoing_a_turn_that_changed_nothing_changes_nothing(clew: Clew) -> None:
    # opencode #32529
    (clew.workspace / "file").write_text("one")
    clew.save("one")
    (clew.workspace / "file").write_text("two")
    clew.save("two")
    clew.save("a turn without a change")
    before = look(clew.workspace)
    clew.ok("undo", "--yes")

    assert differences(before, look(clew.workspace)) == []


def test_a_commit_made_after_the_checkpoint_is_not_lost(clew: Clew) -> None:
    # cline #13550: `git reset --hard` moved the branch and dropped later commits
    repository(clew.workspace, {"main.py": "1\n"})
    saved = clew.save("before the commit")
    (clew.workspace / "main.py").write_text("2\n")
    git(clew.workspace, "commit", "-q", "-a", "-m", "later work")
    later = git(clew.workspace, "rev-parse", "HEAD")
    clew.restore(saved)
    status = git(clew.workspace, "--no-optional-locks", "status", "--porcelain")
    clew.ok("undo", "--yes")

    assert status == ""
    assert git(clew.workspace, "rev-parse", "HEAD") == later
    assert git(clew.workspace, "status", "--porcelain") == ""
    assert git(clew.workspace, "fsck") == ""


def test_staged_changes_survive_a_save_and_come_back(clew: Clew) -> None:
    # codex #8214, gitbutler #13058
    repository(clew.workspace, {"main.py": "1\n"})
    (clew.workspace / "main.py").write_text("2\n")
    git(clew.workspace, "add", "main.py")
    staged = git(clew.workspace, "diff", "--cached")
    saved = clew.save("staged")
    untouched = git(clew.workspace, "diff", "--cached")
    git(clew.workspace, "reset", "-q", "--hard")
    clew.restore(saved)

    assert untouched == staged
    assert git(clew.workspace, "diff", "--cached") == staged


def test_a_file_that_became_a_full_directory_comes_back_and_so_does_the_directory(
    clew: Clew,
) -> None:
    # ADE #724: the directory was deleted recursively, without a copy
    (clew.workspace / "thing").write_text("a file\n")
    saved = clew.save("a file")
    (clew.workspace / "thing").unlink()
    (clew.workspace / "thing" / "deep").mkdir(parents=True)
    (clew.workspace / "thing" / "deep" / "work").write_text("precious\n")
    clew.restore(saved)
    was_file = (clew.workspace / "thing").read_text()
    clew.ok("undo", "--yes")

    assert was_file == "a file\n"
    assert (clew.workspace / "thing" / "deep" / "work").read_text() == "precious\n"


def test_rename_chains_and_case_only_renames_come_back(clew: Clew) -> None:
    # vscode PR #328643
    for name in ("a", "b", "c", "Readme"):
        (clew.workspace / name).write_text(f"{name}\n")
    before = look(clew.workspace)
    saved = clew.save("before")
    (clew.workspace / "c").rename(clew.workspace / "d")
    (clew.workspace / "b").rename(clew.workspace / "c")
    (clew.workspace / "a").rename(clew.workspace / "b")
    (clew.workspace / "Readme").rename(clew.workspace / "README")
    renamed = {
        (change["old_path"], change["path"])
        for change in clew.json("diff", saved)["changes"]
        if change["kind"] == "renamed"
    }
    clew.restore(saved)

    assert ("Readme", "README") in renamed
    assert differences(before, look(clew.workspace)) == []


def test_a_restore_to_an_unknown_id_changes_nothing_and_leaves_no_rescue(clew: Clew) -> None:
    # PraisonAI 1.7.0 cleaned first and failed then; 1.7.17 left an auto-save behind; Chimera too
    (clew.workspace / "file").write_text("saved")
    clew.save("saved")
    (clew.workspace / "untracked").write_text("precious")
    before = look(clew.workspace)
    ran = clew.run("restore", "f" * 64, "--yes")

    assert ran.code == 2
    assert differences(before, look(clew.workspace)) == []
    assert len(clew.ids()) == 1


def test_what_is_excluded_below_the_top_survives_a_restore(tmp_path: Path) -> None:
    # Chimera deleted excluded directories that were nested below the top level
    clew = Clew(tmp_path / "project", tmp_path / "store")
    (clew.workspace / "site").mkdir(parents=True)
    clew.ok("init", str(clew.workspace), "--exclude", "node_modules")
    (clew.workspace / "site" / "index.html").write_text("old")
    saved = clew.save("without modules")
    (clew.workspace / "site" / "node_modules").mkdir()
    (clew.workspace / "site" / "node_modules" / "x.js").write_text("kept")
    (clew.workspace / "site" / "index.html").write_text("new")
    clew.restore(saved)

    assert (clew.workspace / "site" / "node_modules" / "x.js").read_text() == "kept"
    assert (clew.workspace / "site" / "index.html").read_text() == "old"


def test_a_directory_above_what_is_excluded_survives_a_restore(tmp_path: Path) -> None:
    clew = Clew(tmp_path / "project", tmp_path / "store")
    clew.workspace.mkdir()
    clew.ok("init", str(clew.workspace), "--exclude", "node_modules")
    saved = clew.save("empty")
    (clew.workspace / "site" / "node_modules").mkdir(parents=True)
    (clew.workspace / "site" / "node_modules" / "x.js").write_text("kept")
    (clew.workspace / "site" / "made since").write_text("goes")
    clew.restore(saved)

    assert (clew.workspace / "site" / "node_modules" / "x.js").read_text() == "kept"
    assert not (clew.workspace / "site" / "made since").exists()


def test_removing_git_and_all_of_it_can_be_undone(clew: Clew) -> None:
    # PraisonAI borrowed objects from the project's repository: `rm -rf .git` killed its history
    repository(clew.workspace, {"main.py": "1\n"})
    before = look(clew.workspace)
    saved = clew.save("before")
    remove(clew.workspace / ".git")
    clew.save("without git")
    clew.restore(saved)

    assert differences(before, look(clew.workspace)) == []
    assert git(clew.workspace, "fsck") == ""


def test_the_user_s_repository_is_only_read(clew: Clew) -> None:
    # Chimera committed into it, codex left refs in it, cline renamed `.git`
    repository(clew.workspace, {"main.py": "1\n"})
    (clew.workspace / "main.py").write_text("2\n")
    before = look(clew.workspace / ".git")
    clew.save()
    clew.ok("status")
    clew.ok("diff")

    assert differences(before, look(clew.workspace / ".git")) == []


def test_a_home_directory_is_not_taken_by_accident(tmp_path: Path) -> None:
    clew = Clew(tmp_path / "home", tmp_path / "store")
    clew.workspace.mkdir()
    (clew.workspace / "file").write_text("x")
    by_accident = clew.error("save", "from home")
    named = clew.run("init", str(clew.workspace))

    assert by_accident[0] == 2
    assert by_accident[1]["kind"] == "explicit-path-required"
    assert named.code == 0


def test_a_project_inside_a_known_one_does_not_restore_the_outer_one(clew: Clew) -> None:
    inner = clew.workspace / "inner"
    inner.mkdir()
    (clew.workspace / "outer file").write_text("old")
    (inner / "file").write_text("old")
    clew.save("outer")
    clew.ok("init", str(inner))
    saved = clew.save("inner", cwd=inner)
    (clew.workspace / "outer file").write_text("new")
    (inner / "file").write_text("new")
    clew.ok("restore", saved, "--yes", cwd=inner)

    assert (inner / "file").read_text() == "old"
    assert (clew.workspace / "outer file").read_text() == "new"
