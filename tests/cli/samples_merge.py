"""Merges to show: one that went well, one with conflicts."""

from __future__ import annotations

from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Labels
from clew.model.ids import ObjectId
from clew.model.merge_results import Conflict, ConflictReason, Merge
from clew.model.restore_results import PlannedPath, SkippedPath
from tests.cli import samples

TIP = samples.checkpoint(5, minutes_ago=3)
MERGED = samples.checkpoint(6, Labels("adopted fast-path", "checkpoint-6"), is_here=True)

_OTHER = samples.FILE._replace(size=1300, content=ObjectId(bytes([0xC2]) * 32))

CONFLICTS = (
    Conflict(b"run.sh", ConflictReason.DELETED_THERE, samples.FILE, samples.BIGGER, None),
    Conflict(b"src/app.py", ConflictReason.LINES, samples.FILE, samples.BIGGER, _OTHER),
)
HOSTILE = Conflict(samples.HOSTILE_PATH, ConflictReason.MADE, None, samples.LINK, samples.FILE)

TAKEN = (
    Change(b"src/app.py", ChangeKind.MODIFIED, samples.FILE, _OTHER),
    Change(b"src/new.py", ChangeKind.ADDED, None, samples.FILE),
)

MERGE = Merge(samples.NAMED, TIP, "fast-path", None, TAKEN, (b"src/app.py",))
DECIDED = MERGE._replace(favour="theirs", conflicts=CONFLICTS)
BLOCKED = Merge(samples.NAMED, TIP, "fast-path", None, conflicts=CONFLICTS)
NOTHING = Merge(samples.NAMED, TIP, "fast-path")
KEEPING = Merge(samples.LATEST, samples.NAMED, "", None, TAKEN, (b"src/app.py",))

PREVIEW = samples.PREVIEW._replace(
    target=TIP,
    created=(PlannedPath(b"src/new.py", 1200),),
    replaced=(PlannedPath(b"src/app.py", 1300, size_now=1200),),
    deleted=(),
    metadata=(),
    skipped=(SkippedPath(b"secrets", "not covered as it is now"),),
    processes=(),
    merge=MERGE,
)
STOPPED_BY_CONFLICTS = PREVIEW._replace(created=(), replaced=(), skipped=(), merge=BLOCKED)
KEPT_MINE = samples.checkpoint(
    6, Labels("restored 02020202, keeping later edits", "checkpoint-6"), is_here=True
)
ADOPTED = samples.RESTORED._replace(
    target=MERGED,
    here=MERGED,
    deleted=0,
    metadata=0,
    skipped=(),
    changed_after=(),
    merge=MERGE,
)
WENT_BACK = ADOPTED._replace(target=KEPT_MINE, here=KEPT_MINE, merge=KEEPING)
