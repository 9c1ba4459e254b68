"""Facts about one repository that exists in both trees, derived from its refs."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.repositories.git_moves import COMMITS, Move, MoveContext, move_facts
from clew.detectors.repositories.git_operations import (
    is_rebasing,
    operation_facts,
    rebased_branch,
)
from clew.detectors.repositories.git_refs import (
    Head,
    LogLine,
    Refs,
    log_lines,
    new_log_lines,
    short,
)
from clew.detectors.repositories.git_remote_refs import note_facts, remote_facts, tag_facts
from clew.detectors.repositories.git_stash import stash_facts
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_HEADS = "refs/heads/"
_RENAMED = "renamed refs/heads/"
_MAX_WORKTREES = 100
_MAX_LOG = 5_000
_MAX_LINES = 200
"""How many of the newest moves of HEAD are searched for commits without a branch."""


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
        yield from self._commits_without_branch()
        yield from self._commits_left_behind()
        yield from self._abandoned_rebases()
        for worktree in ("", *self._worktrees()):
            heads = self._old.head(worktree), self._new.head(worktree)
            own = f"{self._dir}/{worktree}".rstrip("/")
            yield from operation_facts(self._scope, own, self._evidence, heads)
        refs = self._scope, self._dir, self._old, self._new
        yield from tag_facts(*refs, self._context)
        yield from note_facts(*refs)
        yield from remote_facts(*refs, self._context)
        yield from stash_facts(*refs, self._context)

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
        path = f"{self._dir}/{_HEADS}{name}"
        left = self._evidence.new.entry(path)
        if left is not None and left.is_file:
            yield Fact(
                "broken.operation", self._scope, f"branch {name}", short(before), None,
                severity=Severity.HIGH, evidence=(path,), marks=("its ref is damaged",),
            )  # fmt: skip
            return
        fact = self._fact(name, before, None, ("deleted",))
        found = self._context.beyond(before) if before is not None else None
        if found is None or not found.lost:
            yield fact
        elif found.base is not None and self._context.files.have(str(before), found.base):
            marks = ("deleted", "not merged", "work kept in the files")
            yield fact._replace(severity=Severity.NOTE, marks=marks)
        else:
            lost = f"{counted(found.lost, 'commit')} not merged"
            yield fact._replace(severity=Severity.HIGH, marks=("deleted", lost))

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
            if worktree and was is None:
                continue  # `git_worktrees.py` reports a new worktree
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
            number = counted(len(tail), "commit")
            yield Fact(
                "git.commit", self._scope, "HEAD", short(tail[0].old), short(tail[-1].new),
                evidence=(f"{self._dir}/logs/HEAD",), marks=(number, "no branch"),
            )  # fmt: skip

    def _head_lines(self, worktree: str) -> list[LogLine]:
        path = f"{self._dir}/{worktree}logs/HEAD"
        old, new = (tree.read(path) or b"" for tree in (self._evidence.old, self._evidence.new))
        return new_log_lines(old, new) or []

    def _commits_left_behind(self) -> Iterator[Fact]:
        """Yield commits that were made without a branch, and that a checkout left there."""
        made = self._made_here()
        for line in self._head_lines("")[-_MAX_LINES:]:
            if line.verb != "checkout" or not line.moves or line.old not in made:
                continue
            found = self._context.beyond(line.old)
            if found is None or not found.lost or self._was_on_branch(line.old):
                continue
            is_kept = found.base is not None and self._context.files.have(line.old, found.base)
            yield Fact(
                "git.reset", self._scope, "HEAD", short(line.old), short(line.new),
                severity=Severity.NOTE if is_kept else Severity.HIGH,
                evidence=(f"{self._dir}/logs/HEAD",),
                marks=(f"{counted(found.lost, 'commit')} left on no branch",),
            )  # fmt: skip

    def _made_here(self) -> set[str]:
        """Return commits that were made in this repository, and not fetched."""
        lines = log_lines(self._new.log("HEAD"))[-_MAX_LOG:]
        return {line.new for line in lines if line.verb in COMMITS and line.moves}

    def _was_on_branch(self, commit: str) -> bool:
        """Return whether a branch was at a commit; its own fact tells what it lost."""
        if commit in self._before.values():
            return True
        lines = (line for found in self._lines.values() for line in found or ())
        return any(commit in (line.old, line.new) for line in lines)

    def _abandoned_rebases(self) -> Iterator[Fact]:
        for worktree in ("", *self._worktrees()):
            was, now = (
                self._is_rebasing(tree, worktree)
                for tree in (self._evidence.old, self._evidence.new)
            )
            if was and not now:
                own = f"{self._dir}/{worktree}".rstrip("/")
                branch = rebased_branch(self._evidence.old, own)
                if not self._lines.get(branch):  # otherwise the rebase completed
                    yield Fact(
                        "git.rebase", self._scope, branch or "HEAD",
                        marks=("given up",), evidence=(f"{own}/HEAD",),
                    )  # fmt: skip

    def _is_rebasing(self, tree: Tree, worktree: str) -> bool:
        return is_rebasing(tree, f"{self._dir}/{worktree}".rstrip("/"))

    def _has_changed(self, path: str) -> bool:
        return f"{self._dir}/{path}" in self._evidence.changes


def _renamed_from(lines: list[LogLine] | None) -> str:
    """Return the former name of a renamed branch, or ""."""
    for line in reversed(lines or ()):
        if line.action == "Branch" and line.detail.startswith(_RENAMED):
            return line.detail.removeprefix(_RENAMED).partition(" to refs/heads/")[0]
    return ""
