"""Capture the workspace and commit one checkpoint.

Everything up to the commit is the capture.  Everything after it, such as counting changes, is best
effort: a failure is a notice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from clew.errors import BadName, BadOption, ClewError, StoreFull
from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.ids import CheckpointId, ObjectId, ObjectType
from clew.model.named_tuple import NamedTuple
from clew.model.position import Position
from clew.model.record import Consistency, Origin, Record
from clew.model.reference import UNNAMED, check_name
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.save.position import Located, keep_located, locate
from clew.operations.save.scan import rescan_after_damage, scan_into
from clew.operations.sessions.outstanding_effects import forgotten_at
from clew.operations.sessions.sessions import recorded_session
from clew.operations.sessions.task_lists import with_tasks
from clew.policy.labels import PROMPT, label, made_label, meta_labels, said_redacted
from clew.policy.redaction.redact import MARK, redact_words
from clew.store.writer import ObjectWriter
from clew.worktree.cache import WorktreeCache
from clew.worktree.scan import ScanResult

Wanted = Callable[[ScanResult, Position], bool]
"""Returns whether a scan is worth a checkpoint."""
Locate = Callable[[ObjectWriter, bool], Located]
"""Stores the position of the session; the second argument is whether files changed since *here*."""


class GitSubject(str):
    """An intent that was not given: the subject of the last git commit."""

    __slots__ = ()


class SaveOptions(NamedTuple):
    """Options of a save, with the names, types and defaults of `Workspace.save`."""

    intent: str | Callable[[], str] | None = None
    """Short description.  A function is called if a checkpoint is made, because it may cost more
    than the scan.  None: `save_workspace` uses the subject of the last git commit."""
    name: str | None = None
    """Name for later reference; a named checkpoint is never pruned."""
    description: str = ""
    """Longer description."""
    verify: str | None = None
    """The command or URL that checks the workspace after the capture."""
    check: bool = False
    """Run the workspace's own check."""
    timeout: str | float | None = None
    """Time limit of the check, in seconds or text like `90s`."""
    meta: Mapping[str, str] | None = None
    """Metadata of the checkpoint."""
    skip_unchanged: bool = False
    """Make no checkpoint if neither the files nor the position of the session changed."""
    files_only: bool = False
    """Make a checkpoint only if files changed; the conversation goes to the session."""
    leaves_said: bool = False
    """With `files_only`, leave even the conversation for the next save, which follows soon."""
    origin: str = Origin.MANUAL
    """What made the save, which decides about retention: one of `Origin.ALL`."""
    session: str | None = None
    """The session that the checkpoint belongs to, or `none`; by default the attached one, unless its
    agent has ended, or waits for a prompt while files changed."""
    settle: Callable[[], None] | None = None
    """Waits until the agent has written its messages; called if there was a change."""


class Captured(NamedTuple):
    """A capture that was committed, or that found nothing new."""

    checkpoint: Checkpoint
    created: bool
    scan: ScanResult
    new_bytes: int
    notices: tuple[str, ...]


def save(
    context: Context, options: SaveOptions, monitor: Monitor, session: bytes | None = None
) -> SaveResult:
    """Capture the workspace; the caller holds its locks.

    `session` is the id of the session in `options`; empty for none.
    """
    started = time.monotonic_ns()
    if options.origin not in Origin.ALL:
        raise BadOption("origin", f"must be one of {', '.join(Origin.ALL)}")
    if options.name is not None:
        require_good_name(options.name)
    is_new = context.here is None

    def locate_session(writer: ObjectWriter, is_changed: bool) -> Located:
        found = session
        if found is None:
            recorded = recorded_session(context, is_changed=is_changed)
            found = recorded.id if recorded is not None else b""
        return locate(context, writer, found)

    captured = capture(context, options, monitor, on_trail=True, locating=locate_session)
    return SaveResult(
        with_tasks(context, context.mark_here(captured.checkpoint)),
        captured.created,
        captured.new_bytes,
        is_new,
        time.monotonic_ns() - started,
        captured.notices,
    )


def capture(
    context: Context,
    options: SaveOptions,
    monitor: Monitor,
    *,
    on_trail: bool,
    wanted: Wanted | None = None,
    locating: Locate | None = None,
    scanned: ScanResult | None = None,
) -> Captured:
    """Scan into the store and commit a checkpoint, on the trail or (a rescue) beside it.

    With `scanned`, that scan is committed; its trees are in the store.
    If `wanted` returns false, the trees are stored for the caller to compare, no checkpoint is made,
    and the result carries *here*.
    """
    work = _Capture(on_trail, wanted, locating, scanned)
    captured = rescan_after_damage(context, lambda: _capture(context, options, monitor, work))
    return captured._replace(notices=(*captured.notices, *_damage(context)))


class _Capture(NamedTuple):
    """The kind of capture; see `capture`."""

    on_trail: bool
    wanted: Wanted | None
    locating: Locate | None
    scanned: ScanResult | None


def _damage(context: Context) -> list[str]:
    """Return a notice about packs that were found damaged; this capture does not rely on them."""
    count = len(context.store.pack_watch.last)
    what = "1 pack of the store is" if count == 1 else f"{count} packs of the store are"
    return [f"{what} damaged: older checkpoints may be incomplete"] if count else []


def _capture(context: Context, options: SaveOptions, monitor: Monitor, work: _Capture) -> Captured:
    on_trail, wanted, locating, scanned = work
    store = context.store
    cache = context.open_cache()
    notices: list[str] = []
    try:
        with store.writing() as writer:
            here = context.here
            rules = writer.put(ObjectType.RULES, context.rules.encode())
            # The disk does not show what runs.  A hook observes only if it finds a change.
            observed = context.host.observe(context.root) if not options.files_only else None
            found = scanned or scan_into(context, cache, writer, monitor)
            is_same = here is not None and found.state == here.record.state
            if here is not None and is_same and options.files_only and options.leaves_said:
                return _no_checkpoint(context, cache, writer, found, here)
            if options.settle is not None and not is_same:
                options.settle()
            context.host.fail_point("save.locate")
            located = locating(writer, not is_same) if locating else locate(context, writer, None)
            notices += located.notices
            if here is not None and _is_no_news(found, located.position, here, options, wanted):
                said = located if options.files_only else None
                return _no_checkpoint(context, cache, writer, found, here, said)
            record = _record(context, found, rules, here, options.origin)._replace(
                signals=writer.put(
                    ObjectType.SIGNALS, (observed or context.host.observe(context.root)).encode()
                ),
                position=located.position,
            )
            labels = labels_for(options, record.sequence, notices)

            def also(identifier: CheckpointId) -> None:
                store.checkpoints.label(identifier, labels)
                located.commit()
                if on_trail:
                    store.trails.append(context.workspace, [identifier])

            context.host.fail_point("save.commit")
            identifier = store.commit(writer, record, also)
            new_bytes = writer.new_bytes
        cache.update(found.updates, found.gone)
    finally:
        cache.close()
    notices += count_changes(context, identifier, record, here)
    return Captured(context.find(identifier), True, found, new_bytes, tuple(notices))


def _no_checkpoint(
    context: Context,
    cache: WorktreeCache,
    writer: ObjectWriter,
    found: ScanResult,
    here: Checkpoint,
    said: Located | None = None,
) -> Captured:
    """End a capture that found nothing new; store the conversation if it is given."""
    writer.finish()
    if said is not None:
        keep_located(context, writer, said)
    else:
        context.store.commit_objects(writer)  # trees may be new where only times changed
    cache.update(found.updates, found.gone)
    return Captured(here, False, found, 0, said.notices if said is not None else ())


def capture_rescue(
    context: Context, intent: str, monitor: Monitor, scanned: ScanResult | None = None
) -> Captured:
    """Capture the live workspace unless *here* holds it already; may use the disk reserve."""
    options = SaveOptions(intent=intent, origin=Origin.RESCUE)

    def is_dirty(found: ScanResult, position: Position) -> bool:
        here = context.here
        if here is None or found.state != here.record.state:
            return True
        # Messages and task changes since then are work too, if a session is attached.
        return bool(position.session) and not _is_same_place(context, position, here)

    try:
        return capture(context, options, monitor, on_trail=False, wanted=is_dirty, scanned=scanned)
    except StoreFull:
        if not context.store.layout.release_reserve():
            raise
        return capture(context, options, monitor, on_trail=False, wanted=is_dirty, scanned=scanned)


def _is_same_place(context: Context, position: Position, here: Checkpoint) -> bool:
    """Return whether restoring *here* would restore this position."""
    known = here.record.position
    bare = position._replace(effects=known.effects, forgotten=known.forgotten)
    return bare == known and list(position.forgotten) == forgotten_at(context, known)


def require_good_name(name: str) -> None:
    """Refuse a name that could be read as another kind of reference."""
    try:
        check_name(name)
    except ValueError as error:
        raise BadName(name, str(error)) from error
    if redact_words(name) != name:
        raise BadName(MARK, "looks like a secret")


def _is_no_news(
    found: ScanResult,
    position: Position,
    here: Checkpoint,
    options: SaveOptions,
    wanted: Wanted | None,
) -> bool:
    if wanted is not None:
        return not wanted(found, position)
    if found.state != here.record.state:
        return False
    if options.files_only or not options.skip_unchanged:
        return options.files_only
    known = here.record.position
    if not position.session:  # the session of *here* has ended: its place has not changed
        known = Position(effects=known.effects, forgotten=known.forgotten)
    return position == known


def _record(
    context: Context, found: ScanResult, rules: ObjectId, here: Checkpoint | None, origin: str
) -> Record:
    fuzzy = bool(found.coverage.unstable)
    return Record(
        workspace=context.workspace,
        sequence=context.store.workspaces.next_sequence(context.workspace),
        time_ns=found.started_ns,
        parent=here.id if here is not None else None,
        tree=found.tree,
        state=found.state,
        links=found.links,
        rules=rules,
        origin=origin,
        consistency=Consistency.FUZZY if fuzzy else Consistency.STABLE,
        coverage=found.coverage,
    )


def labels_for(options: SaveOptions, sequence: int, notices: list[str]) -> Labels:
    """Return the labels to store, without secrets; add a notice for each redaction."""
    intent = made_label(_intent(options.intent, notices))
    description = made_label(options.description)
    prompt = (options.meta or {}).get(PROMPT, "")
    given = tuple(sorted(pair for pair in (options.meta or {}).items() if pair[0] != PROMPT))
    meta = meta_labels(given)
    redacted = {
        "intent": intent.was_redacted,
        "description": description.was_redacted,
        "metadata": any(MARK in key + value for key, value in meta) and meta != given,
    }
    if any(redacted.values()):
        notices.append(
            said_redacted(name for name, was_redacted in redacted.items() if was_redacted)
        )
    for name, made in (("intent", intent), ("description", description)):
        if made.was_cut:
            notices.append(f"The {name} was shortened to {len(made.text)} characters")
    return Labels(
        intent=intent.text,
        name=options.name if options.name is not None else f"{UNNAMED}{sequence}",
        named=options.name is not None,
        description=description.text,
        meta=meta,
        is_intent_from_git=isinstance(options.intent, GitSubject) and bool(intent.text),
        prompt=label(prompt),
    )


def _intent(intent: str | Callable[[], str] | None, notices: list[str]) -> str:
    if not callable(intent):
        return intent or ""
    try:
        return intent()
    except Exception as error:  # noqa: BLE001 - a capture needs no intent
        notices.append(f"Cannot derive the intent: {error}")
        return ""


def count_changes(
    context: Context, identifier: CheckpointId, record: Record, parent: Checkpoint | None
) -> list[str]:
    """Store how many paths changed since the parent; return a notice if they cannot be counted."""
    from clew.diff.renames import pair_renames  # noqa: PLC0415  the same
    from clew.diff.trees import count, diff_trees  # noqa: PLC0415

    try:
        context.host.fail_point("save.count")
        if parent is None:
            counts = ChangeCounts(added=record.coverage.files)
        elif parent.record.state == record.state:
            counts = ChangeCounts()
        else:
            get = context.store.objects.get
            changes = diff_trees(parent.record.tree, record.tree, get, mtimes=False)
            counts = count(pair_renames(list(changes)))
        context.store.checkpoints.set_counts(identifier, counts)
    except (ClewError, ValueError) as error:
        return [f"Cannot count the changes: {error}"]
    return []
