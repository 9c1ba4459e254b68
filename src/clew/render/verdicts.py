"""Text of verdicts: the run after a save, and every run for `show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.verdict import Verdict, VerdictStatus, Where
from clew.policy.redaction.redact import redact
from clew.render import checkpoint_title, timestamps, units
from clew.render.columns import field
from clew.render.safe import safe, safe_line
from clew.render.style import paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clew.render.style import Style

_TAIL_LINES = 5
_DISTURBED = "with changed inputs"


def ran(verdict: Verdict, look: Style) -> Iterator[str]:
    """Yield the result of a run, and the end of its output unless it passed."""
    yield f"  {checkpoint_title.verdict_in_words(verdict, look)}"
    for line in _circumstances(verdict):
        yield f"    {line}"
    if verdict.status == VerdictStatus.PASSING:
        return
    for line in verdict.output.splitlines()[-_TAIL_LINES:]:
        yield f"    {safe(line)}"


def every_run(verdicts: Iterable[Verdict], first: str, look: Style) -> Iterator[str]:
    """Yield the latest result of each command, and a tally of its runs.

    `verdicts` are newest first; the verdict of the checkpoint is that of the command `first`.
    """
    by_command: dict[str, list[Verdict]] = {first: []}
    for verdict in verdicts:
        by_command.setdefault(verdict.command, []).append(verdict)
    for runs in by_command.values():
        if runs:
            yield from _runs(runs, look)


def known(verdict: Verdict, look: Style) -> str:
    """Return an earlier verdict: `✔ npm test: passing in the workspace, 10:27`."""
    when = timestamps.short(verdict.time_ns, look)
    if verdict.is_by_hand:
        return f"{checkpoint_title.verdict_in_words(verdict, look)}, {when}"
    status = "passing, but its inputs changed," if verdict.changed_count else verdict.status
    text = f"{checkpoint_title.verdict(verdict)}: {status} in {place(verdict)}, {when}"
    return paint(text, checkpoint_title.verdict_colour(verdict), look)


def _runs(runs: Sequence[Verdict], look: Style) -> Iterator[str]:
    """Yield the runs of one command; the latest conclusive one is shown in full."""
    verdict = next((run for run in runs if run.is_telling), runs[0])
    yield field("verdict", checkpoint_title.verdict_in_words(verdict, look))
    when = timestamps.full(verdict.time_ns, look)
    yield field("", f"noted {when}" if verdict.is_by_hand else f"ran in {place(verdict)}, {when}")
    if len(runs) > 1:
        yield field("", _tally(runs))
    for line in _circumstances(verdict):
        yield field("", line)
    for note in verdict.details.notes:
        yield field("", safe_line(note))
    for line in redact(verdict.output).splitlines():
        yield f"    {safe(line)}"


def _tally(runs: Sequence[Verdict]) -> str:
    """Return `3 runs: 2 passing, 1 failing`."""
    counts = dict.fromkeys(
        (
            *(VerdictStatus.PASSING, VerdictStatus.FAILING, VerdictStatus.INCONCLUSIVE),
            *(VerdictStatus.UNKNOWN, _DISTURBED),
        ),
        0,
    )
    for run in runs:
        alone = run._replace(is_flaky=False)  # the result of this run alone
        counts[_DISTURBED if run.changed_count else alone.status] += 1
    parts = (f"{number} {word}" for word, number in counts.items() if number)
    return f"{units.count(len(runs), 'run')}: {', '.join(parts)}"


def _circumstances(verdict: Verdict) -> Iterator[str]:
    details = verdict.details
    if details.reason:
        yield safe_line(details.reason, 1000)
    if verdict.changed_count:
        paths = [path or b"." for path in details.changed]
        yield f"changed while it ran: {checkpoint_title.some(paths, verdict.changed_count)}"
    if details.generated:
        yield f"{units.count(details.generated, 'path')} generated"


def place(verdict: Verdict) -> str:
    """Return where a check ran, and on which network."""
    if verdict.ran_in == Where.WORKSPACE:
        return "the workspace"
    net = {"own": " with its own network", "host": " on the host's network"}
    return f"a {safe_line(verdict.ran_in)}{net.get(verdict.details.network, '')}"
