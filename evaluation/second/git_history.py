"""Commits, branches, tags, stashes and remotes that change or go."""

from __future__ import annotations

import os
from collections.abc import Iterator

from evaluation.fresh.interrupted import require
from evaluation.histories import change, git, hub, repository
from evaluation.place import Place
from evaluation.second.verbs import ADDED, GONE, MOVED
from evaluation.variant import Claims, variant

_GROUP = "git work"
_REWRITTEN = "rewritten|rewrote|squash|replaced|rebase|no longer|dropped|4 commits|amended|reset"


def _cloned(place: Place, commits: int) -> None:
    """Make a repository whose remote has more commits than its own branch."""
    repository(place, commits=2)
    git(place, f"clone -q --bare . {place.around}/remote.git")
    git(
        place,
        f"remote add origin {place.around}/remote.git && git fetch -q && git branch -q -u origin/main",
    )
    git(place, f"clone -q {place.around}/remote.git {place.around}/other")
    for number in range(commits):
        place.run(
            f"cd {place.around}/other && echo 'more = {number}' >> src/module_9.py && git commit -qam more{number}"
        )
    place.run(f"cd {place.around}/other && git push -q")


@variant(_GROUP, "four commits thrown away by a reset, never pushed")
def reset_commits(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=8)
    yield
    git(place, "reset -q --hard HEAD~4")
    count = place.run("git rev-list --count main..ORIG_HEAD").strip()
    claims.warn("main", count, "commit", f"dropped|no longer|{GONE}|discarded|thrown|back|left")
    claims.lead("main", count, f"dropped|no longer|{GONE}|discarded|back|left|reset")


@variant(_GROUP, "three stashes cleared")
def stashes_cleared(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    for number in (3, 4, 5):
        change(place, number, text=f"hour_{number} = 'of work'")
        git(place, f"stash push -q -m 'work {number}'")
    yield
    git(place, "stash clear")
    claims.warn("stash", "3", f"{GONE}|dropped|cleared|→ 0")
    claims.lead("stash", f"{GONE}|dropped|cleared|→ 0")


@variant(_GROUP, "a tag of a release deleted")
def tag_deleted(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=4)
    git(place, "tag -a v2.0 -m 'two' && git tag v1.0 HEAD~2")
    yield
    git(place, "tag -d v2.0")
    claims.say("v2.0", GONE)
    claims.lead("v2.0", GONE)
    claims.deny("v1.0")


@variant(_GROUP, "the remote of a repository removed")
def remote_removed(place: Place, claims: Claims) -> Iterator[None]:
    _cloned(place, 1)
    yield
    git(place, "remote remove origin")
    claims.say("origin", GONE)
    claims.lead("origin", GONE)
    claims.deny("commits lost", "unmerged")


@variant(_GROUP, "an object of the history emptied when the power failed")
def object_emptied(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=4)
    commit = place.run("git rev-parse HEAD").strip()
    yield
    path = place.root / ".git/objects" / commit[:2] / commit[2:]
    path.chmod(0o644)
    path.write_bytes(b"")
    require("empty" in place.run("git fsck 2>&1", check=False), "git finds it empty")
    claims.warn(
        "git|repository",
        "object|commit|corrupt|damaged",
        "empty|emptied|corrupt|damaged|broken|truncated|unreadable",
    )
    claims.lead(
        "git|repository|object|commit", "empty|emptied|corrupt|damaged|broken|truncated|unreadable"
    )


@variant(_GROUP, "a submodule moved to a newer commit")
def submodule_updated(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    hub(place)
    git(place, f"-c protocol.file.allow=always submodule --quiet add {place.around}/hub libs/hub")
    git(place, "commit -qm 'the hub'")
    place.run(f"cd {place.around}/hub && seq 40 > c.py && git add -A && git commit -qm newer")
    yield
    place.run("cd libs/hub && git pull -q")
    new = place.run("git -C libs/hub rev-parse --short=7 HEAD").strip()
    git(place, "commit -qam 'newer hub'")
    claims.say("libs/hub|submodule", f"{new}|commit|moved|updated")
    claims.lead("libs/hub|submodule|main")
    claims.deny("comes from")


@variant(_GROUP, "the name and address of the author changed")
def author_changed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=2)
    git(place, "config user.email me@example.org")
    yield
    git(place, "config user.email build@ci.invalid && git config commit.gpgsign false")
    claims.say("user.email|author")
    claims.lead("git|user.email|config")


@variant(_GROUP, "four commits squashed into one with the same files", benign=True)
def squashed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=7)
    yield
    before = place.run("git rev-parse HEAD^{tree}")
    place.run("GIT_SEQUENCE_EDITOR=\"sed -i '2,\\$s/^pick/fixup/'\" git rebase -q -i HEAD~4")
    require(place.run("git rev-parse HEAD^{tree}") == before, "the files are the same")
    claims.say("main", _REWRITTEN)
    claims.lead("main", _REWRITTEN)
    claims.deny("lost", "files deleted")


@variant(_GROUP, "a branch renamed", benign=True)
def branch_renamed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "checkout -qb payment")
    change(place, 14)
    git(place, "commit -qam payment")
    yield
    git(place, "branch -m checkout-page")
    claims.say("payment", "checkout-page", f"{MOVED}|branch")
    claims.lead("checkout-page")
    claims.deny("lost", "deleted", "unmerged")


@variant(_GROUP, "a stash applied again and dropped", benign=True)
def stash_popped(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    change(place, 3, text="hour = 3")
    git(place, "stash -q")
    yield
    git(place, "stash pop -q")
    claims.say("stash", f"applied|popped|used|{GONE}|dropped|empty|→ 0")
    claims.lead("module_3.py|stash")
    claims.deny("lost")


@variant(_GROUP, "a commit reverted by another", benign=True)
def reverted(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=5)
    yield
    git(place, "revert --no-edit HEAD~1")
    claims.say("main", "1|revert", "commit|revert")
    claims.lead("main|revert")
    claims.deny("dropped", "lost", "rewritten", "in progress")


@variant(_GROUP, "twelve commits pulled", benign=True)
def pulled(place: Place, claims: Claims) -> Iterator[None]:
    _cloned(place, 12)
    yield
    git(place, "pull -q --ff-only")
    claims.say("main", "12", "commit|pulled")
    claims.lead("main", "12")
    claims.deny("rewritten", "dropped", "lost")


@variant(_GROUP, "commits fetched, and nothing merged", benign=True)
def fetched(place: Place, claims: Claims) -> Iterator[None]:
    _cloned(place, 3)
    yield
    git(place, "fetch -q")
    claims.say("origin/main|origin", "3|fetched|commit")
    claims.lead("origin|fetched")
    claims.deny("rewritten", "dropped", "lost")


@variant(_GROUP, "a branch without a past made for pages", benign=True)
def orphan(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    yield
    git(place, "worktree add -q --detach ../pages")
    place.run(
        "cd ../pages && git checkout -q --orphan gh-pages && git rm -rfq . && echo '<p>Shop</p>' > index.html"
    )
    place.run("cd ../pages && git add -A && git commit -qm pages")
    git(place, "worktree remove ../pages")
    claims.say("gh-pages", f"{ADDED}|branch|commit")
    claims.lead("gh-pages")
    claims.deny("lost", "deleted", "main rewritten")


@variant(_GROUP, "a repository moved with its history", benign=True)
def repository_moved(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, "work/billing", commits=5)
    os.makedirs(place.root / "archive")
    yield
    place.run("mv work/billing archive/billing")
    claims.say("work/billing", "archive/billing", MOVED)
    claims.lead("billing", MOVED)
    claims.deny("lost", "repository deleted", "history deleted")
