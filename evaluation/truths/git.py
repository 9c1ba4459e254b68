"""What git itself says of a repository: its refs, its logs, its stash, its index."""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from evaluation.place import Place
from evaluation.scenario import Told

_COMMITS = ("commit", "cherry-pick", "revert", "merge", "pull")


class Look(NamedTuple):
    """One moment of a repository."""

    head: str
    refs: dict[str, str]
    logs: dict[str, list[str]]
    """The messages of each ref's log, the newest first."""
    stash: int
    remotes: dict[str, str]
    conflicts: int
    state: str
    """What `git status` says is under way."""


class GitRefs:
    """What `git for-each-ref`, `git reflog`, `git stash`, `git remote` and `git status` say."""

    kinds = (
        "git.commit",
        "git.branch",
        "git.reset",
        "git.rebase",
        "git.stash",
        "git.remote",
        "broken.operation",
    )

    def __init__(self, directory: str = ".") -> None:
        self._directory = directory
        self._scope = f"git:{directory}"

    def look(self, place: Place) -> Look:
        if not (place.root / self._directory / ".git").exists():
            return Look("", {}, {}, 0, {}, 0, "")
        refs = dict(
            line.strip().split(" ", 1)
            for line in self._git(
                place, "for-each-ref --format='%(refname) %(objectname) %(symref)'"
            ).splitlines()
            if line.endswith(" ")  # a symbolic ref is only another name
        )
        logs = {
            name: self._git(place, f"reflog show --format=%gs {name} --").splitlines()
            for name in refs
            if name.startswith(("refs/heads/", "refs/remotes/"))
        }
        head = self._git(place, "symbolic-ref -q HEAD || git rev-parse HEAD", check=False)
        remotes = self._git(place, "remote")
        return Look(
            head.strip(), refs, logs,
            len(self._git(place, "stash list").splitlines()),
            {name: self._git(place, f"remote get-url {name}").strip() for name in remotes.split()},
            len({line.split("\t")[1] for line in self._git(place, "ls-files -u").splitlines()}),
            _under_way(self._git(place, "status")),
        )  # fmt: skip

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(Look, before), cast(Look, after)
        if not old.refs and not old.head:
            return self._born(new)
        found: set[Told] = set()
        for ref in old.refs.keys() | new.refs.keys():
            kind, _, name = ref.removeprefix("refs/").partition("/")
            if kind == "heads":
                found |= self._branch(ref, name, old, new)
            elif kind == "tags" and old.refs.get(ref) != new.refs.get(ref):
                found.add(self._told("git.branch", name, old.refs.get(ref), new.refs.get(ref)))
            elif kind == "remotes" and old.refs.get(ref) != new.refs.get(ref):
                found |= self._remote(ref, name, old, new)
        head = new.head.removeprefix("refs/heads/")
        if old.head != new.head and old.refs.get(new.head):
            found.add(self._told("git.branch", head, old.refs[new.head], new.refs[new.head]))
        elif (
            old.head != new.head and not new.head.startswith("refs/") and "rebase" not in new.state
        ):
            found.add(self._told("git.branch", head[:8], None, None))
        if old.state != new.state and new.state and new.state != "bisect":
            found.add(self._told("broken.operation", new.state.partition(" ")[0], None, None))
        elif old.state != new.state:
            rebased = old.state.partition("rebase ")[2]
            kind = "git.rebase" if rebased else "git.branch"
            found.add(self._told(kind, rebased or head, None, None))
        if old.stash != new.stash:
            found.add(("git.stash", self._scope, "stash", str(old.stash), str(new.stash)))
        for name in old.remotes.keys() | new.remotes.keys():
            if old.remotes.get(name) != new.remotes.get(name):
                found.add(("git.remote", self._scope, name, None, None))
        return found

    def _born(self, new: Look) -> set[Told]:
        if not new.head:
            return set()
        name = new.head.removeprefix("refs/heads/")
        log = new.logs.get(new.head, [""])
        kind = "git.commit" if log[-1].startswith("commit") else "git.branch"
        return {self._told(kind, name, None, new.refs.get(new.head))}

    def _branch(self, ref: str, name: str, old: Look, new: Look) -> set[Told]:
        was, now = old.refs.get(ref), new.refs.get(ref)
        if now is None:
            return {self._told("git.branch", name, was, None)}
        found = set() if was else {self._told("git.branch", name, None, now)}
        lines = new.logs.get(ref, [])
        lines = lines[: len(lines) - len(old.logs.get(ref, []))]
        verbs = {line.split(":")[0].split(" ")[0] for line in lines}
        if verbs & set(_COMMITS):
            found.add(self._told("git.commit", name, was, now))
        if any(line.startswith("rebase (finish)") for line in lines):
            found.add(self._told("git.rebase", name, was, now))
        if "reset" in verbs and was != now:
            found.add(("git.reset", self._scope, name, None, None))
        return found

    def _remote(self, ref: str, name: str, old: Look, new: Look) -> set[Told]:
        last = new.logs.get(ref, [""])[0]
        was, now = old.refs.get(ref), new.refs.get(ref)
        is_pulled = now in {
            commit for one, commit in new.refs.items() if one.startswith("refs/heads/")
        }
        if "forced-update" in last:
            return {self._told("git.reset", name, was, now)}
        if last != "update by push" and is_pulled:
            return set()
        return {self._told("git.remote", name, was, now)}

    def _told(self, kind: str, subject: str, was: str | None, now: str | None) -> Told:
        return kind, self._scope, subject, was and was[:8], now and now[:8]

    def _git(self, place: Place, words: str, *, check: bool = True) -> str:
        return place.run(f"cd {self._directory} && git {words}", check=check)


def _under_way(status: str) -> str:
    rebased = re.search(r"rebasing branch '([^']+)'", status)
    if rebased:
        return f"rebase {rebased[1]}"
    for what, said in (
        ("cherry-pick", "currently cherry-picking"),
        ("revert", "currently reverting"),
        ("bisect", "currently bisecting"),
        ("merge", "unmerged paths"),
        ("merge", "still merging"),
    ):
        if said in status:
            return what
    return ""
