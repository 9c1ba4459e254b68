"""Work of git and of patch that was left in the middle."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.fresh.interrupted import kill_when, require
from evaluation.fresh.shop import shop
from evaluation.histories import change, git, repository
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import UNFINISHED
from evaluation.variant import Claims, variant

_GROUP = "half finished"


def _conflict(place: Place) -> None:
    """Make a branch `topic` that conflicts with main in one module."""
    repository(place, commits=3)
    git(place, "checkout -qb topic")
    place.run("sed -i '1s/.*/first = 7/' src/module_5.py && git commit -qam 'seven'")
    git(place, "checkout -q main")
    place.run("sed -i '1s/.*/first = 8/' src/module_5.py && git commit -qam 'eight'")


@variant(_GROUP, "git am stopped by a patch that does not fit")
def am_stopped(place: Place, claims: Claims) -> Iterator[None]:
    _conflict(place)
    git(place, f"format-patch -q -o {place.around}/mail main..topic")
    yield
    place.run(f"git am -q {place.around}/mail/*.patch", check=False)
    require((place.root / ".git/rebase-apply").exists(), "am is in progress")
    claims.warn("git am|patch|rebase|mail", UNFINISHED)
    claims.lead("git am|patch|rebase|mailbox|am ")


@variant(_GROUP, "a revert stopped by a conflict")
def revert_stopped(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    for text in ("one", "two"):
        place.run(f"sed -i '1s/.*/first = \"{text}\"/' src/module_5.py && git commit -qam {text}")
    yield
    place.run("git revert --no-edit HEAD~1", check=False)
    require((place.root / ".git/REVERT_HEAD").exists(), "a revert is in progress")
    claims.warn("revert", UNFINISHED)
    claims.lead("revert|conflict")


@variant(_GROUP, "an interactive rebase stopped to edit a commit")
def rebase_edit(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=5)
    yield
    place.run(
        "GIT_SEQUENCE_EDITOR=\"sed -i '1s/^pick/edit/'\" git rebase -q -i HEAD~3", check=False
    )
    require((place.root / ".git/rebase-merge").exists(), "a rebase is in progress")
    claims.warn("rebase", UNFINISHED)
    claims.lead("rebase")


@variant(_GROUP, "a search with git bisect under way")
def bisect(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=9)
    yield
    place.run("git bisect start -q && git bisect bad && git bisect good HEAD~6")
    require((place.root / ".git/BISECT_LOG").exists(), "a bisect is in progress")
    claims.say("bisect")
    claims.lead("bisect")
    claims.deny("lost", "dropped", "rewritten")


@variant(_GROUP, "a stash that conflicts leaves its markers in a file of settings")
def stash_conflict(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    settings = {"port": 8000, "debug": False, "hosts": ["a", "b"]}
    place.write("settings.json", json.dumps(settings, indent=2) + "\n")
    commit(place, "settings")
    place.run("sed -i 's/8000/9000/' settings.json && git stash -q")
    place.run("sed -i 's/8000/7000/' settings.json && git commit -qam port")
    yield
    place.run("git stash pop -q", check=False)
    require("<<<<<<<" in (place.root / "settings.json").read_text(), "there are markers")
    claims.warn("settings.json", "conflict|marker|merge")
    claims.lead("settings.json|conflict")


@variant(_GROUP, "a patch of which one part was rejected")
def rejected(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run(
        "cp -r shop new && sed -i 's/days > 30/days > 14/; s/paid - returned/paid - returned - 1/' new/refunds.py"
    )
    place.run(f"diff -u0 -r shop new > {place.around}/change.patch; rm -r new", check=False)
    place.run("sed -i 's/days > 30/days > 60/' shop/refunds.py && git commit -qam 'two months'")
    yield
    place.run(f"patch -s -p1 -d shop < {place.around}/change.patch", check=False)
    require((place.root / "shop/refunds.py.rej").exists(), "a part was rejected")
    claims.warn("refunds.py", "rej|patch")
    claims.lead("refunds.py|rej|patch")


@variant(_GROUP, "git killed while it adds a file: its lock stays")
def index_lock(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write(".gitattributes", "*.raw filter=slow\n")
    commit(place, "attributes")
    place.write("picture.raw", "raw\n" * 1000)
    yield
    lock = place.root / ".git/index.lock"
    kill_when(place, lock.exists, "git", "-c", "filter.slow.clean=sleep 30", "add", "picture.raw")
    require(lock.exists(), "the lock stays")
    claims.warn("index.lock|lock", f"lock|{UNFINISHED}")
    claims.lead("lock")


@variant(_GROUP, "markers of a conflict shown in a guide", benign=True)
def markers_in_a_guide(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("docs/merging.md", "# Merging\n\nTalk first.\n")
    commit(place, "guide")
    yield
    example = "```\\n<<<<<<< HEAD\\nprice = 4\\n=======\\nprice = 5\\n>>>>>>> topic\\n```\\n"
    place.run(f"printf '\\nA conflict looks like this:\\n\\n{example}' >> docs/merging.md")
    place.write("docs/index.rst", "Shop\n=======\n\nTea.\n\n>>>>>>> is not a prompt.\n")
    claims.say("docs|merging.md")
    claims.lead("docs|merging.md")
    claims.deny("conflict marker", "unresolved", "merge in progress")


@variant(_GROUP, "a merge that was stopped is finished", benign=True)
def merge_finished(place: Place, claims: Claims) -> Iterator[None]:
    _conflict(place)
    place.run("git merge -q topic", check=False)
    require((place.root / ".git/MERGE_HEAD").exists(), "a merge is in progress")
    yield
    place.run(
        "git checkout -q --theirs src/module_5.py && git add -A && git commit -qm 'merge topic'"
    )
    claims.say("merge", "topic|main|finished|commit")
    claims.lead("merge|main")
    claims.deny("in progress", "under way", "unfinished", "lost")


@variant(_GROUP, "a rebase finished", benign=True)
def rebase_finished(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=3)
    git(place, "checkout -qb topic")
    change(place, 4, text="topic = 1")
    git(place, "commit -qam topic && git checkout -q main")
    change(place, 9, text="main = 1")
    git(place, "commit -qam main && git checkout -q topic")
    yield
    git(place, "rebase -q main")
    claims.say("topic", "rebase|rewritten|commit|moved")
    claims.lead("topic|rebase")
    claims.deny("in progress", "lost", "unfinished")
