from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.files.source_files import SourceFiles
from clew.detectors.repositories.git import Git
from clew.model.fact import Fact
from clew.story.words import phrase
from tests.detectors.real_git import Repo
from tests.kit.moments import Moment, evidence, facts, file, findings, story
from tests.kit.tools import require

LINES = "".join(f"line {number} of the text\n" for number in range(40))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q")
    for number in range(20):
        made.write(f"src/f{number}.py", f"# {number}\n{LINES}")
    made.write("odd.zzz", "text\n")
    made.write("picture.zzy", "a\0b\n")
    made.write("data.csv", "1,2\n")
    made.write(".gitignore", "*.gen.py\nlocal/\n")
    made.commit("README.md")
    return made


def _during(repo: Repo, act: Callable[[], object]) -> Evidence:
    before = repo.moment()
    act()
    return evidence(before, repo.moment())


def _facts(found: Evidence) -> list[Fact]:
    return [fact for finding in findings(SourceFiles(), found) for fact in finding.facts]


def _said(found: Evidence) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [
        (fact.kind[5:], fact.after, _without_place(fact))
        for fact in _facts(found)
        if fact.kind != "code.symbols"
    ]


def _without_place(fact: Fact) -> tuple[str, ...]:
    return tuple(mark for mark in fact.marks if not mark.startswith(("in ", "from ")))


def _claimed(found: Evidence) -> set[str]:
    return {path for finding in findings(SourceFiles(), found) for path in finding.claims}


def test_edits_are_counted_as_git_counts_them(repo: Repo) -> None:
    def edit() -> None:
        for number in range(14):
            lines = LINES.splitlines(keepends=True)
            lines[number : number + 2] = ["new\n"] * (number % 4)
            repo.write(f"src/f{number}.py", f"# {number}\n{''.join(lines)}")
        repo.write("src/f15.py", LINES + "no end")
        (repo.path / "src/f16.py").chmod(0o755)

    found = _during(repo, edit)

    stat = repo.git("diff", "--shortstat")
    files, added, removed = (int(number) for number in re.findall(r"\d+", stat))
    assert _said(found) == [
        (
            "edited",
            str(files),
            (f"+{added} −{removed} lines", "1 made executable", "16 uncommitted"),
        )
    ]
    assert _facts(found)[0].scope == "git:."
    assert len(_facts(found)[0].evidence) == 6


def test_files_that_moved_are_paired_as_git_pairs_them(repo: Repo) -> None:
    def move() -> None:
        (repo.path / "lib").mkdir()
        (repo.path / "src/f1.py").rename(repo.path / "lib/f1.py")
        (repo.path / "src/f2.py").rename(repo.path / "src/other.py")
        (repo.path / "src/f3.py").unlink()
        repo.write("lib/third.py", "# 3\n" + LINES.replace("line 7 ", "line seven "))
        (repo.path / "src/f4.py").unlink()
        repo.write("lib/fresh.py", "nothing\nin\ncommon\n" * 20)
        repo.git("add", "-A")

    found = _during(repo, move)

    summary = repo.git("diff", "--cached", "-M", "--name-status").split("\n")
    assert sorted(line[0] for line in summary) == ["A", "D", "R", "R", "R"]
    assert _said(found) == [
        ("added", "1", ("+60 lines", "1 uncommitted")),
        ("deleted", "1", ("−41 lines", "1 uncommitted")),
        ("renamed", "3", ("+1 −1 lines", "3 uncommitted")),
    ]
    assert _claimed(found) == {path for path in found.changes if ".git/" not in path} - {
        ".git", "", "lib", "src"
    }  # fmt: skip


def test_how_files_stand_with_git_is_said(repo: Repo) -> None:
    repo.write("seen.gen.py", "a = 1\n")

    def work() -> None:
        repo.write("src/f1.py", "committed\n")
        repo.write("odd.zzz", "committed\n")
        repo.git("commit", "-qam", "x")
        repo.write("src/f2.py", "staged\n")
        repo.git("add", "-A")
        repo.write("src/f3.py", "not staged\n")
        repo.write("new.py", "untracked\n")
        repo.write("seen.gen.py", "a = 2\n")

    found = _during(repo, work)

    edited, added = _said(found)
    assert edited[:2] == ("edited", "5")
    assert edited[2][1:] == ("2 committed", "2 uncommitted", "1 ignored")
    assert added == ("added", "1", ("+1 line", "1 untracked"))


def test_a_packed_history_and_a_worktree_are_read_the_same_way(repo: Repo) -> None:
    repo.git("gc", "-q", "--prune=now")
    repo.git("worktree", "add", "-q", "side")
    side = Repo(repo.root, "side")

    def work() -> None:
        side.write("src/f1.py", "committed\n")
        side.git("commit", "-qam", "x")
        side.write("src/f2.py", "edited\n")

    (fact,) = _facts(_during(repo, work))

    assert (fact.scope, fact.after) == ("git:side", "2")
    assert fact.marks[1:] == ("1 committed", "1 uncommitted", "in side/src")


def test_deleted_files_are_committed_when_head_does_not_have_them(repo: Repo) -> None:
    def delete() -> None:
        repo.git("rm", "-q", "src/f1.py")
        repo.git("commit", "-qm", "x")
        (repo.path / "src/f2.py").unlink()

    assert _said(_during(repo, delete)) == [
        ("deleted", "2", ("−82 lines", "1 committed", "1 uncommitted"))
    ]


def test_where_history_cannot_be_read_files_are_only_tracked(repo: Repo) -> None:
    repo.git("gc", "-q", "--prune=now")
    before = dict(repo.moment())
    (pack,) = [path for path in before if path.endswith(".pack")]
    before[pack] = file(b"", size=1 << 30)
    after = {**before, "src/f1.py": b"other\n"}

    assert facts(SourceFiles(), before, after)[0].marks[1:] == ("1 tracked", "in src")


def test_what_is_no_source_is_left_to_others(repo: Repo) -> None:
    def work() -> None:
        for path in (
            "data.csv", "book.ipynb", "run.log", "package-lock.json", "what.unknown",
            "node_modules/x/index.js", "dist/app.js", "local/made.py", "fresh.gen.py",
            "__pycache__/a.py",
        ):  # fmt: skip
            repo.write(path, "other\n")
        repo.write("picture.zzy", "a\0c\n")
        repo.write("binary.py", "a\0c\n")

    found = _during(repo, work)

    assert findings(SourceFiles(), found) == []


def test_nothing_inside_git_is_source_and_every_path_has_one_line(repo: Repo) -> None:
    before = repo.moment()
    repo.commit("src/f1.py", "other\n")
    repo.git("config", "alias.x", "status")

    result = story([Git()], before, repo.moment(), [SourceFiles()])

    assert [line.text for line in result.lines] == [
        "1 commit on main",
        "edited src/f1.py (+1 −41 lines, 1 committed)",
    ]


def test_outside_a_repository_files_are_told_by_top_directory() -> None:
    new: Moment = {"web/src/a.py": b"1\n", "web/b.ts": b"2\n", "notes.md": b"x\n", "x.bin": b"1"}

    result = facts(SourceFiles(), {}, new)

    assert [(fact.scope, fact.after, fact.marks) for fact in result] == [
        ("dir:.", "1", ("+1 line", "documents")),
        ("dir:web", "2", ("+2 lines",)),
    ]
    machine = facts(SourceFiles(), {}, {"home/al/x/a.py": b"1\n"}, machine=True)
    assert machine[0].scope == "dir:home/al"


def test_only_so_many_lines_are_counted() -> None:
    old: Moment = {f"s/{number}.py": b"1\n" for number in range(500)}
    new: Moment = dict.fromkeys(old, b"2\n")

    (fact,) = facts(SourceFiles(), old, new)

    assert fact.after == "500"
    assert fact.marks == ("+400 −400 lines", "lines not counted for 100 files")


def test_a_change_of_owner_or_rights_alone_is_called_that(repo: Repo) -> None:
    (fact,) = facts(SourceFiles(), {"a.py": file(b"1")}, {"a.py": file(b"1", uid=7)})
    assert fact.marks == ("owner only",)

    found = _during(repo, lambda: (repo.path / "src/f1.py").chmod(0o600))
    assert _said(found) == [("edited", "1", ("mode only",))]


def test_where_the_index_is_damaged_head_says_what_is_tracked(repo: Repo) -> None:
    before = dict(repo.moment())
    for content in (b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff" + bytes(100)):
        after = {**before, ".git/index": content, "src/f1.py": b"x\n"}
        (fact,) = facts(SourceFiles(), before, after)
        assert "1 uncommitted" in fact.marks


def test_an_edit_that_is_thrown_away_is_reverted_not_committed(repo: Repo) -> None:
    repo.write("src/f1.py", "work of a day\n")
    repo.write("src/f2.py", "more of it\n")

    found = _during(repo, lambda: repo.git("checkout", "-q", "."))
    assert _said(found) == [("edited", "2", ("+82 −2 lines", "2 reverted"))]

    repo.write("src/f1.py", "again\n")
    found = _during(repo, lambda: repo.git("stash", "-q"))
    assert _said(found) == [("edited", "1", ("+41 −1 lines", "1 reverted"))]


def test_other_line_endings_or_spaces_are_told_from_other_words(repo: Repo) -> None:
    def convert() -> None:
        for number in (1, 2):
            repo.write(f"src/f{number}.py", f"# {number}\n{LINES}".replace("\n", "\r\n"))

    assert _said(_during(repo, convert)) == [
        ("edited", "2", ("line endings only", "2 uncommitted"))
    ]

    found = _during(
        repo, lambda: repo.write("src/f3.py", f"# 3\n{LINES}".replace("line", "  line"))
    )
    assert _said(found)[0][2][1:] == ("whitespace only", "1 uncommitted")


def test_a_project_that_moved_with_its_repository_is_renamed(tmp_path: Path) -> None:
    require("git")
    root = tmp_path / "root"
    made = Repo(root, "old")
    made.git("init", "-q")
    made.commit("src/a.py", LINES)
    before = made.moment()
    (root / "old").rename(root / "new")

    result = findings(SourceFiles(), evidence(before, Repo(root).moment()))

    (fact,) = (fact for finding in result for fact in finding.facts)
    assert (fact.kind, fact.scope, fact.after) == ("code.renamed", "git:new", "1")
    assert fact.evidence == ("old/src/a.py", "new/src/a.py")
    assert set(result[0].claims) == {"old/src/a.py", "new/src/a.py"}


def test_files_that_are_not_read_stand_as_the_index_has_noted(
    repo: Repo,
) -> None:
    before = dict(repo.moment())
    repo.write("src/new.py", "new\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x")
    after = dict(repo.moment())
    times = (repo.path / "src/new.py").stat().st_mtime_ns
    thing = after["src/new.py"]
    assert not isinstance(thing, bytes)
    after["src/new.py"] = thing._replace(entry=thing.entry._replace(mtime_ns=times))

    (fact,) = facts(SourceFiles(max_read=0), before, after)

    assert fact.marks == ("1 committed", "lines not counted", "in src")


def test_of_very_many_files_whole_directories_are_left_to_the_roll_up() -> None:
    old: Moment = {"src/a.py": b"1\n"}
    new: Moment = {"src/a.py": b"2\n", **{f"lib/{number}.py": b"1\n" for number in range(5)}}

    result = story([], old, new, [SourceFiles(many=3)])

    assert result.headline == "edited src/a.py; lib/ new directory, 5 files"


def test_a_function_that_a_revert_took_away_is_named_with_it() -> None:
    facts = [
        Fact("code.edited", "git:.", ".", after="1", evidence=("src/a.py",), marks=("−2 lines", "1 reverted")),
        Fact("code.symbols", "git:.", "src/a.py", marks=("−added()",)),
    ]  # fmt: skip

    assert phrase("code", facts).short == "reverted src/a.py (−added())"
