"""Verdicts: from the end of a run to what is stored of it.

Every run ends here: redacted, cut to its tail, and stored for the state that it judged.
"""

from __future__ import annotations

from clew.errors import BadOption, ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.ids import StateId
from clew.model.named_tuple import NamedTuple
from clew.model.verdict import Details, RunEnd, Verdict, VerdictStatus, Where
from clew.operations.context import Context
from clew.policy.labels import label
from clew.policy.redaction.redact import redact
from clew.store.spool import Spooled
from clew.worktree import run_command
from clew.worktree.run_command import CommandResult

OUTPUT_KEPT = 64 << 10
"""Bytes of output stored with a verdict."""

NONE = "none"
NOTABLE = (VerdictStatus.PASSING, VerdictStatus.FAILING, NONE)
"""What can be noted by hand; `none` removes it."""

_NO_DETAILS = Details()


def verdict_from(
    ran: CommandResult,
    command: str,
    where: str,
    state: StateId,
    started_ns: int,
    details: Details = _NO_DETAILS,
    changed_count: int = 0,
    skip_code: int | None = None,
) -> Verdict:
    """Return the verdict of a run, redacted and cut to its tail.

    `skip_code` is the exit code of a check that cannot judge.
    """
    skipped = ran.how == RunEnd.EXITED and skip_code is not None and ran.exit_code == skip_code
    return Verdict(
        command=stored_command(command),
        exit_code=ran.exit_code,
        duration_ns=ran.duration_ns,
        output=tail(ran.output),
        time_ns=started_ns,
        ran_in=where,
        state=state,
        end_reason=RunEnd.SKIPPED if skipped else ran.how,
        changed_count=changed_count,
        details=details,
    )


class StoredVerdict(NamedTuple):
    """A checkpoint after a verdict was stored, and the notices about that."""

    checkpoint: Checkpoint
    notices: tuple[str, ...] = ()


def store_verdict(context: Context, checkpoint: Checkpoint, verdict: Verdict) -> StoredVerdict:
    """Store a verdict: in the spool first, then as a row.

    If it cannot be a row now, a later command writes it; an error means that it is lost.
    """
    store = context.store
    spooled = _spool(context, checkpoint, verdict)
    context.host.fail_point("verdict.spooled")
    try:
        store.verdicts.add_once(checkpoint.id, verdict)
    except ClewError as error:
        if spooled is None:
            raise
        return StoredVerdict(
            checkpoint, (f"The check result will be recorded by a later command: {error}",)
        )
    if spooled is not None:
        context.host.fail_point("verdict.stored")
        store.spool.remove(spooled)
    found = context.mark_here(context.find(checkpoint.id))
    return StoredVerdict(found._replace(headline=checkpoint.headline, tasks=checkpoint.tasks))


def note_verdict(context: Context, checkpoint: Checkpoint, status: str, note: str) -> Checkpoint:
    """Store a verdict that a person noted for the state of a checkpoint, or remove it."""
    if status not in NOTABLE:
        raise BadOption("STATUS", f"must be one of {', '.join(NOTABLE)}")
    context.store.require_writable()
    verdict = None
    if status != NONE:
        verdict = Verdict(
            command="",
            exit_code=0 if status == VerdictStatus.PASSING else 1,
            duration_ns=0,
            output=label(note),
            time_ns=context.host.now_ns(),
            ran_in=Where.BY_HAND,
            state=checkpoint.record.state,
        )
    context.store.verdicts.note(checkpoint.id, checkpoint.record.state, verdict)
    return context.mark_here(context.find(checkpoint.id))


def write_spooled(context: Context) -> None:
    """Write spooled verdicts as rows, if there are any and the catalogue is not busy."""
    store = context.store
    try:
        for spooled in store.spool.waiting():
            with store.database.impatient():
                if store.checkpoints.get(spooled.checkpoint) is not None:
                    store.verdicts.add_once(spooled.checkpoint, spooled.verdict)
            store.spool.remove(spooled)
    except (ClewError, OSError):
        return  # the next command tries again


def _spool(context: Context, checkpoint: Checkpoint, verdict: Verdict) -> Spooled | None:
    try:
        return context.store.spool.put(checkpoint.id, verdict)
    except OSError:
        return None  # then only the row is written


def stored_command(command: str) -> str:
    """Return a command as stored in verdicts: equal texts are the same check."""
    return label(command)


def tail(output: bytes) -> str:
    """Return the end of a command's output, redacted."""
    # Redact before the final cut, and cut at lines before that: half a secret is not
    # recognised.
    if (
        len(output) >= run_command.OUTPUT_KEPT
    ):  # the output is a tail already, so its first line may be incomplete
        output = output[output.find(b"\n", 0, -OUTPUT_KEPT) + 1 :]
    text = redact(output.decode("utf-8", "replace"))
    return text.encode("utf-8", "replace")[-OUTPUT_KEPT:].decode("utf-8", "ignore")
