"""Repositories: commits, branches, unfinished operations, lost commits."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.histories import change, git, hub, repository, topic
from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truths.files import SourceFiles
from evaluation.truths.git import GitRefs


@scenario(
    27, "git: three commits", GitRefs(), SourceFiles(), benign=True, headline=("3 commits on main",)
)
def three_commits(place: Place) -> Iterator[None]:
    repository(place)
    yield
    for number in (1, 2, 3):
        change(place, number)
        git(place, f"commit -qam 'number {number} {place.canary()}'")


@scenario(
    27, "git: edits, all committed", GitRefs(), SourceFiles(), benign=True,
    headline=("1 commit on main", "source files"),
)  # fmt: skip
def committed_edits(place: Place) -> Iterator[None]:
    repository(place)
    yield
    for number in range(1, 9):
        change(place, number)
    place.write("src/new.py", "print('new')\n")
    git(place, "add -A && git commit -qm everything")


@scenario(
    27, "git: switch to another branch", GitRefs(), SourceFiles(), benign=True,
    headline=("branch topic checked out",),
)  # fmt: skip
def switch(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 2)
    yield
    git(place, "switch -q topic")


@scenario(
    27, "git: stash", GitRefs(), SourceFiles(), benign=True, headline=("stash", "reverted")
)  # fmt: skip
def stash(place: Place) -> Iterator[None]:
    repository(place)
    change(place, 1)
    change(place, 2)
    yield
    git(place, "stash -q")


@scenario(
    27, "git: stash pop", GitRefs(), SourceFiles(), benign=True, headline=("stash",)
)  # fmt: skip
def stash_pop(place: Place) -> Iterator[None]:
    repository(place)
    change(place, 1)
    git(place, "stash -q")
    yield
    git(place, "stash pop -q")


@scenario(
    27, "git: reset --hard HEAD~2", GitRefs(), SourceFiles(), warnings={"main"},
    headline=("! main was reset (2 commits dropped)",),
)  # fmt: skip
def reset_hard(place: Place) -> Iterator[None]:
    repository(place, commits=4)
    yield
    git(place, "reset -q --hard HEAD~2")


@scenario(27, "git: reset --soft, then one commit", GitRefs(), SourceFiles(), benign=True)
def squash(place: Place) -> Iterator[None]:
    repository(place, commits=4)
    yield
    git(place, "reset -q --soft HEAD~3 && git commit -qm squashed")


@scenario(
    27, "git: uncommitted edits thrown away", GitRefs(), SourceFiles(), benign=True,
    headline=("reverted",),
)  # fmt: skip
def thrown_away(place: Place) -> Iterator[None]:
    repository(place)
    change(place, 3)
    yield
    git(place, "checkout -q .")


@scenario(
    27, "git: rebase", GitRefs(), SourceFiles(), benign=True, headline=("topic was rebased",)
)  # fmt: skip
def rebase(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 2)
    git(place, "switch -q topic")
    yield
    git(place, "rebase -q main")


@scenario(
    27, "git: rebase that stops at a conflict", GitRefs(), SourceFiles(),
    expected={("broken.conflict", "git:.", "src/module_1.py", None, None)},
    warnings={"rebase", "src/module_1.py"}, headline=("! rebase of topic under way, conflicts in 1 file",),
)  # fmt: skip
def rebase_stops(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 1)
    git(place, "switch -q topic")
    yield
    place.run("git rebase -q main", check=False)


@scenario(
    27, "git: merge that stops at a conflict", GitRefs(), SourceFiles(),
    expected={("broken.conflict", "git:.", "src/module_1.py", None, None)},
    warnings={"merge", "src/module_1.py"}, headline=("! merge on main under way, conflicts in 1 file",),
)  # fmt: skip
def merge_stops(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 1)
    yield
    place.run("git merge -q topic", check=False)


@scenario(
    27, "git: merge", GitRefs(), SourceFiles(), benign=True, headline=("merge",)
)  # fmt: skip
def merge(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 2)
    yield
    git(place, "merge -q topic")


@scenario(
    27, "git: cherry-pick and amend", GitRefs(), SourceFiles(), benign=True,
    headline=("1 commit on main", "cherry-pick", "amended"),
)  # fmt: skip
def pick_and_amend(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 2)
    yield
    git(place, "cherry-pick topic")
    change(place, 5)
    git(place, "commit -qa --amend -m better")


@scenario(
    27, "git: a branch deleted that was not merged", GitRefs(), warnings={"topic"},
    headline=("! branch topic deleted (1 commit not merged)",),
)  # fmt: skip
def branch_lost(place: Place) -> Iterator[None]:
    repository(place)
    topic(place, 1, 2)
    yield
    git(place, "branch -qD topic")


@scenario(
    27, "git: an older commit checked out", GitRefs(), SourceFiles(), benign=True,
    headline=("no branch",),
)  # fmt: skip
def detached(place: Place) -> Iterator[None]:
    repository(place, commits=3)
    yield
    git(place, "checkout -q HEAD~2")


@scenario(27, "git: gc", GitRefs(), SourceFiles(), benign=True)
def collected(place: Place) -> Iterator[None]:
    repository(place, commits=6)
    yield
    git(place, "gc -q --prune=now")


@scenario(
    27, "git: a remote, a push and a tag", GitRefs(), benign=True, headline=("pushed", "tag v1.0")
)  # fmt: skip
def pushed(place: Place) -> Iterator[None]:
    repository(place)
    place.run(f"git init -q --bare {place.around}/hub.git")
    yield
    git(place, f"remote add origin {place.around}/hub.git && git push -q origin main")
    git(place, "tag v1.0")


@scenario(
    27, "git: a remote with a password", GitRefs(), benign=True, headline=("remote origin added",)
)  # fmt: skip
def remote_with_password(place: Place) -> Iterator[None]:
    repository(place)
    yield
    git(place, f"remote add origin https://me:{place.canary()}@git.example.org/a/b.git")


@scenario(
    27, "git: pull", GitRefs("app"), SourceFiles("app"), benign=True, headline=("fast-forward",)
)  # fmt: skip
def pull(place: Place) -> Iterator[None]:
    place.run(f"mkdir {place.around}/hub")
    hub(place)
    place.run(f"git clone -q {place.around}/hub app")
    place.run(f"cd {place.around}/hub && seq 30 > b.py && git commit -qam more")
    yield
    git(place, "pull -q", "app")


@scenario(
    27, "git: fetch", GitRefs("app"), SourceFiles("app"), benign=True, headline=("fetched",)
)  # fmt: skip
def fetch(place: Place) -> Iterator[None]:
    hub(place)
    place.run(f"git clone -q {place.around}/hub app")
    place.run(f"cd {place.around}/hub && seq 30 > b.py && git commit -qam more")
    yield
    git(place, "fetch -q", "app")


@scenario(
    27, "git: clone into the workspace", GitRefs("library"), SourceFiles("library"), benign=True,
    headline=("cloned", "library"),
)  # fmt: skip
def clone(place: Place) -> Iterator[None]:
    hub(place)
    place.write("notes.txt", "x\n")
    yield
    place.run(f"git clone -q {place.around}/hub library")


@scenario(
    27, "git: submodule add", GitRefs(), GitRefs("library"), SourceFiles("library"),
    expected={
        ("security.dependency", ".gitmodules", "library", None, "a local path"),
        ("git.submodule", "git:.", "library", None, None),
    },
    benign=True, headline=("library",),
)  # fmt: skip
def submodule(place: Place) -> Iterator[None]:
    hub(place)
    repository(place)
    yield
    git(place, f"-c protocol.file.allow=always submodule --quiet add {place.around}/hub library")
    git(place, "commit -qam library")


@scenario(
    27, "git: worktree add", GitRefs(),
    expected={("git.worktree", "git:.", "side", None, "side")}, benign=True,
    headline=("worktree side added", "22 files"),
)  # fmt: skip
def worktree(place: Place) -> Iterator[None]:
    repository(place)
    yield
    git(place, "worktree add -q side")


@scenario(
    27, "git: two repositories", GitRefs("one"), GitRefs("two"), SourceFiles("one"),
    SourceFiles("two"), benign=True, headline=("in one",),
)  # fmt: skip
def two(place: Place) -> Iterator[None]:
    repository(place, "one")
    repository(place, "two")
    yield
    change(place, 1, "one")
    git(place, "commit -qam one", "one")
    for number in (2, 3, 4):
        change(place, number, "two")


@scenario(
    27, "git: a hook added", GitRefs(),
    expected={("security.git_hook", "git", ".git/hooks/pre-commit", None, None)},
    warnings={".git/hooks/pre-commit"}, headline=("! git will run",),
)  # fmt: skip
def hook(place: Place) -> Iterator[None]:
    repository(place)
    yield
    place.write(".git/hooks/pre-commit", "#!/bin/sh\nmake test\n", 0o755)


@scenario(27, "git: add, without a commit", GitRefs(), SourceFiles(), benign=True)
def staged(place: Place) -> Iterator[None]:
    repository(place)
    change(place, 1)
    yield
    git(place, "add -A")
