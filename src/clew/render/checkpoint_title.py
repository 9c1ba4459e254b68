"""Short descriptions of a checkpoint, its changes and its verdict, shared by all listings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.entry import Reason
from clew.model.ids import short
from clew.model.record import Coverage, Origin
from clew.model.shorten import shorten_to_width
from clew.model.verdict import RunEnd, VerdictStatus
from clew.render import timestamps
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint
from clew.render.units import count, duration

if TYPE_CHECKING:
    from clew.model.change import ChangeCounts
    from clew.model.checkpoint import Checkpoint
    from clew.model.drill import Drill
    from clew.model.verdict import Verdict

MARK_SAVED = "●"
MARK_AUTOMATIC = "○"
MARK_RESCUE = "◦"

_VERDICT_MARKS = {VerdictStatus.PASSING: "✔", VerdictStatus.FAILING: "✘", VerdictStatus.FLAKY: "~"}
_VERDICT_COLOURS = {VerdictStatus.PASSING: "green", VerdictStatus.FAILING: "red"}
_ENDINGS = {
    RunEnd.TIMEOUT: "timed out",
    RunEnd.INTERRUPTED: "interrupted",
    RunEnd.SKIPPED: "skipped",
    RunEnd.FAILED: "could not be started",
}
_PATHS_NAMED = 3


def mark(checkpoint: Checkpoint) -> str:
    """Return the sign at the start of a checkpoint's line; filled for one that a person asked for."""
    if checkpoint.is_rescue:
        return MARK_RESCUE
    if checkpoint.labels.named or checkpoint.record.origin == Origin.MANUAL:
        return MARK_SAVED
    return MARK_AUTOMATIC


def title(checkpoint: Checkpoint) -> str:
    """Return a checkpoint's name and intent, or its generated name."""
    labels = checkpoint.labels
    words = [safe_line(labels.name)] if labels.named else []
    if labels.intent:
        words.append(safe_line(labels.intent))
    text = " · ".join(words) or safe_line(labels.name)
    return f"↩ rescue {text}".rstrip() if checkpoint.is_rescue else text


def called(checkpoint: Checkpoint) -> str:
    """Return the id and title for use in a sentence: `3f2a9c10 (before auth)`."""
    text = shorten_to_width(title(checkpoint), 60)
    return f"{short(checkpoint.id)} ({text})" if text else short(checkpoint.id)


def counts(changes: ChangeCounts | None) -> str:
    """Return `+3 ~2 -1 →1 *4`: added, modified, deleted, renamed, metadata only."""
    if changes is None:
        return ""
    signs = zip("+~-→*", changes, strict=True)
    return " ".join(f"{sign}{number}" for sign, number in signs if number) or "="


def counts_in_words(changes: ChangeCounts) -> str:
    """Return `3 added, 1 deleted`, or `no changes`."""
    words = zip(
        ("added", "modified", "deleted", "renamed", "with changed metadata"), changes, strict=True
    )
    return ", ".join(f"{number:,} {word}" for word, number in words if number) or "no changes"


def verdict(found: Verdict) -> str:
    """Return `✔ npm test`, or `✔ by hand`; `✔!` if files changed while it ran."""
    what = "by hand" if found.is_by_hand else safe_line(found.command)
    return f"{verdict_sign(found)} {what}"


def verdict_sign(found: Verdict) -> str:
    """Return `✔`, or `✔!` if files changed while the check ran."""
    mark = _VERDICT_MARKS.get(found.status, "?")
    is_doubtful = found.changed_count and found.status in _VERDICT_COLOURS and not found.is_by_hand
    return f"{mark}!" if is_doubtful else mark


def check(found: Verdict) -> str:
    """Return `✘ check failing (exit 1)` or `? check timed out`, without the command."""
    if found.status == VerdictStatus.UNKNOWN:
        return f"? check {_ending(found)}"
    mark = _VERDICT_MARKS.get(found.status, "?")
    return f"{mark} check {found.status} ({_ending(found)})"


def verdict_colour(found: Verdict) -> str:
    return "yellow" if found.changed_count else _VERDICT_COLOURS.get(found.status, "yellow")


def verdict_in_words(found: Verdict, look: Style) -> str:
    """Return `✘ npm test: failing, exit 1, 2.1 s`, or `✘ by hand: failing`."""
    if found.is_by_hand:
        return paint(f"{verdict(found)}: {found.status}", verdict_colour(found), look)
    status = f"{found.status}, but its inputs changed" if found.changed_count else found.status
    text = f"{verdict(found)}: {status}, {_ending(found)}, {duration(found.duration_ns)}"
    return paint(text, verdict_colour(found), look)


def _ending(found: Verdict) -> str:
    if found.end_reason in _ENDINGS:
        return _ENDINGS[found.end_reason]
    return "cut short" if found.exit_code is None else f"exit {found.exit_code}"


def drill_in_words(found: Drill, look: Style) -> str:
    """Return `restore proven on 2026-11-18`."""
    return f"restore {found.outcome} on {timestamps.date(found.time_ns, look)}"


def gaps(coverage: Coverage) -> list[str]:
    """Return a sentence for each gap in the coverage of a checkpoint."""
    found = []
    if coverage.unreadable:
        paths = [item.path for item in coverage.uncovered if item.reason_name == "unreadable"]
        what = count(coverage.unreadable, "path")
        found.append(f"{what} could not be read: {some(paths, coverage.unreadable)}")
    if coverage.unstable:
        what = count(len(coverage.unstable), "file")
        paths = list(coverage.unstable)
        found.append(f"{what} kept changing while being read: {some(paths, len(paths))}")
    return found + too_large(coverage)


def too_large(coverage: Coverage, earlier: Coverage | None = None) -> list[str]:
    """Return a sentence about files above the size limit, without those that were it earlier."""
    number = dict(coverage.counts).get(Reason.NAMES[Reason.LARGE], 0)
    paths = _large_paths(coverage)
    if earlier is not None:
        known = set(_large_paths(earlier))
        paths = [path for path in paths if path not in known]
        number = len(paths)
    if not number:
        return []
    what = count(number, "file")
    return [f"{what} not captured, larger than `exclude-larger-than`: {some(paths, number)}"]


def _large_paths(coverage: Coverage) -> list[bytes]:
    return [item.path for item in coverage.uncovered if item.reason == Reason.LARGE]


def some(paths: list[bytes], total: int) -> str:
    """Return the first few of `total` paths, and how many more there are."""
    named = [shorten_to_width(safe_path(path), 60) for path in paths[:_PATHS_NAMED]]
    more = total - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more and named else "") or "…"
