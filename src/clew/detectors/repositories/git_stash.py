"""The stash: entries that were added, applied or dropped.

The log of the stash has one line for each entry.
An entry that is gone was applied if the files have its changes; otherwise they are lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.repositories.git_checkout import CommitFiles
from clew.detectors.repositories.git_moves import MoveContext
from clew.detectors.repositories.git_refs import Refs, log_lines
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_STASH = "refs/stash"
_MAX_ENTRIES = 50
"""How many dropped entries are compared with the files."""


def stash_facts(
    scope: str, git_dir: str, old: Refs, new: Refs, context: MoveContext
) -> Iterator[Fact]:
    """Yield the fact about a stash with other entries."""
    before, after = ([line.new for line in log_lines(refs.log(_STASH))] for refs in (old, new))
    if before == after:
        return
    gone = [entry for entry in before if entry not in after]
    added = [entry for entry in after if entry not in before]
    lost: list[str] = []
    dropped = applied = 0
    for entry in gone[:_MAX_ENTRIES]:
        lacking = _lost_files(context, entry, added)
        dropped += lacking != []
        applied += lacking == []
        lost += lacking or ()
    yield Fact(
        "git.stash", scope, "stash", str(len(before)), str(len(after)),
        severity=Severity.HIGH if lost else Severity.NOTE if dropped else Severity.NONE,
        evidence=(f"{git_dir}/logs/{_STASH}",),
        marks=tuple(_marks(dropped + len(gone[_MAX_ENTRIES:]), applied, len(added), lost)),
    )  # fmt: skip


def _lost_files(context: MoveContext, entry: str, kept: list[str]) -> list[str] | None:
    """Return the files whose stashed changes are nowhere any more; None if unknown."""
    commit = context.objects.commit(entry)
    if commit is None or not commit.parents:
        return None
    found = context.files.lack(entry, commit.parents[0])
    untracked = context.files.lack(commit.parents[2], None) if len(commit.parents) > 2 else []
    if found is None or untracked is None:
        return None
    entries = [CommitFiles(context.objects, other) for other in (entry, *kept)]
    return [path for path in found if not _is_among(path, *entries)] + untracked


def _is_among(path: str, mine: CommitFiles, *others: CommitFiles) -> bool:
    """Return whether another entry has the same content, as after a pop and a push."""
    try:
        wanted = mine.find(path)
        return wanted is not None and any(other.find(path) == wanted for other in others)
    except LookupError:
        return False


def _marks(dropped: int, applied: int, added: int, lost: list[str]) -> Iterator[str]:
    for number, word in ((dropped, "dropped"), (applied, "applied"), (added, "added")):
        if number:
            yield f"{counted(number, 'entry', 'entries')} {word}"
    if lost:
        more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        yield f"changes to {lost[0]}{more} are lost"
