"""Log: the timeline, newest first, filtered by options."""

from __future__ import annotations

from clew.diff.trees import lookup
from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple
from clew.model.quantity import parse_since
from clew.model.results import Log
from clew.model.verdict import VerdictStatus
from clew.operations.context import Context
from clew.operations.history.references import utc_offset
from clew.operations.sessions.task_lists import with_all_tasks
from clew.story.version import is_current_version, story_version

NO_VERDICT = "none"
VERDICTS = (*VerdictStatus.ALL, NO_VERDICT)


class LogOptions(NamedTuple):
    """Filters of a timeline."""

    limit: int | None = None
    grep: str | None = None
    path: bytes | None = None
    verdict: str | None = None
    since: str | None = None
    session: bytes | None = None
    """The id of a session; empty for checkpoints without one."""
    tasks: bool = False
    """Whether to read the task list of each checkpoint."""
    before: int | None = None
    """The sequence of a checkpoint: only older ones."""
    counts_older: bool = False
    """Whether to count the checkpoints that match beyond the limit."""


def log(context: Context, options: LogOptions) -> Log:
    """Return the checkpoints that match, newest first."""
    since_ns = _since(context, options.since)
    if options.verdict is not None and options.verdict not in VERDICTS:
        raise BadOption("--verdict", f"must be one of {', '.join(VERDICTS)}")
    here = context.store.trails.here(context.workspace)
    headlines = context.store.stories.headlines(context.workspace)
    found: list[Checkpoint] = []
    older = 0
    for checkpoint in context.store.checkpoints.newest_first(context.workspace, options.before):
        is_full = options.limit is not None and len(found) >= options.limit
        if is_full and not options.counts_older:
            break
        if checkpoint.record.time_ns < since_ns:
            continue  # order is by sequence: a clock that was set back hides nothing
        kept = headlines.get(checkpoint.id)
        checkpoint = checkpoint._replace(
            is_here=checkpoint.id == here, headline=kept.headline if kept else None
        )
        if not _fits(context, checkpoint, options):
            continue
        if is_full:
            older += 1
        else:
            found.append(checkpoint)
    version = story_version(context.store.settings.all(context.workspace))
    lacking = [
        one.id
        for one in found
        if one.id not in headlines or not is_current_version(headlines[one.id].version, version)
    ]
    if lacking:
        from clew.operations.history.story import derive_missing_headlines  # noqa: PLC0415  most stories are stored

        derived = derive_missing_headlines(
            context, [one for one in found if one.id in set(lacking)]
        )
        found = [one._replace(headline=derived.get(one.id, one.headline)) for one in found]
    shown = tuple(with_all_tasks(context, found) if options.tasks else found)
    return Log(here, shown, older if options.counts_older else None)


def _since(context: Context, text: str | None) -> int:
    if text is None:
        return 0
    try:
        return parse_since(text, context.host.now_ns(), utc_offset)
    except ValueError as error:
        raise BadOption("--since", str(error)) from error


def _fits(context: Context, checkpoint: Checkpoint, options: LogOptions) -> bool:
    if options.verdict is not None:
        status = checkpoint.verdict.status if checkpoint.verdict is not None else NO_VERDICT
        if status != options.verdict:
            return False
    if options.session is not None and checkpoint.record.position.session != options.session:
        return False
    if options.grep is not None and not _mentions(checkpoint, options.grep.lower()):
        return False
    return options.path is None or _touches(context, checkpoint, options.path)


def _mentions(checkpoint: Checkpoint, text: str) -> bool:
    labels = checkpoint.labels
    fields = [labels.intent, labels.name, labels.description, checkpoint.id.hex()]
    fields.append(checkpoint.headline or "")
    fields += [f"{key}={value}" for key, value in labels.meta]
    fields += labels.notes
    if checkpoint.verdict is not None:
        fields.append(checkpoint.verdict.command)
    return any(text in field.lower() for field in fields)


def _touches(context: Context, checkpoint: Checkpoint, path: bytes) -> bool:
    """Return whether something at or below `path` differs from the parent."""
    parent, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
    get = context.store.objects.get
    now = lookup(checkpoint.record.tree, path, get)
    before = lookup(context.find(parent).record.tree, path, get) if parent is not None else None
    return not _is_equal(before, now)


def _is_equal(before: Entry | None, now: Entry | None) -> bool:
    if before is None or now is None:
        return before is now
    if not before.same_content(now) or not before.same_metadata(now, mtimes=False):
        return False
    return before.state == now.state
