"""Histories, references and working trees of git."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.interrupted import require
from evaluation.histories import change, git, hub, repository
from evaluation.place import Place
from evaluation.second.verbs import GONE, MOVED
from evaluation.variant import Claims, variant

_GROUP = "git work"
_LOST = f"{GONE}|dropped|discarded|thrown|no longer|back|unreachable|left"


def _pushed(place: Place, commits: int) -> None:
    repository(place, commits=commits)
    git(place, f"clone -q --bare . {place.around}/remote.git")
    git(
        place,
        f"remote add origin {place.around}/remote.git && git fetch -q && git branch -q -u origin/main",
    )


@variant(_GROUP, "the reflog expired and unreachable commits collected")
def expired(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=7)
    git(place, "branch old && git reset -q --hard HEAD~3 && git branch -qD old")
    lost = int(place.run("git fsck --unreachable --no-reflogs | grep -c commit"))
    require(lost >= 3, "there is something to lose")
    yield
    git(place, "reflog expire --expire=now --all && git gc -q --prune=now")
    claims.warn("reflog|commits|unreachable", f"{_LOST}|expired|pruned|collected")
    claims.lead("reflog|commits|unreachable|git")


@variant(_GROUP, "a branch pushed by force over the work of others")
def forced_over(place: Place, claims: Claims) -> Iterator[None]:
    _pushed(place, 3)
    place.run(f"git clone -q {place.around}/remote.git {place.around}/other && cd {place.around}/other"
              " && for n in 1 2; do echo x$n >> src/module_9.py; git commit -qam theirs$n; done && git push -q")  # fmt: skip
    git(place, "fetch -q")
    change(place, 4)
    git(place, "commit -qam mine")
    yield
    git(place, "push -qf")
    claims.warn("origin/main", "2", f"{_LOST}|force|overwr|replaced")
    claims.lead("origin/main", f"{_LOST}|force|overwr|replaced")


@variant(_GROUP, "hard reset to the remote with two commits that were not pushed")
def reset_to_remote(place: Place, claims: Claims) -> Iterator[None]:
    _pushed(place, 3)
    for number in (4, 5):
        change(place, number)
        git(place, f"commit -qam local{number}")
    yield
    git(place, "fetch -q && git reset -q --hard origin/main")
    claims.warn("main", "2", _LOST)
    claims.lead("main", "2", _LOST)


@variant(_GROUP, "a submodule removed with work that was not pushed")
def submodule_removed(place: Place, claims: Claims) -> Iterator[None]:
    hub(place)
    repository(place)
    git(
        place,
        f"-c protocol.file.allow=always submodule add -q {place.around}/hub lib && git commit -qam lib",
    )
    place.run(
        "cd lib && echo 'x = 1' > new.py && git add -A && git commit -qm local && echo notes > notes.txt"
    )
    yield
    git(
        place,
        "submodule --quiet deinit -f lib && git rm -qf lib && rm -rf .git/modules/lib && git commit -qm 'no lib'",
    )
    claims.warn("lib", f"{GONE}|lost")
    claims.lead("lib", GONE)


@variant(_GROUP, "all tags of releases deleted")
def tags_deleted(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=6)
    for number in range(5):
        git(place, f"tag v1.{number} HEAD~{number}")
    yield
    git(place, "tag -l | xargs git tag -d")
    claims.say("5", "tag", GONE)
    claims.lead("tag", GONE)


@variant(_GROUP, "a branch forced to another commit, its own commits lost")
def branch_forced(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "checkout -qb feature")
    for number in (5, 6, 7):
        change(place, number)
        git(place, f"commit -qam feature{number}")
    git(place, "checkout -q main")
    yield
    git(place, "branch -qf feature main")
    claims.warn("feature", "3", _LOST)
    claims.lead("feature", "3")


@variant(_GROUP, "the author of every commit rewritten")
def rewritten(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=9)
    git(place, "tag v1 HEAD~2")
    yield
    git(
        place,
        "-c advice.detachedHead=false rebase -q --root --exec 'GIT_AUTHOR_NAME=B git commit -q --amend --no-edit --reset-author'",
    )
    claims.say("main", "rewritten|rewrote|replaced|rebase|9|diverged|no longer")
    claims.lead("main|history", "rewritten|rewrote|replaced|rebase|9|diverged|no longer|commits")


@variant(_GROUP, "an untracked directory deleted while a branch is changed")
def untracked_with_branch(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "branch topic HEAD~1")
    for number in range(14):
        place.write(f"drafts/{number}.md", f"# Draft {number}\n" + "A thought.\n" * 60)
    yield
    git(place, "checkout -q topic && rm -rf drafts")
    claims.warn("drafts", "14", GONE)
    claims.lead("drafts", GONE)


@variant(_GROUP, "work that was staged thrown away")
def staged_lost(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    for number in (3, 4, 5, 6):
        change(place, number, text="def work():\n    return 1")
    place.write("src/new_part.py", "def part():\n    return 'much work'\n" * 20)
    git(place, "add -A")
    yield
    git(place, "restore --staged --worktree . && rm -f src/new_part.py")
    claims.warn("new_part.py|uncommitted|not committed|4|5", f"{_LOST}|uncommitted")
    claims.lead("uncommitted|not committed|new_part.py|discarded|thrown|lost")


@variant(_GROUP, "a file marked so that git does not see its changes")
def skip_worktree(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    yield
    git(
        place,
        "update-index --skip-worktree src/module_4.py && echo 'secret = 1' >> src/module_4.py",
    )
    claims.say("module_4.py")
    claims.lead("module_4.py")


@variant(_GROUP, "hooks skipped: the directory of hooks set to nothing")
def hooks_path(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write(".git/hooks/pre-commit", "#!/bin/sh\nmake lint\n", 0o755)
    yield
    git(place, "config core.hooksPath /dev/null")
    claims.warn("core.hooksPath|hooks")
    claims.lead("hooks")


@variant(_GROUP, "a branch merged without a fast-forward and deleted", benign=True)
def merged(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=2)
    git(place, "checkout -qb topic")
    change(place, 6)
    git(place, "commit -qam six && git checkout -q main")
    yield
    git(place, "merge -q --no-ff -m 'Merge topic' topic && git branch -qd topic")
    claims.say("main", "merge|commit")
    claims.lead("topic|merge")
    claims.deny("lost")


@variant(_GROUP, "old reflog entries expire while nothing is unreachable", benign=True)
def reflog_kept(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=6)
    yield
    git(place, "reflog expire --expire=now --all && git gc -q --prune=now && git pack-refs --all")
    claims.deny("lost", "deleted commits", "branch main deleted")


@variant(_GROUP, "a branch rebased onto main and pushed by force to its own name", benign=True)
def rebased_and_pushed(place: Place, claims: Claims) -> Iterator[None]:
    _pushed(place, 3)
    git(place, "checkout -qb topic HEAD~1")
    change(place, 8)
    git(place, "commit -qam eight && git push -q -u origin topic")
    yield
    git(place, "rebase -q main && git push -qf")
    claims.say("topic", "rebase|rewritten|replaced|commit|main")
    claims.lead("topic")
    claims.deny("lost")


@variant(_GROUP, "a repository renamed with its directory", benign=True)
def renamed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, "old-name", commits=3)
    yield
    place.run("mv old-name new-name")
    claims.say("old-name", "new-name", MOVED)
    claims.lead("new-name")
    claims.deny("deleted", "lost", "gone")
