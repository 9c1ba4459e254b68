"""What comes of private copies, to show: one of everything, the same in every run."""

from __future__ import annotations

from clew.model.change import ChangeCounts, ChangeKind
from clew.model.checkpoint import Labels
from clew.model.drill import Drill, DrillDifference, DrillOutcome
from clew.model.record import Origin
from clew.model.restore_results import SkippedPath
from clew.model.results import Difference
from clew.model.sandbox_results import (
    AttemptResult,
    ComparedPath,
    ComparedState,
    Comparison,
    DrillResult,
    Executed,
    RunOutcome,
    TryResult,
    VerifyResult,
)
from clew.model.verdict import Details, RunEnd, Where
from tests.cli import samples

HOME_IS_LIVE = "The home directory and the rest of the disk are not isolated"
NOT_HELD = "Not in the checkpoint: secrets/a (unreadable), tmp (excluded) and 1 more"
IN_A_COPY = Details(network="own", notes=(HOME_IS_LIVE, NOT_HELD))

JUDGED = VerifyResult(
    samples.LATEST,
    samples.verdict(1, output="1 test failed\n")._replace(
        ran_in=Where.PRIVATE_COPY, details=IN_A_COPY, state=samples.LATEST.record.state
    ),
)

_DRILL = Drill(samples.LATEST.record.time_ns + samples.SECOND, DrillOutcome.PROVEN)
DRILLED = DrillResult(
    samples.NAMED._replace(drill=_DRILL),
    _DRILL,
    (),
    (SkippedPath(b"dev/null", "owner: Operation not permitted"),),
    samples.verdict(0)._replace(ran_in=Where.PRIVATE_COPY, details=IN_A_COPY),
    1_200_000_000,
)
_DAMAGE = (DrillDifference(b"src/app.py", "its content cannot be read"),)
_FAILED = _DRILL._replace(outcome=DrillOutcome.FAILED, differing_count=1, differences=_DAMAGE)
DAMAGED = DrillResult(samples.NAMED._replace(drill=_FAILED), _FAILED, _DAMAGE, (), None, 1)

RAN = RunOutcome(
    "npm update",
    RunEnd.EXITED,
    0,
    2_100_000_000,
    "changed 1 package\n",
    Where.PRIVATE_COPY,
    "own",
    (HOME_IS_LIVE,),
)
CHANGED = Difference(samples.NAMED, None, samples.CHANGES[:2], samples.WHOLE, samples.QUIET_STORY)
EXECUTED = Executed(RAN, CHANGED)

GOOD_WAY = samples.checkpoint(
    5,
    Labels("npm update", "checkpoint-2"),
    origin=Origin.AUTOMATIC,
    changes=ChangeCounts(1, 1),
    verdict=samples.verdict(0),
)
BAD_WAY = samples.checkpoint(
    6,
    Labels("rm -rf src", "checkpoint-2"),
    origin=Origin.AUTOMATIC,
    changes=ChangeCounts(deleted=1),
    verdict=samples.verdict(1, output="no tests found\n"),
)
BOARD = TryResult(
    samples.NAMED,
    "npm test",
    (
        AttemptResult(
            "update", RAN, "update-2", GOOD_WAY, GOOD_WAY.verdict,
            CHANGED._replace(new=GOOD_WAY),
        ),
        AttemptResult(
            "remove", RAN._replace(command="rm -rf src", output=""), "remove", BAD_WAY,
            BAD_WAY.verdict,
            CHANGED._replace(new=BAD_WAY, changes=samples.CHANGES[2:3]),
        ),
        AttemptResult(
            "think",
            RAN._replace(
                command="sleep inf", end_reason=RunEnd.TIMEOUT, exit_code=None, output="hm\n",
                duration_ns=600 * samples.SECOND,
            ),
        ),
    ),
)  # fmt: skip

COMPARISON = Comparison(
    samples.NAMED,
    (
        ComparedState("update-2", "update-2", GOOD_WAY, ChangeCounts(1, 1), samples.QUIET_STORY),
        ComparedState("@", "", samples.LATEST, ChangeCounts(0, 2), samples.KEPT_STORY),
    ),
    (
        ComparedPath(b"alike", (ChangeKind.MODIFIED, ChangeKind.MODIFIED), is_same=True),
        ComparedPath(b"mine", (ChangeKind.ADDED, None), is_same=True),
        ComparedPath(b"other\xff", (None, ChangeKind.METADATA), is_same=True),
        ComparedPath(b"torn", (ChangeKind.DELETED, ChangeKind.MODIFIED), is_same=False),
    ),
)
