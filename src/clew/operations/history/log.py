"""Log: the timeline, newest first, filtered by options."""

from __future__ import annotations

from collections.abc import Mapping

from clew.diff.trees import lookup
from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.fact import Fact
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.quantity import parse_since
from clew.model.results import Log
from clew.model.story import Story
from clew.model.verdict import VerdictStatus
from clew.operations.context import Context
from clew.operations.history.references import utc_offset
from clew.operations.sessions.task_lists import with_all_tasks
from clew.policy.labels import FAILED
from clew.store.stories import StoredHeadline
from clew.story.version import is_current_version, story_version

NO_VERDICT = "none"
VERDICTS = (*VerdictStatus.ALL, NO_VERDICT)


class LogOptions(NamedTuple):
    """Filters of a timeline."""

    limit: int | None = None
    grep: str | None = None
    paths: tuple[bytes, ...] = ()
    """Only checkpoints that changed one of these."""
    verdict: str | None = None
    since: str | None = None
    session: bytes | None = None
    """The id of a session; empty for checkpoints without one."""
    package: str | None = None
    """Only checkpoints that installed, changed or removed this package."""
    failed: bool = False
    """Only checkpoints whose check fails, or before or at which a tool call failed."""
    tasks: bool = False
    """Whether to read the task list of each checkpoint."""
    branches: bool = False
    """Whether to tell how the checkpoints are connected."""
    before: int | None = None
    """The sequence of a checkpoint: only older ones."""
    counts_older: bool = False
    """Whether to count the checkpoints that match beyond the limit."""

    @property
    def is_selective(self) -> bool:
        """Whether checkpoints in between are left out."""
        filters = (self.grep, self.verdict, self.session, self.package)
        return bool(self.paths) or self.failed or any(one is not None for one in filters)


class _Matches:
    """What a pass over the timeline finds."""

    def __init__(self) -> None:
        self.listed: list[Checkpoint] = []
        self.older = 0
        """Number of those that match beyond the limit."""
        self.here: Checkpoint | None = None
        """The current checkpoint, if it is older than those listed."""
        self.unlisted = 0
        """Number of checkpoints between the last one listed and that one."""
        self.parents: dict[CheckpointId, CheckpointId | None] = {}


def log(context: Context, options: LogOptions) -> Log:
    """Return the checkpoints that match, newest first."""
    if options.verdict is not None and options.verdict not in VERDICTS:
        raise BadOption("--verdict", f"must be one of {', '.join(VERDICTS)}")
    here = context.store.trails.here(context.workspace)
    headlines = context.store.stories.headlines(context.workspace)
    found = _matches(context, options, here, headlines)
    derived = _derived(context, [*found.listed, *filter(None, [found.here])], headlines)
    listed = [_with_headline(one, derived) for one in found.listed]
    if options.tasks:
        listed = list(with_all_tasks(context, listed))
    known = None
    if options.branches:
        from clew.operations.history.branches import branches  # noqa: PLC0415  only a graph needs it

        below = None if found.here is None else _with_headline(found.here, derived)
        all_listed = [*listed, *filter(None, [below])]
        with_forks = not options.is_selective
        known = branches(context, all_listed, found.parents, derived, with_forks=with_forks)
        if options.is_selective and not options.failed:
            known = known._replace(failures=())
        known = known._replace(here=below, unlisted_count=found.unlisted)
    matches = {}
    if options.package is not None:
        matches = {one.id: _what_happened(context, one, options.package) for one in listed}
    older = found.older if options.counts_older else None
    return Log(here, tuple(listed), known, older, matches)


def _matches(
    context: Context,
    options: LogOptions,
    here: CheckpointId | None,
    headlines: Mapping[CheckpointId, StoredHeadline],
) -> _Matches:
    """Read the timeline, newest first, as far as the options need it."""
    since_ns = _since(context, options.since)
    failed = _with_failures(context) if options.failed else set()
    wants_here = options.branches and not options.is_selective and here is not None
    found = _Matches()
    for checkpoint in context.store.checkpoints.newest_first(context.workspace, options.before):
        is_full = options.limit is not None and len(found.listed) >= options.limit
        if is_full and not (wants_here or options.counts_older):
            break
        is_here = checkpoint.id == here
        kept = headlines.get(checkpoint.id)
        checkpoint = checkpoint._replace(is_here=is_here, headline=kept.headline if kept else None)
        if found.here is None:
            found.parents[checkpoint.id] = checkpoint.record.parent
        # Order is by sequence, so a clock that was set back hides nothing.
        is_match = checkpoint.record.time_ns >= since_ns and _fits(
            context, checkpoint, options, failed
        )
        if is_match and not is_full:
            found.listed.append(checkpoint)
            wants_here = wants_here and not is_here
            continue
        found.older += is_match
        if wants_here and is_here:
            found.here = checkpoint
            wants_here = False
        elif wants_here:
            found.unlisted += 1
    if found.here is None:
        found.unlisted = 0
    return found


def _with_headline(checkpoint: Checkpoint, derived: Mapping[CheckpointId, Story]) -> Checkpoint:
    story = derived.get(checkpoint.id)
    return checkpoint if story is None else checkpoint._replace(headline=story.headline)


def _derived(
    context: Context, found: list[Checkpoint], headlines: Mapping[CheckpointId, StoredHeadline]
) -> dict[CheckpointId, Story]:
    """Return the stories that are not stored, or are of another version."""
    version = story_version(context.store.settings.all(context.workspace))
    lacking = {
        one.id
        for one in found
        if one.id not in headlines or not is_current_version(headlines[one.id].version, version)
    }
    if not lacking:
        return {}
    from clew.operations.history.story import derive_unstored  # noqa: PLC0415  most stories are stored

    return derive_unstored(context, [one for one in found if one.id in lacking])


def _with_failures(context: Context) -> set[CheckpointId]:
    """Return the checkpoints at which a tool call failed, or in whose state it did."""
    failures = context.store.failures.newest_first(context.workspace)
    return {failure.checkpoint for failure in failures}


def _since(context: Context, text: str | None) -> int:
    if text is None:
        return 0
    try:
        return parse_since(text, context.host.now_ns(), utc_offset)
    except ValueError as error:
        raise BadOption("--since", str(error)) from error


def _fits(
    context: Context, checkpoint: Checkpoint, options: LogOptions, failed: set[CheckpointId]
) -> bool:
    if options.verdict is not None:
        status = checkpoint.verdict.status if checkpoint.verdict is not None else NO_VERDICT
        if status != options.verdict:
            return False
    if options.session is not None and checkpoint.record.position.session != options.session:
        return False
    if options.failed and checkpoint.id not in failed and not _is_failing(checkpoint):
        return False
    if options.grep is not None and not _mentions(checkpoint, options.grep.lower()):
        return False
    if options.paths and not any(_touches(context, checkpoint, path) for path in options.paths):
        return False
    return options.package is None or bool(_about_package(context, checkpoint, options.package))


def _is_failing(checkpoint: Checkpoint) -> bool:
    verdict = checkpoint.verdict
    return (
        verdict is not None and verdict.status in (VerdictStatus.FAILING, VerdictStatus.FLAKY)
    ) or any(key == FAILED for key, _ in checkpoint.labels.meta)


def _about_package(context: Context, checkpoint: Checkpoint, package: str) -> list[Fact]:
    """Return the facts about a package: installed, changed or removed, or its line in a lock file."""
    from clew.operations.history.story import story_of  # noqa: PLC0415  only with a package

    wanted = _package_name(package)
    return [
        fact
        for fact in story_of(context, checkpoint).facts
        if fact.kind.partition(".")[0] in ("package", "lock")
        and _package_name(fact.subject) == wanted
    ]


def _what_happened(context: Context, checkpoint: Checkpoint, package: str) -> str:
    """Return `mitt 3.0.0 → 3.0.1 (npm:web)` for each fact about a package."""
    told = []
    for fact in _about_package(context, checkpoint, package):
        if fact.before is None:
            what = f"added {fact.subject} {fact.after or ''}"
        elif fact.after is None:
            what = f"removed {fact.subject} {fact.before}"
        else:
            what = f"{fact.subject} {fact.before} → {fact.after}"
        told.append(f"{what.strip()} ({fact.scope})")
    return "; ".join(told)


def _package_name(text: str) -> str:
    """Return a name in one spelling: PyPI takes `-`, `_` and `.` for the same."""
    return text.lower().replace("_", "-").replace(".", "-")


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
