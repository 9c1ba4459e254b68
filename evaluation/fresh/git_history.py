"""Commits, branches, tags and stashes that change or go."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.interrupted import require
from evaluation.histories import change, git, repository
from evaluation.place import Place
from evaluation.variant import Claims, variant

_GROUP = "git work"
_REWRITTEN = "rewritten|rewrote|amend|replaced|dropped|no longer|discarded|force"


def _pushed(place: Place, commits: int) -> None:
    """Make a repository whose main is pushed to a bare repository beside it."""
    repository(place, commits=commits)
    git(place, f"init -q --bare {place.around}/remote.git")
    git(place, f"remote add origin {place.around}/remote.git && git push -q -u origin main")


@variant(_GROUP, "the last commit amended and pushed by force")
def amended(place: Place, claims: Claims) -> Iterator[None]:
    _pushed(place, 4)
    yield
    change(place, 9)
    git(place, "commit -qa --amend -m 'number 4, again' && git push -q -f origin main")
    claims.say("main", _REWRITTEN)
    claims.lead("main", _REWRITTEN)
    claims.deny("3 commits", "4 commits")


@variant(_GROUP, "three commits dropped, two made, and pushed by force")
def force_pushed(place: Place, claims: Claims) -> Iterator[None]:
    _pushed(place, 8)
    yield
    git(place, "reset -q --hard HEAD~3")
    for number in (11, 12):
        change(place, number)
        git(place, f"commit -qam 'other {number}'")
    dropped = place.run("git rev-list --count main..ORIG_HEAD").strip()
    made = place.run("git rev-list --count ORIG_HEAD..main").strip()
    git(place, "push -q -f origin main")
    claims.say("main", dropped, "dropped|no longer|removed|discarded|gone|lost|left")
    claims.say("main", made, "commit")
    claims.lead("main", "dropped|rewritten|no longer|removed|discarded|gone|lost")


@variant(_GROUP, "a branch with three unmerged commits deleted")
def branch_deleted(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "checkout -qb payment")
    for number in (14, 15, 16):
        change(place, number)
        git(place, f"commit -qam 'payment {number}'")
    git(place, "checkout -q main")
    yield
    unmerged = place.run("git rev-list --count main..payment").strip()
    git(place, "branch -qD payment")
    change(place, 2)
    claims.warn("payment", unmerged, "commit", "deleted|removed|gone|lost")
    claims.lead("payment", "deleted|removed|gone|lost")


@variant(_GROUP, "a merged branch deleted", benign=True)
def merged_branch_deleted(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "checkout -qb payment")
    change(place, 14)
    git(
        place,
        "commit -qam payment && git checkout -q main && git merge -q --no-ff --no-edit payment",
    )
    yield
    git(place, "branch -qd payment")
    claims.say("payment", "deleted|removed|gone")
    claims.lead("payment", "deleted|removed|gone|merged")
    claims.deny("unmerged", "lost")


@variant(_GROUP, "a stash dropped and another made")
def stash_replaced(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    change(place, 3, text="three = 'an hour of work'")
    change(place, 4, text="four = 'an hour of work'")
    git(place, "stash -q")
    yield
    git(place, "stash drop -q")
    change(place, 8, text="eight = 8")
    git(place, "stash -q")
    claims.warn("stash", "dropped|replaced|lost|gone|deleted|removed")
    claims.lead("stash")


@variant(_GROUP, "an octopus merge of three branches")
def octopus(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    for number, name in enumerate(("cart", "gifts", "returns"), 5):
        git(place, f"checkout -q -b {name} main")
        change(place, number)
        git(place, f"commit -qam {name}")
    git(place, "checkout -q main")
    change(place, 12)
    git(place, "commit -qam main")
    yield
    git(place, "merge -q --no-edit cart gifts returns")
    require(len(place.run("git show -s --format=%P HEAD").split()) == 4, "one merge has 4 parents")
    claims.say("main", "merge", "cart|octopus|3 branches|4 parents")
    claims.lead("merge")


@variant(_GROUP, "a file removed from all of the history")
def history_filtered(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=6)
    secret = place.canary()
    place.write("config/keys.ini", f"[aws]\nsecret = {secret}\n")
    git(place, "add -A && git commit -qm keys")
    for number in (8, 9):
        change(place, number)
        git(place, f"commit -qam 'after {number}'")
    yield
    before = place.run("git rev-list main").split()
    place.run(
        "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --index-filter"
        " 'git rm -q --cached --ignore-unmatch config/keys.ini' --prune-empty main"
    )
    git(place, "update-ref -d refs/original/refs/heads/main")
    git(place, "reflog expire --expire=now --all && git gc -q --prune=now")
    kept = set(before) & set(place.run("git rev-list main").split())
    require(len(kept) < len(before), "the history is another one")
    claims.say("main", str(len(before) - len(kept)), _REWRITTEN)
    claims.lead("main|history", _REWRITTEN)
    claims.say("config/keys.ini|keys.ini", "deleted|removed|gone")


@variant(_GROUP, "HEAD detached two commits back", benign=True)
def detached(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=5)
    yield
    git(place, "checkout -q --detach HEAD~2")
    claims.say("HEAD|checked out|detached", "detached|no branch")
    claims.lead("detached|HEAD|no branch")
    claims.deny("dropped", "commits lost", "rewritten")


@variant(_GROUP, "a commit made on a detached HEAD and left there")
def left_behind(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "checkout -q --detach")
    change(place, 11, text="hours = 3")
    git(place, "commit -qam 'hours of work'")
    lost = place.run("git rev-parse --short=7 HEAD").strip()
    yield
    git(place, "checkout -q main")
    claims.warn(f"{lost}|commit", "no branch|unreachable|left|lost|dropped|detached")
    claims.lead("main|HEAD")


@variant(_GROUP, "a tag of a release moved")
def tag_moved(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "tag v1.0 && git tag v0.9 HEAD~1")
    yield
    change(place, 13)
    git(place, "commit -qam late && git tag -f v1.0")
    claims.say("v1.0", "moved|changed|now|points")
    claims.lead("v1.0")
    claims.deny("v0.9", "new tag v1.0", "tag v1.0 added")
