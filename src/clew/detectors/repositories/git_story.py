"""Facts about one repository that exists in both trees, derived from its refs."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.repositories.git_moves import Move, MoveContext, move_facts
from clew.detectors.repositories.git_operations import is_rebasing, under_way
from clew.detectors.repositories.git_refs import (
    Head,
    LogLine,
    Refs,
    log_lines,
    new_log_lines,
    short,
)
from clew.detectors.repositories.git_remote_refs import remote_facts, tag_facts
from clew.model.fact import Fact, Severity

_HEADS = "refs/heads/"
_RENAMED = "renamed refs/heads/"
_MAX_WORKTREES = 100


class RepositoryStory:
    """Refs of one repository, before and after."""

    def __init__(
        self,
        scope: str,
        git_dir: str,
        evidence: Evidence,
        old: Refs,
        new: Refs,
        context: MoveContext,
    ) -> None:
        self._scope = scope
        self._dir = git_dir
        self._evidence = evidence
        self._old, self._new = old, new
        self._context = context
        self._before, self._after = old.below(_HEADS), new.below(_HEADS)
        self._lines = {
            name: new_log_lines(old.log(_HEADS + name), new.log(_HEADS + name))
            for name in sorted({*self._before, *self._after})
            if self._before.get(name) != self._after.get(name)
            or self._has_changed(f"logs/{_HEADS}{name}")
        }
        self._renamed = {_renamed_from(lines) for lines in self._lines.values()}
        self._checked_out = dict(self._checkouts())

    def facts(self) -> Iterator[Fact]:
        for name in self._lines:
            yield from self._branch(name)
        for name, marks in self._checked_out.items():
            if name not in self._after or name in self._before:
                yield self._fact(name, self._before.get(name), self._after.get(name), marks)
        yield from self._removed_worktrees()
        yield from self._commits_without_branch()
        yield from self._rebase_under_way()
        heads = self._old.head(), self._new.head()
        trees = self._evidence.old, self._evidence.new
        yield from under_way(self._scope, self._dir, trees, heads)
        yield from tag_facts(self._scope, self._dir, self._old, self._new)
        yield from remote_facts(self._scope, self._dir, self._old, self._new, self._context)
        yield from self._stash()

    def _branch(self, name: str) -> Iterator[Fact]:
        before, after = self._before.get(name), self._after.get(name)
        if after is None:
            yield from self._deleted(name, before)
            return
        lines = self._lines[name]
        origin = _renamed_from(lines)
        head = self._old.head()
        is_first = head is not None and head.branch == name and before is None and not origin
        if before is None and not is_first:
            what = f"renamed from {origin}" if origin in self._before else "created"
            yield self._fact(name, None, after, (what, *self._checked_out.get(name, ())))
            before = self._before.get(origin)
            if origin in self._before and lines is not None:
                lines = new_log_lines(self._old.log(_HEADS + origin), self._new.log(_HEADS + name))
        where = f"{self._dir}/logs/{_HEADS}{name}"
        if self._evidence.new.entry(where) is None:
            where = f"{self._dir}/{_HEADS}{name}"
        yield from move_facts(
            Move(self._scope, name, before, after, lines, (where,)), self._context
        )

    def _deleted(self, name: str, before: str | None) -> Iterator[Fact]:
        if name in self._renamed:
            return
        is_reachable = before is None or self._context.is_reachable(before) is not False
        marks = ("deleted",) if is_reachable else ("deleted", "not merged")
        severity = Severity.NONE if is_reachable else Severity.NOTE
        yield self._fact(name, before, None, marks)._replace(severity=severity)

    def _fact(
        self, name: str, before: str | None, after: str | None, marks: tuple[str, ...]
    ) -> Fact:
        where = f"{self._dir}/HEAD" if "checked out" in marks else f"{self._dir}/{_HEADS}{name}"
        return Fact(
            "git.branch", self._scope, name, short(before), short(after),
            evidence=(where,), marks=marks,
        )  # fmt: skip

    def _checkouts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield what was newly checked out, in the main working tree and in linked ones."""
        for worktree in ("", *self._worktrees()):
            if any(
                self._is_rebasing(tree, worktree)
                for tree in (self._evidence.old, self._evidence.new)
            ):
                continue  # during a rebase HEAD moves from commit to commit
            was, now = self._old.head(worktree), self._new.head(worktree)
            if now is None or was == now or (was and now.branch and was.branch == now.branch):
                continue
            if (
                was
                and was.branch
                and _renamed_from(self._lines.get(now.branch or "")) == was.branch
            ):
                continue
            place = f"in worktree {worktree[10:-1]}" if worktree else ""
            marks = ["checked out", *([place] if place else [])]
            if now.branch is not None:
                yield now.branch, tuple(marks)
            elif now.commit is not None and self._was_checkout(worktree, was):
                yield str(short(now.commit)), (*marks, "no branch")

    def _worktrees(self) -> list[str]:
        names = self._evidence.new.entries(f"{self._dir}/worktrees")
        return [f"worktrees/{name}/" for name in sorted(names)[:_MAX_WORKTREES]]

    def _removed_worktrees(self) -> Iterator[Fact]:
        old, new = (
            tree.entries(f"{self._dir}/worktrees")
            for tree in (self._evidence.old, self._evidence.new)
        )
        for name in sorted(old.keys() - new.keys())[:_MAX_WORKTREES]:
            head = self._old.head(f"worktrees/{name}/") or Head()
            subject = head.branch or str(short(head.commit))
            tip = short(head.commit)
            where = (f"{self._dir}/worktrees/{name}/HEAD",)
            marks = (f"worktree {name} removed",)
            yield Fact("git.branch", self._scope, subject, tip, tip, evidence=where, marks=marks)

    def _was_checkout(self, worktree: str, was: Head | None) -> bool:
        """Return whether HEAD moved by a checkout, not by a commit on a detached HEAD."""
        if was is None or was.branch is not None:
            return True
        lines = self._head_lines(worktree)
        return any(line.verb == "checkout" for line in lines)

    def _commits_without_branch(self) -> Iterator[Fact]:
        head = self._new.head()
        if head is None or head.branch is not None:
            return
        if self._is_rebasing(self._evidence.new, ""):
            return
        tail: list[LogLine] = []
        for line in self._head_lines(""):
            if line.verb == "checkout":
                tail = []
            elif line.verb == "commit" and line.moves:
                tail.append(line)
        if tail:
            number = f"{len(tail):,} commit{'' if len(tail) == 1 else 's'}"
            yield Fact(
                "git.commit", self._scope, "HEAD", short(tail[0].old), short(tail[-1].new),
                evidence=(f"{self._dir}/logs/HEAD",), marks=(number, "no branch"),
            )  # fmt: skip

    def _head_lines(self, worktree: str) -> list[LogLine]:
        path = f"{self._dir}/{worktree}logs/HEAD"
        old, new = (tree.read(path) or b"" for tree in (self._evidence.old, self._evidence.new))
        return new_log_lines(old, new) or []

    def _rebase_under_way(self) -> Iterator[Fact]:
        for worktree in ("", *self._worktrees()):
            was, now = (
                self._is_rebasing(tree, worktree)
                for tree in (self._evidence.old, self._evidence.new)
            )
            if was == now:
                continue
            branch = self._rebased(self._evidence.new if now else self._evidence.old, worktree)
            if was and self._lines.get(branch):
                continue  # the rebase completed
            yield Fact(
                "git.rebase", self._scope, branch or "HEAD",
                marks=("under way",) if now else ("given up",),
                evidence=(f"{self._dir}/{worktree}HEAD",),
            )  # fmt: skip

    def _rebased(self, tree: Tree, worktree: str) -> str:
        """Return the branch that is being rebased."""
        name = b""
        for kind in ("rebase-merge", "rebase-apply"):
            path = f"{self._dir}/{worktree}{kind}/head-name"
            name = name or tree.read(path, 4096) or b""
        return name.decode("utf-8", "surrogateescape").strip().removeprefix(_HEADS)

    def _is_rebasing(self, tree: Tree, worktree: str) -> bool:
        return is_rebasing(tree, f"{self._dir}/{worktree}".rstrip("/"))

    def _stash(self) -> Iterator[Fact]:
        """Yield the number of stash entries; the stash log has one line for each."""
        old, new = (log_lines(refs.log("refs/stash")) for refs in (self._old, self._new))
        if [line.new for line in old] == [line.new for line in new]:
            return
        yield Fact(
            "git.stash", self._scope, "stash", str(len(old)), str(len(new)),
            evidence=(f"{self._dir}/logs/refs/stash",),
        )  # fmt: skip

    def _has_changed(self, path: str) -> bool:
        return f"{self._dir}/{path}" in self._evidence.changes


def _renamed_from(lines: list[LogLine] | None) -> str:
    """Return the former name of a renamed branch, or ""."""
    for line in reversed(lines or ()):
        if line.action == "Branch" and line.detail.startswith(_RENAMED):
            return line.detail.removeprefix(_RENAMED).partition(" to refs/heads/")[0]
    return ""
