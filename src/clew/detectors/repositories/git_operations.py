"""Unfinished git operations: merge, cherry-pick, revert, rebase, patches, bisect, a left lock.

Each leaves a file in the git directory until it is completed or aborted.
Files in conflict have several stages in the index; `git stash pop` leaves them without any other
sign.
A lock stays if git is killed while it writes; until somebody removes it, git refuses to work.
A running git has the same lock.  Only time separates them: a lock is left if work went on for longer
than a command of git takes, hooks and an editor included.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.repositories.git_indexes import GitIndexes, Index
from clew.detectors.repositories.git_refs import Head, short
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_REBASES = ("rebase-merge/head-name", "rebase-apply/head-name")
_APPLYING = "rebase-apply/applying"
_FILES = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}
_BISECT = "BISECT_LOG"
_STOPS = ("rebase", "git am")
"""Operations that nobody stops on purpose for long: commits are still to come."""
_LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")
UNDER_WAY = (*_FILES, _BISECT, *_LOCKS, "index")
"""Files whose change may begin or end an operation."""
_HEADS = "refs/heads/"
_LEFT_NS = (15 * 60 * 10**9, 90 * 86_400 * 10**9)
"""The age of a lock that git left; what is much younger than the lock has a wrong date."""


class Unfinished(NamedTuple):
    """An operation that git has begun."""

    what: str
    """`merge`; `conflict` if only the index shows it."""
    sign: str
    """The file that shows it."""
    branch: str
    conflicts: tuple[str, ...]
    """The files in conflict."""


def is_rebasing(tree: Tree, git_dir: str) -> bool:
    return any(tree.entry(f"{git_dir}/{name}") is not None for name in _REBASES)


def rebased_branch(tree: Tree, git_dir: str) -> str:
    """Return the branch that is being rebased, or ""."""
    for name in _REBASES:
        content = tree.read(f"{git_dir}/{name}", 4096)
        if content:
            return content.decode("utf-8", "surrogateescape").strip().removeprefix(_HEADS)
    return ""


def operation_facts(
    scope: str, own: str, evidence: Evidence, heads: tuple[Head | None, Head | None]
) -> Iterator[Fact]:
    """Yield what began in a git directory, and what was given up without a commit."""
    was, now = (
        _unfinished(tree, own, evidence.once(GitIndexes).in_tree(tree, own), head)
        for tree, head in zip((evidence.old, evidence.new), heads, strict=True)
    )
    if now is not None and (was is None or now.what != was.what):
        yield _began(scope, now)
    elif now is not None and was is not None and now.conflicts != was.conflicts:
        fact = _began(scope, now)
        yield fact._replace(marks=("still under way", *fact.marks), severity=Severity.NOTE)
    elif was is not None and now is None and was.what != "rebase" and heads[0] == heads[1]:
        what = "conflicts resolved" if was.what == "conflict" else f"{was.what} given up"
        yield _branch_fact(scope, was.sign, heads[1], what)
    yield from _bisection(scope, own, evidence, heads[1])
    yield from _left_locks(scope, own, evidence, heads[1])
    index = f"{own}/index"
    if evidence.old.entry(index) is not None and evidence.new.entry(index) is None:
        if evidence.new.entry(f"{own}/HEAD") is not None:
            yield Fact(
                "broken.operation", scope, "index", severity=Severity.HIGH, evidence=(index,),
                marks=("it is gone, with what was staged",),
            )  # fmt: skip


def _unfinished(tree: Tree, own: str, index: Index | None, head: Head | None) -> Unfinished | None:
    conflicts = tuple(path for path, staged in (index or {}).items() if staged.is_conflict)
    branch = (head.branch or short(head.commit) or "HEAD") if head is not None else "HEAD"
    if is_rebasing(tree, own):  # it cherry-picks commits: a rebase, not a cherry-pick
        return Unfinished("rebase", f"{own}/HEAD", rebased_branch(tree, own) or "HEAD", conflicts)
    if tree.entry(f"{own}/{_APPLYING}") is not None:
        return Unfinished("git am", f"{own}/{_APPLYING}", branch, conflicts)
    for name, what in _FILES.items():
        if tree.entry(f"{own}/{name}") is not None:
            return Unfinished(what, f"{own}/{name}", branch, conflicts)
    return Unfinished("conflict", f"{own}/index", branch, conflicts) if conflicts else None


def _began(scope: str, now: Unfinished) -> Fact:
    conflicts = f"conflicts in {counted(len(now.conflicts), 'file')}"
    on = f"of {now.branch}" if now.what == "rebase" else f"on {now.branch}"
    return Fact(
        "broken.operation", scope, now.what,
        severity=Severity.HIGH if now.conflicts or now.what in _STOPS else Severity.NOTE,
        evidence=(now.sign,), marks=(on, *((conflicts,) if now.conflicts else ())),
    )  # fmt: skip


def _bisection(scope: str, own: str, evidence: Evidence, head: Head | None) -> Iterator[Fact]:
    path = f"{own}/{_BISECT}"
    was, now = (tree.entry(path) is not None for tree in (evidence.old, evidence.new))
    if was != now and head is not None:
        yield _branch_fact(scope, path, head, f"bisect {'under way' if now else 'ended'}")


def _branch_fact(scope: str, path: str, head: Head | None, what: str) -> Fact:
    head = head or Head()
    tip = short(head.commit)
    subject = head.branch or str(tip)
    return Fact("git.branch", scope, subject, tip, tip, evidence=(path,), marks=(what,))


def _left_locks(scope: str, own: str, evidence: Evidence, head: Head | None) -> Iterator[Fact]:
    """Yield locks that are new; no warning if git may run at this moment."""
    for name in _LOCKS:
        path = f"{own}/{name}"
        lock = evidence.new.entry(path)
        if lock is None or evidence.old.entry(path) is not None:
            continue
        if _is_outlived(evidence, lock.mtime_ns):
            yield Fact(
                "broken.operation", scope, name, severity=Severity.HIGH, evidence=(path,),
                marks=("git was interrupted",),
            )  # fmt: skip
        else:
            fact = _branch_fact(scope, path, head, f"{name} left")
            yield fact._replace(severity=Severity.NOTE)


def _is_outlived(evidence: Evidence, since: int) -> bool:
    """Return whether something was written so long after a lock that git does not hold it any more."""
    least, most = _LEFT_NS
    ages = (one.new.mtime_ns - since for one in evidence.changes.values() if one.new is not None)
    return any(least <= age <= most for age in ages)
