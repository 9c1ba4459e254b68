"""Values to show: one of everything, the same in every run."""

from __future__ import annotations

from clew.model.bisect_search import BisectOutcome, BisectResult
from clew.model.change import Change, ChangeCounts, ChangeKind
from clew.model.checkpoint import Checkpoint, Labels, WorkspaceInfo
from clew.model.entry import FLAG_IMMUTABLE, Entry, EntryKind, Reason
from clew.model.fact import Fact, FactBasis, Severity
from clew.model.holder import Holder
from clew.model.ids import CheckpointId, ObjectId, StateId
from clew.model.record import Consistency, Coverage, Origin, Record, Uncovered
from clew.model.restore_results import PlannedPath, RestorePreview, RestoreResult, SkippedPath
from clew.model.results import (
    Appearance,
    Blame,
    CheckpointStory,
    CheckResult,
    Damage,
    DeleteResult,
    Difference,
    GcResult,
    HoldingCheckpoint,
    Listing,
    Log,
    PruneResult,
    Searched,
    Stats,
)
from clew.model.retention import RetentionRule, Tombstone
from clew.model.save_result import SaveResult
from clew.model.story import Story, StoryLine
from clew.model.verdict import Verdict

SECOND = 1_000_000_000
NOW = 1_767_611_220 * SECOND
"""Monday 5 January 2026, 11:07 UTC."""

HOSTILE = "\x1b[31mred\x07 \u202eevil\n\u009b2J"
HOSTILE_PATH = b"\x1b[2J\xff\n\xe2\x80\xae"

COVERAGE = Coverage(
    files=1234,
    total_bytes=5_600_000,
    counts=(("excluded", 1), ("unreadable", 2)),
    uncovered=(
        Uncovered(b"secrets/a", Reason.UNREADABLE),
        Uncovered(b"secrets/b", Reason.UNREADABLE),
        Uncovered(b"tmp", Reason.EXCLUDED),
    ),
    unstable=(b"app.log",),
    blind=3,
)
WHOLE = Coverage(files=12, total_bytes=34_000)
SOME_CHANGES = ChangeCounts(3, 2, 1)


def checkpoint(
    number: int,
    labels: Labels | None = None,
    *,
    minutes_ago: int = 0,
    origin: str = Origin.MANUAL,
    coverage: Coverage = WHOLE,
    changes: ChangeCounts | None = SOME_CHANGES,
    verdict: Verdict | None = None,
    is_here: bool = False,
) -> Checkpoint:
    """Return a checkpoint whose every id can be told from its number."""
    record = Record(
        workspace=bytes([0x77]) * 16,
        sequence=number,
        time_ns=NOW - minutes_ago * 60 * SECOND,
        parent=CheckpointId(bytes([number - 1]) * 32) if number > 1 else None,
        tree=ObjectId(bytes([number, 0xAA]) * 16),
        state=StateId(bytes([number, 0xBB]) * 16),
        links=ObjectId(bytes(32)),
        rules=ObjectId(bytes(32)),
        origin=origin,
        consistency=Consistency.FUZZY if coverage.unstable else Consistency.STABLE,
        coverage=coverage,
    )
    found = labels or Labels(name=f"checkpoint-{number}")
    identifier = CheckpointId(bytes([number]) * 32)
    return Checkpoint(identifier, record, found, changes, verdict, is_here)


def verdict(exit_code: int | None = 0, command: str = "npm test", output: str = "") -> Verdict:
    return Verdict(command, exit_code, 2_100_000_000, output, NOW, "workspace", StateId(bytes(32)))


FAILING = verdict(1, output="1 test failed\nexpected 200, got 302\n")

FIRST = checkpoint(1, minutes_ago=60 * 24 * 30, changes=ChangeCounts(added=12))
NAMED = checkpoint(
    2,
    Labels("before the auth refactor", "before-auth", True, "Last known good.", True),
    minutes_ago=60 * 25,
    verdict=verdict(0),
)
RESCUE = checkpoint(
    3,
    Labels("before restoring before-auth", "checkpoint-3"),
    minutes_ago=40,
    origin=Origin.RESCUE,
    changes=ChangeCounts(modified=1),
)
LATEST = checkpoint(
    4,
    Labels("try the new login", "checkpoint-4", meta=(("ticket", "AB-12"),)),
    minutes_ago=7,
    coverage=COVERAGE,
    verdict=FAILING,
    is_here=True,
)

FILE = Entry(b"app.py", EntryKind.FILE, 0o644, 1000, 1000, NOW, 1200, ObjectId(bytes([0xC0]) * 32))
BIGGER = FILE._replace(mode=0o755, size=3400, content=ObjectId(bytes([0xC1]) * 32))
LINK = Entry(b"current", EntryKind.SYMLINK, 0o777, 1000, 1000, NOW, target=b"releases/7")
DIRECTORY = Entry(b"src", EntryKind.DIRECTORY, 0o2750, 0, 0, NOW)
DEVICE = Entry(b"null", EntryKind.CHARACTER, 0o666, 0, 0, NOW, device=(1, 3))
SECRET = Entry(b"secrets", EntryKind.UNCOVERED, reason=Reason.UNREADABLE)
FROZEN = FILE._replace(name=b"frozen", flags=FLAG_IMMUTABLE, xattrs=ObjectId(bytes([0xDD]) * 32))

CHANGES = (
    Change(b"src/new.py", ChangeKind.ADDED, None, FILE),
    Change(b"src/app.py", ChangeKind.MODIFIED, FILE, BIGGER),
    Change(b"old.txt", ChangeKind.DELETED, FILE, None),
    Change(b"b.txt", ChangeKind.RENAMED, FILE, FILE, b"a.txt"),
    Change(b"run.sh", ChangeKind.METADATA, FILE, FILE._replace(mode=0o755, uid=0)),
    Change(b"current", ChangeKind.TYPE, FILE, LINK),
    Change(b"bad\xff", ChangeKind.ADDED, None, LINK),
)

INFO = WorkspaceInfo(bytes([0x77]) * 16, b"/home/me/project", 42, False, LATEST.id)
STORE = "/home/me/.local/share/clew"

LOG = Log(LATEST.id, (LATEST, RESCUE, NAMED, FIRST))
HOOK = Fact(
    "security.git_hook",
    ".",
    "pre-commit",
    severity=Severity.HIGH,
    evidence=(".git/hooks/pre-commit",),
)
FLASK = Fact(
    "package.changed", "pip:.venv", "flask", "2.3.3", "3.0.0", evidence=("flask-3.0.0.dist-info",)
)
BLINKER = Fact("package.added", "pip:.venv", "blinker", None, "1.8.2", direct=False)
PORT = Fact(
    "port.opened", "tcp", "0.0.0.0:8000", None, "flask run", True, Severity.NOTE, FactBasis.LIVE
)
STORY = Story(
    "! git will run something new: pre-commit; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
    (HOOK, PORT, FLASK, BLINKER),
    (
        StoryLine(
            "Warnings",
            "git will run something new: pre-commit",
            Severity.HIGH,
            (".git/hooks/pre-commit",),
            1,
        ),
        StoryLine(
            "Packages",
            "installed blinker 1.8.2; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
            paths=(".venv/flask", ".venv/blinker"),
            path_count=2,
        ),
        StoryLine("Files", "src/app.py changed", paths=("src/app.py",), path_count=1),
        StoryLine("Running", "ports: 0.0.0.0:8000 opened (flask run)", Severity.NOTE),
    ),
    4,
)
KEPT_STORY = STORY.without_paths()
QUIET_STORY = Story(
    "src/new.py added", (), (StoryLine("Files", "src/new.py added", path_count=1),), 1
)
TOLD = CheckpointStory(
    LATEST._replace(headline=STORY.headline),
    KEPT_STORY,
    ("git will run something new: pre-commit",),
    (FAILING,),
)
BLAME = Blame("flask", (Appearance(LATEST, (FLASK,)), Appearance(NAMED, (), CHANGES[:1])))
SAVED = SaveResult(
    TOLD.checkpoint, True, 1_200_000, False, 340_000_000, ("counted later",), KEPT_STORY, FAILING
)
DIFFERENCE = Difference(NAMED, LATEST, CHANGES)
STATUS = Difference(LATEST, None, CHANGES[:2], WHOLE, QUIET_STORY)
LISTING = Listing(LATEST, b"", (FILE, LINK, DIRECTORY, DEVICE, SECRET, FROZEN))
PREVIEW = RestorePreview(
    target=NAMED,
    created=(PlannedPath(b"old.txt", 1200),),
    replaced=(PlannedPath(b"src/app.py", 1200),),
    deleted=(PlannedPath(b"src/new.py", 1200, is_new_work=True),),
    metadata=(PlannedPath(b"run.sh", 0),),
    skipped=(SkippedPath(b"secrets", "not covered by the checkpoint"),),
    processes=(Holder(321, "node server.js", b"src/app.py"),),
    dirty=True,
    needed_bytes=4_000_000,
    free_bytes=9_000_000_000,
    unsaved=(b"src/app.py",),
)
RESTORED = RestoreResult(
    target=NAMED,
    rescue=RESCUE,
    here=NAMED,
    created=1,
    replaced=1,
    deleted=1,
    metadata=1,
    verified=True,
    skipped=(SkippedPath(b"secrets", "not covered by the checkpoint"),),
    changed_after=(b"app.log",),
)
PARTIAL = RESTORED._replace(here=LATEST, problems=(SkippedPath(b"null", "only root may make it"),))
DELETED = DeleteResult((FIRST,), 80_000, ("src/app.py is also in 02020202",))
PURGED = DELETED._replace(
    held_by=(HoldingCheckpoint(NAMED.id, b"/home/me/project"),), searched=Searched(24, 70_000_000)
)
PRUNED = PruneResult(
    (FIRST,),
    (("named", 1), ("current", 1)),
    80_000,
    4_000_000,
    5_000_000_000,
    True,
    (RetentionRule.HOURLY,),
)
NO_MORE = Tombstone(FIRST.id, 1, FIRST.record.time_ns, None, NOW, RetentionRule.HOURLY)
COLLECTED = GcResult(80_000, 120, 2, 4_000_000)
WHOLE_STORE = CheckResult((), ("the backup is 12 minutes old",), 7, 4321, 4, 4_000_000)
DAMAGED_STORE = WHOLE_STORE._replace(
    damages=(Damage("packs/7f.pack", "a frame does not match its checksum", ("02020202",)),)
)
STATS = Stats(
    STORE, 4_000_000, 5_000_000_000, 7, 4321, 9, 4, 16_000_000, (("blob", 4000, 15_000_000),)
)
CONFIG = {"exclude": "", "keep-last": "100", "max-bytes": "5GB"}
BISECTED = BisectResult(
    BisectOutcome.FOUND,
    "npm test",
    oldest=FIRST,
    newest=LATEST,
    candidates=64,
    first_bad=LATEST,
    last_good=NAMED,
    runs=7,
    known=1,
    details=TOLD,
)
