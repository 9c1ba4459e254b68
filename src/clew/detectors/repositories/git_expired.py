"""Commits that only a log of git kept, and that are gone since the log was shortened.

After a reset or a rebase the log of HEAD still names the old commits, so that they can be found again.
`git reflog expire --expire=now --all` and `git gc --prune=now` take both away.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_refs import Refs, log_lines
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_MAX_LINES = 400


def expired_facts(
    scope: str, git_dir: str, evidence: Evidence, old: Refs, new: Refs, id_size: int
) -> Iterator[Fact]:
    """Yield how many commits are gone with the log of HEAD."""
    path = f"{git_dir}/logs/HEAD"
    change = evidence.changes.get(path)
    if change is None or change.old is None or (change.new and change.new.size >= change.old.size):
        return
    was, now = log_lines(old.log("HEAD")), log_lines(new.log("HEAD"))
    if now and now[0] not in was:
        return  # another repository, which is told as such
    kept = {line.new for line in now} | {*new.all.values()}
    named = (line.new for line in reversed(was[-_MAX_LINES:]))
    wanted = [one for one in dict.fromkeys(named) if one not in kept]
    if not wanted:
        return
    before, after = (
        Objects((tree,), git_dir, id_size=id_size) for tree in (evidence.old, evidence.new)
    )
    lost = sum(before.resolve(one) is not None and after.resolve(one) is None for one in wanted)
    if lost:
        yield Fact(
            "git.branch", scope, counted(lost, "commit"), severity=Severity.HIGH, evidence=(path,),
            marks=("expired", "that only the reflog kept deleted"),
        )  # fmt: skip
