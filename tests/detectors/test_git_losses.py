"""Work that git lost, replaced or left unfinished, and what keeps it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.registry import DETECTORS, SORTERS
from clew.detectors.repositories.discarded import Discarded
from clew.detectors.repositories.git import Git
from clew.model.fact import Fact
from clew.story.analyse import analyse, ask
from clew.story.words import phrase
from tests.detectors.real_git import CANARY, Repo
from tests.kit.moments import evidence, file, findings
from tests.kit.tools import require

WORK = "".join(f"work_{number} = {number}\n" for number in range(30))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q")
    for name in "abcd":
        made.write(f"src/{name}.py", f"{name} = 1\n")
    made.commit("README.md")
    return made


def _during(repo: Repo, act: Callable[[], object]) -> Evidence:
    before = repo.moment()
    act()
    return evidence(before, repo.moment())


def _facts(found: Evidence, detector: object = None) -> list[Fact]:
    result = [
        fact
        for finding in findings(detector or Git(), found)  # type: ignore[arg-type]
        for fact in finding.facts
    ]
    assert CANARY not in repr(result)
    return result


def _one(found: Evidence, kind: str) -> tuple[str, str, tuple[str, ...]]:
    (fact,) = [fact for fact in _facts(found) if fact.kind == kind]
    return fact.subject, fact.severity, fact.marks


def _edit(repo: Repo, *names: str, text: str = WORK) -> None:
    for name in names:
        repo.write(f"src/{name}.py", f"{name} = 1\n{text}")


def _edit_and_commit(repo: Repo) -> None:
    _edit(repo, "a", "b", "c", text=WORK + "x = 1\n")
    repo.git("commit", "-qam", "x")


def test_a_stash_that_is_dropped_loses_its_changes(repo: Repo) -> None:
    _edit(repo, "a", "b")
    repo.git("stash")

    assert _one(_during(repo, lambda: repo.git("stash", "drop")), "git.stash") == (
        "stash", "high", ("1 entry dropped", "changes to src/a.py and 1 more are lost"),
    )  # fmt: skip


def test_a_stash_that_is_replaced_is_not_a_number_that_stays_the_same(repo: Repo) -> None:
    _edit(repo, "a")
    repo.git("stash")

    def act() -> None:
        repo.git("stash", "drop")
        _edit(repo, "c")
        repo.git("stash")

    found = _during(repo, act)

    assert _one(found, "git.stash")[1] == "high"
    words = phrase("git", _facts(found))
    assert words.short == "stash: 1 entry dropped, 1 entry added"
    assert "changes to src/a.py are lost" in words.text


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_stash_that_is_popped_is_applied_also_if_the_file_was_edited_since(
    repo: Repo, is_edited: bool
) -> None:
    _edit(repo, "a")
    repo.git("stash")

    def act() -> None:
        repo.git("stash", "pop")
        if is_edited:
            _edit(repo, "a", text=WORK + "more = 1\n")

    assert _one(_during(repo, act), "git.stash") == ("stash", "none", ("1 entry applied",))


def test_a_stash_that_is_taken_off_and_put_back_is_not_lost(repo: Repo) -> None:
    _edit(repo, "a")
    repo.git("stash")

    found = _during(repo, lambda: [repo.git("stash", "pop"), repo.git("stash", "-m", "other")])

    assert _one(found, "git.stash")[1] == "none"


def test_untracked_files_of_a_dropped_stash_are_lost(repo: Repo) -> None:
    repo.write("notes.txt", "an hour\n")
    repo.git("stash", "-u")

    assert _one(_during(repo, lambda: repo.git("stash", "drop")), "git.stash") == (
        "stash", "high", ("1 entry dropped", "changes to notes.txt are lost"),
    )  # fmt: skip


def test_a_stash_that_did_not_change_says_nothing(repo: Repo) -> None:
    _edit(repo, "a")
    repo.git("stash")

    found = _during(repo, lambda: [repo.git("stash", "apply"), repo.git("checkout", ".")])

    assert _facts(found) == []


def test_a_branch_that_was_squashed_into_another_is_no_warning(repo: Repo) -> None:
    repo.git("checkout", "-qb", "gifts")
    _edit(repo, "a")
    repo.commit("gift.py", WORK)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "gifts")
    repo.git("commit", "-qm", "gifts")
    repo.write("src/a.py", f"# first\na = 1\n{WORK}")
    repo.git("commit", "-qam", "more")

    assert _one(_during(repo, lambda: repo.git("branch", "-D", "gifts")), "git.branch") == (
        "gifts", "note", ("deleted", "not merged", "work kept in the files"),
    )  # fmt: skip


def test_a_commit_without_a_branch_that_is_left_is_a_warning(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    _edit(repo, "a")
    lost = repo.commit("b.py")

    found = _during(repo, lambda: repo.git("checkout", "-q", "main"))

    assert _one(found, "git.reset") == ("HEAD", "high", ("1 commit left on no branch",))
    text = phrase("git", [fact for fact in _facts(found) if fact.kind == "git.reset"]).short
    assert text == f"detached HEAD: 1 commit left on no branch ({lost[:8]})"


def test_a_commit_made_and_left_in_one_interval_is_a_warning_too(repo: Repo) -> None:
    def act() -> None:
        repo.git("checkout", "-q", "--detach")
        repo.commit("b.py", WORK)
        repo.git("checkout", "-q", "main")

    assert _one(_during(repo, act), "git.reset")[1] == "high"


def test_a_commit_that_got_a_branch_or_was_picked_is_not_left(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    lost = repo.commit("b.py", WORK)

    def branch() -> None:
        repo.git("branch", "kept")
        repo.git("checkout", "-q", "main")

    assert [fact.kind for fact in _facts(_during(repo, branch))] == ["git.branch", "git.branch"]
    repo.git("branch", "-D", "kept")
    repo.git("checkout", "-q", lost)

    def pick() -> None:
        repo.git("checkout", "-q", "main")
        repo.git("cherry-pick", lost)

    left = [fact for fact in _facts(_during(repo, pick)) if fact.kind == "git.reset"]
    assert [fact.severity for fact in left] in ([], ["note"])


def test_a_commit_of_somebody_else_that_was_looked_at_is_not_left(
    repo: Repo, tmp_path: Path
) -> None:
    clone = Repo(tmp_path / "clones")
    clone.git("clone", "-q", str(repo.path), "c")
    inside = Repo(clone.root, "c")
    repo.git("checkout", "-qb", "request")
    repo.commit("theirs.py", WORK)
    inside.git("fetch", "-q", str(repo.path), "request")
    inside.git("checkout", "-q", "FETCH_HEAD")

    found = _during(inside, lambda: inside.git("checkout", "-q", "main"))

    assert [fact.kind for fact in _facts(found)] == ["git.branch"]


def test_looking_at_an_old_commit_and_coming_back_loses_nothing(repo: Repo) -> None:
    repo.commit("b.py")
    repo.git("checkout", "-q", "HEAD~1")

    assert [fact.kind for fact in _facts(_during(repo, lambda: repo.git("checkout", "-q", "main")))] == [
        "git.branch"
    ]  # fmt: skip


def test_a_rewritten_branch_says_what_was_dropped_and_what_took_its_place(repo: Repo) -> None:
    for name in ("x.py", "y.py", "z.py"):
        repo.commit(name, WORK)

    def act() -> None:
        repo.git("reset", "-q", "--hard", "HEAD~3")
        repo.commit("n.py")
        repo.commit("o.py")

    found = _during(repo, act)

    assert _one(found, "git.reset") == ("main", "high", ("3 commits dropped", "2 new"))
    resets = [fact for fact in _facts(found) if fact.kind == "git.reset"]
    assert phrase("git", resets).short == "main rewritten (3 commits dropped, 2 new)"


def test_a_branch_and_its_copy_on_a_remote_are_told_together() -> None:
    local = Fact("git.reset", "git:.", "main", "aaaaaaaa", "bbbbbbbb", severity="high",
                 marks=("3 commits dropped", "2 new"))  # fmt: skip
    remote = local._replace(
        subject="origin/main", after="cccccccc",
        marks=("forced update", "3 commits dropped", "2 new"),
    )  # fmt: skip

    assert phrase("git", [local, remote]).short == (
        "main and origin/main rewritten (3 commits dropped, 2 new, by force)"
    )


def test_work_that_was_reset_and_committed_again_in_other_words_is_kept(repo: Repo) -> None:
    repo.commit("x.py", WORK)

    def act() -> None:
        repo.git("reset", "-q", "--soft", "HEAD~1")
        repo.commit("x.py", WORK + "and_more = 1\n")

    assert _one(_during(repo, act), "git.reset") == (
        "main", "note", ("1 commit dropped", "1 new", "work kept in the files"),
    )  # fmt: skip


def test_a_merge_names_its_branches(repo: Repo) -> None:
    for name in "abc":
        repo.git("checkout", "-qb", f"topic-{name}", "main")
        repo.commit(f"{name}.txt")
    repo.git("checkout", "-q", "main")
    repo.commit("m.txt")

    found = _during(repo, lambda: repo.git("merge", "-q", "topic-a", "topic-b", "topic-c"))

    assert _one(found, "git.commit")[2] == ("1 commit", "merge of topic-a, topic-b, topic-c")
    assert phrase("git", _facts(found)).short == "merged topic-a, topic-b and topic-c into main"


def test_conflicts_of_a_stash_are_unfinished_without_an_operation(repo: Repo) -> None:
    repo.write("src/a.py", "a = 2\n")
    repo.git("stash")
    repo.write("src/a.py", "a = 3\n")
    repo.git("commit", "-qam", "three")

    found = _during(repo, lambda: repo.git("stash", "pop", check=False))
    assert _one(found, "broken.operation") == (
        "conflict",
        "high",
        ("on main", "conflicts in 1 file"),
    )

    repo.write("src/a.py", "a = 4\n")
    found = _during(repo, lambda: repo.git("add", "-A"))
    assert _one(found, "git.branch")[2] == ("conflicts resolved",)


def test_a_merge_without_conflicts_that_waits_for_its_commit_is_a_note(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.commit("t.py")
    repo.git("checkout", "-q", "main")
    repo.commit("m.py")

    found = _during(repo, lambda: repo.git("merge", "--no-commit", "--no-ff", "topic"))

    assert _one(found, "broken.operation") == ("merge", "note", ("on main",))


def test_an_operation_that_goes_on_is_told_when_its_conflicts_change(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    _edit(repo, "a", "b", text="t = 1\n")
    repo.git("commit", "-qam", "t")
    repo.git("checkout", "-q", "main")
    _edit(repo, "a", "b", text="m = 1\n")
    repo.git("commit", "-qam", "m")
    repo.git("merge", "topic", check=False)

    found = _during(repo, lambda: repo.write("src/c.py", "c = 9\n"))
    assert _facts(found) == []

    _edit(repo, "a", text="both = 1\n")
    found = _during(repo, lambda: repo.git("add", "src/a.py"))
    assert _one(found, "broken.operation") == (
        "merge", "note", ("still under way", "on main", "conflicts in 1 file"),
    )  # fmt: skip


def test_a_patch_series_that_stopped_is_unfinished(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    _edit(repo, "a", text="t = 1\n")
    repo.git("commit", "-qam", "t")
    patch = repo.git("format-patch", "-1", "--stdout") + "\n"
    repo.git("checkout", "-q", "main")
    _edit(repo, "a", text="m = 1\n")
    repo.git("commit", "-qam", "m")
    (repo.root.parent / "p.patch").write_text(patch)

    found = _during(
        repo, lambda: repo.git("am", "-q", str(repo.root.parent / "p.patch"), check=False)
    )

    assert _one(found, "broken.operation") == ("git am", "high", ("on main",))


def test_a_rebase_that_stopped_without_a_conflict_is_a_warning(repo: Repo) -> None:
    repo.commit("more.py")
    edit = ("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-qi", "HEAD~1")

    found = _during(repo, lambda: repo.git(*edit, check=False))

    assert _one(found, "broken.operation") == ("rebase", "high", ("of main",))


def test_a_merge_that_waits_for_its_commit_is_no_warning(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.commit("more.py")
    repo.git("checkout", "-q", "main")

    found = _during(repo, lambda: repo.git("merge", "-q", "--no-ff", "--no-commit", "topic"))

    assert _one(found, "broken.operation")[:2] == ("merge", "note")


@pytest.mark.parametrize(("minutes", "is_left"), [(1, False), (20, True), (10**6, False)])
def test_a_lock_is_a_warning_once_work_went_on_without_git(
    repo: Repo, minutes: int, is_left: bool
) -> None:
    before = repo.moment()
    work = file(b"n = 1\n")
    work = work._replace(entry=work.entry._replace(mtime_ns=minutes * 60 * 10**9))
    found = _facts(evidence(before, {**before, ".git/index.lock": file(), "new.py": work}))

    assert [fact.severity for fact in found] == ["high" if is_left else "note"]
    if is_left:
        assert phrase("broken", found).short == "index.lock left in .git"
        assert "git was interrupted" in phrase("broken", found).text


def test_a_lock_that_git_left_is_told_once(repo: Repo) -> None:
    found = _during(repo, lambda: repo.write(".git/index.lock", ""))
    assert _one(found, "git.branch") == ("main", "note", ("index.lock left",))
    assert phrase("git", _facts(found)).short.startswith("index.lock left in .git")

    found = _during(repo, lambda: repo.write(".git/x", "1"))
    assert _facts(found) == []


@pytest.mark.parametrize(
    "words",
    [
        ("reset", "-q", "--hard"),
        ("checkout", "-q", "--", "."),
        ("restore", "."),
        ("checkout", "-q", "-f", "HEAD"),
    ],
)
def test_uncommitted_work_that_git_takes_back_is_a_warning(
    repo: Repo, words: tuple[str, ...]
) -> None:
    _edit(repo, "a", "b", "c")

    (fact,) = _facts(_during(repo, lambda: repo.git(*words)), Discarded())

    assert (fact.kind, fact.subject, fact.before, fact.severity) == (
        "git.discarded", "src", "3", "high",
    )  # fmt: skip
    assert fact.marks == ("−90 lines",)
    assert phrase("git", [fact]).short == "uncommitted changes to 3 files in src discarded"


def test_staged_work_that_a_reset_takes_back_is_a_warning(repo: Repo) -> None:
    repo.write("new.py", WORK)
    _edit(repo, "a")
    repo.git("add", "-A")

    (fact,) = _facts(_during(repo, lambda: repo.git("reset", "-q", "--hard")), Discarded())

    assert fact.evidence == ("new.py", "src/a.py")


def test_work_that_is_discarded_with_another_branch_is_a_warning(repo: Repo) -> None:
    repo.git("branch", "other")
    repo.commit("more.py")
    _edit(repo, "a", "b", "c")

    found = _during(repo, lambda: repo.git("switch", "-q", "--discard-changes", "other"))

    assert [fact.before for fact in _facts(found, Discarded())] == ["3"]


@pytest.mark.parametrize(
    "act",
    [
        lambda repo: repo.git("stash"),
        lambda repo: [
            repo.git("checkout", "-qb", "wip"),
            repo.git("commit", "-qam", "wip"),
            repo.git("checkout", "-q", "main"),
        ],
        lambda repo: repo.git("commit", "-qam", "done"),
        lambda repo: _edit_and_commit(repo),
        lambda repo: _edit(repo, "a", "b", "c", text="rewritten = 1\n" * 9),
    ],
)
def test_work_that_is_kept_somewhere_was_not_discarded(
    repo: Repo, act: Callable[[Repo], object]
) -> None:
    _edit(repo, "a", "b", "c")

    assert _facts(_during(repo, lambda: act(repo)), Discarded()) == []


def test_a_small_experiment_that_is_undone_is_no_warning(repo: Repo) -> None:
    _edit(repo, "a", text="debug = 1\n")

    assert _facts(_during(repo, lambda: repo.git("checkout", "-q", ".")), Discarded()) == []


def test_a_lock_file_that_is_restored_is_no_lost_work(repo: Repo) -> None:
    repo.commit("package-lock.json", "{}\n")
    repo.write("package-lock.json", WORK)

    assert _facts(_during(repo, lambda: repo.git("checkout", "-q", ".")), Discarded()) == []


def test_a_tag_that_alone_kept_commits_is_a_warning_when_it_goes(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    repo.commit("x.py", WORK)
    repo.git("tag", "v1")
    repo.git("checkout", "-q", "main")

    found = _during(repo, lambda: repo.git("tag", "-d", "v1"))

    assert _one(found, "git.branch") == ("v1", "high", ("tag", "deleted", "1 commit on no branch"))
    repo.git("tag", "v2")
    assert _one(_during(repo, lambda: repo.git("tag", "-d", "v2")), "git.branch")[1] == "none"


def test_a_branch_of_a_remote_that_is_pruned_is_told(repo: Repo, tmp_path: Path) -> None:
    clone = Repo(tmp_path / "clones")
    repo.git("branch", "feature")
    clone.git("clone", "-q", str(repo.path), "c")
    inside = Repo(clone.root, "c")
    repo.git("branch", "-D", "feature")

    found = _during(inside, lambda: inside.git("fetch", "-q", "--prune"))

    assert _one(found, "git.remote") == ("origin/feature", "none", ("deleted",))


@pytest.mark.parametrize(
    ("path", "content", "subject"),
    [(".git/refs/heads/main", b"", "branch main"), (".git/refs/heads/main", b"\0" * 41, "branch main"),
     (".git/index", None, "index")],
)  # fmt: skip
def test_what_a_crash_leaves_of_a_repository_is_not_a_deleted_branch(
    repo: Repo, path: str, content: bytes | None, subject: str
) -> None:
    before = repo.moment()
    after = {name: thing for name, thing in before.items() if name != path}
    after |= {path: content} if content is not None else {}

    told = _facts(evidence(before, after))

    assert [(fact.kind, fact.subject, fact.severity) for fact in told] == [
        ("broken.operation", subject, "high")
    ]
    assert "git" in phrase("broken", told).short


# Damaged repositories


@pytest.mark.parametrize("content", [b"", bytes(200), b"x\x9cnothing", b"text"])
def test_a_damaged_object_is_a_warning(repo: Repo, content: bytes) -> None:
    before = repo.moment()
    head = repo.git("rev-parse", "HEAD")
    path = f".git/objects/{head[:2]}/{head[2:]}"

    (fact,) = _facts(evidence(before, {**before, path: content}))

    state = "unreadable" if content else "empty"
    assert (fact.kind, fact.severity) == ("broken.operation", "high")
    assert phrase("broken", [fact]).short == f"git repository damaged (object {head[:8]} {state})"


def test_a_pack_that_was_cut_is_a_warning(repo: Repo) -> None:
    repo.git("gc", "-q")
    before = dict(repo.moment())
    (path,) = [path for path in before if path.endswith(".pack")]
    whole = (repo.path / path).read_bytes()

    (fact,) = _facts(evidence(before, {**before, path: whole[:100]}))

    assert (fact.severity, fact.marks) == ("high", ("1 pack unreadable",))


def test_packing_and_sweeping_damage_nothing(repo: Repo) -> None:
    for words in (("gc", "-q"), ("repack", "-adfq"), ("prune",), ("pack-refs", "--all")):
        _edit(repo, "a", text=f"# {words[0]}\n")
        repo.git("commit", "-qam", CANARY)
        before = repo.moment()
        repo.git(*words)
        found = _facts(evidence(before, repo.moment()))
        assert [fact for fact in found if fact.severity == "high"] == []


# Settings


def test_another_author_is_told(repo: Repo) -> None:
    repo.git("config", "user.email", "me@example.org")

    def act() -> None:
        repo.git("config", "user.email", "build@ci.invalid")
        repo.git("config", "commit.gpgsign", "false")
        repo.git("config", "user.signingkey", CANARY)

    (fact,) = _facts(_during(repo, act))

    assert fact.marks == (
        "user.email me@example.org → build@ci.invalid",
        "+user.signingkey",
        "+commit.gpgsign false",
    )
    assert phrase("config", [fact]).text.startswith(".git/config: user.email me@example.org → ")


# Untracked work


def _drafts(repo: Repo) -> None:
    for number in range(6):
        repo.write(f"drafts/{number}.md", f"# Chapter {number}\n" + "words " * 200)


def _alarms(found: Evidence) -> list[str]:
    facts = [fact for result in analyse(found, DETECTORS, SORTERS, ask)
             for one in result.findings for fact in one.facts]  # fmt: skip
    return [fact.subject for fact in facts if fact.severity == "high"]


def test_untracked_work_that_was_stashed_and_dropped_is_lost(repo: Repo) -> None:
    _drafts(repo)

    def act() -> None:
        repo.git("stash", "push", "-q", "-u")
        repo.git("stash", "drop", "-q")

    assert _alarms(_during(repo, act)) == ["drafts"]


def test_untracked_work_that_git_still_has_is_kept(repo: Repo) -> None:
    _drafts(repo)

    assert _alarms(_during(repo, lambda: repo.git("stash", "push", "-q", "-u"))) == []


def test_untracked_work_that_was_committed_elsewhere_is_kept(repo: Repo) -> None:
    _drafts(repo)

    def act() -> None:
        repo.git("checkout", "-qb", "side")
        repo.git("add", "-A")
        repo.git("commit", "-qm", CANARY)
        repo.git("checkout", "-q", "main")

    assert _alarms(_during(repo, act)) == []
