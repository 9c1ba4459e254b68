"""Synchronous operations behind the service, run in the calling thread.

Each call opens and closes the workspace: a handle belongs to one thread, and a pool's threads are
short-lived.  The store's locks serialise threads and processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from clew import opening
from clew.compat.praisonai.config import MAX_FILE_SIZE, OWN_STATE, CheckpointConfig
from clew.compat.praisonai.differences import Differences
from clew.compat.praisonai.retention import above_limit, remove
from clew.compat.praisonai.types import Checkpoint, CheckpointDiff, Reference, id_of, step_of
from clew.errors import AmbiguousReference, BadReference, UnknownReference
from clew.model import checkpoint as clew_model
from clew.model.ids import short
from clew.model.named_tuple import NamedTuple
from clew.model.record import Origin
from clew.model.restore_results import RestoreResult
from clew.model.retention import RetentionRule
from clew.operations.context import Context
from clew.workspace import Workspace

INITIAL = "Initial checkpoint"
RESCUE = "[pre-restore] auto-save"

_ROLE, _BEGINNING = "role", "initial"
_NOTE = """\
The history of this directory is in the clew store above; `clew -C DIRECTORY --store STORE log`
shows it.  These directories exist for programs that look for a shadow repository; there is none.
"""


class SaveRequest(NamedTuple):
    """The arguments of a save."""

    message: str
    allow_empty: bool = False
    known: int = 0
    """Sequence of the newest checkpoint that the caller knew; later ones are new to it."""
    metadata: Mapping[str, object] | None = None


class SavedCheckpoint(NamedTuple):
    """The result of a save."""

    checkpoint: Checkpoint | None
    """None if nothing had changed."""
    known: int
    removed: int = 0
    """Number of old checkpoints that were pruned."""
    existing_id: str | None = None
    """If nothing had changed: the checkpoint that already has this state."""


class RestoredCheckpoint(NamedTuple):
    """The result of a restore."""

    checkpoint: Checkpoint
    rescue: Checkpoint | None
    known: int
    incomplete: str = ""
    """Description of what could not be restored."""


class History:
    """The checkpoints of one workspace."""

    def __init__(self, config: CheckpointConfig) -> None:
        self._config = config
        self._differences = Differences()

    def open(self) -> Workspace:
        """Open the workspace for this thread; the caller closes it."""
        return opening.open(self._config.workspace_dir, store=self._config.store_dir)

    def begin(self) -> int:
        """Create the store and the first checkpoint if missing; return the newest sequence."""
        config = self._config
        opened, _ = opening.init(config.workspace_dir, store=config.store_dir)
        with opened as ws:
            _exclude(ws, config)
            if _newest_sequence(ws) == 0:
                ws.save(INITIAL, origin=Origin.HOOK, meta={_ROLE: _BEGINNING})
            _create_placeholders(config)
            return _newest_sequence(ws)

    def save(self, wanted: SaveRequest) -> SavedCheckpoint:
        """Save the workspace, unless nothing changed since what the caller knew."""
        meta = {str(key): str(value) for key, value in (wanted.metadata or {}).items()}
        with self.open() as ws:
            skip = not (wanted.allow_empty or _is_first(ws))
            # A hook's checkpoint does not wait for its story.
            saved = ws.save(wanted.message, skip_unchanged=skip, origin=Origin.HOOK, meta=meta)
            if not saved.created and _newest_sequence(ws) > wanted.known:
                # A concurrent save may contain what this caller wants under its own message.
                saved = ws.save(wanted.message, origin=Origin.HOOK, meta=meta)
            if not saved.created:
                existing = saved.checkpoint.id.hex()
                return SavedCheckpoint(None, _newest_sequence(ws), existing_id=existing)
            removed = self._prune(ws)
            return SavedCheckpoint(
                self._converted(ws, saved.checkpoint), _newest_sequence(ws), removed
            )

    def restore(self, reference: Reference) -> RestoredCheckpoint:
        """Restore a checkpoint."""
        with self.open() as ws:
            target = _find(ws, reference)
            result = ws.restore(target.id.hex())
            rescue = self._converted(ws, result.rescue) if result.rescue is not None else None
            return RestoredCheckpoint(
                self._converted(ws, target), rescue, _newest_sequence(ws), _incomplete(result)
            )

    def ancestry(self) -> list[str]:
        """Return the ids from the current checkpoint back to the first, without rescues."""
        with self.open() as ws, ws.reading_context() as context:
            return [one.id.hex() for one in _ancestry(context)]

    def compare(
        self,
        from_reference: Reference | None,
        to_reference: Reference | None,
        path: str | None = None,
    ) -> CheckpointDiff:
        """Return the diff of two states: by default the previous checkpoint and the live files.

        `path` selects a file by its path or the end of it, or the files of a directory.
        """
        with self.open() as ws:
            old = _find(ws, from_reference) if from_reference is not None else _previous(ws)
            new = _find(ws, to_reference) if to_reference is not None else None
            if old is None:
                return CheckpointDiff("", None)
            to = new.id.hex() if new is not None else None
            wants = _path_filter(self._config.workspace_dir, path) if path is not None else None
            found = self._differences.read(ws, ws.diff(old.id.hex(), to), wants)
            return CheckpointDiff(
                short(old.id),
                short(new.id) if new is not None else None,
                found.files,
                from_id=old.id.hex(),
                to_id=to,
                diff_content=found.patch,
            )

    def all(self) -> list[Checkpoint]:
        """Return the timeline, newest first, with rescues before the oldest.

        Programs use the first element as the last saved state, and the last one as the initial
        state.  A rescue is a state that was discarded, so it must be neither.
        """
        with self.open() as ws:
            timeline = _timeline(ws)
            saved = [one for one in timeline if not one.is_rescue]
            rescues = [one for one in timeline if one.is_rescue]
            return [self._converted(ws, one) for one in (*saved[:-1], *rescues, *saved[-1:])]

    def newest(self, limit: int) -> list[Checkpoint]:
        """Return the newest saved checkpoints without rescues: programs index into this list."""
        with self.open() as ws:
            saved = [one for one in _timeline(ws) if not one.is_rescue]
            return [self._converted(ws, one) for one in saved[: max(limit, 0)]]

    def rescues(self) -> list[Checkpoint]:
        """Return the rescue checkpoints of restores, newest first."""
        with self.open() as ws:
            return [self._converted(ws, one) for one in _timeline(ws) if one.is_rescue]

    def find(self, reference: Reference) -> Checkpoint | None:
        """Return the checkpoint with that id prefix; None unless it is unique."""
        with self.open() as ws:
            try:
                return self._converted(ws, _find(ws, reference))
            except (AmbiguousReference, BadReference, UnknownReference):
                return None

    def find_step(self, step: int) -> Checkpoint | None:
        """Return the newest checkpoint of a step."""
        with self.open() as ws:
            saved = (one for one in _timeline(ws) if not one.is_rescue)
            newest = next((one for one in saved if step_of(one.labels.intent) == step), None)
            return self._converted(ws, newest) if newest is not None else None

    def delete(self, reference: Reference) -> Checkpoint:
        """Delete one checkpoint and free its space; return what it was."""
        with self.open() as ws:
            found = _find(ws, reference)
            deleted = self._converted(ws, found)
            remove(ws, [found.id], RetentionRule.DELETE)
            return deleted

    def delete_all(self) -> None:
        """Delete all checkpoints of this workspace; other workspaces in the store remain."""
        with self.open() as ws:
            remove(ws, [one.id for one in _timeline(ws)], RetentionRule.DELETE)
        _remove_placeholders(self._config)

    def _prune(self, ws: Workspace) -> int:
        with ws.reading_context() as context:
            expired = above_limit(context, self._config.max_checkpoints)
        return remove(ws, expired) if expired else 0

    def _converted(self, ws: Workspace, found: clew_model.Checkpoint) -> Checkpoint:
        """Return a checkpoint in PraisonAI's form."""
        from datetime import UTC, datetime

        changed = self._differences.since_parent(ws, found)
        message = RESCUE if found.is_rescue else found.labels.intent
        timestamp = datetime.fromtimestamp(found.record.time_ns / 1e9, UTC).astimezone()
        parent = found.record.parent
        return Checkpoint(
            id=found.id.hex(),
            short_id=short(found.id),
            message=message,
            timestamp=timestamp,
            files_changed=list(changed.paths),
            insertions=changed.insertions,
            deletions=changed.deletions,
            step=step_of(message),
            metadata={
                **dict(found.labels.meta),
                "origin": found.record.origin,
                "sequence": found.record.sequence,
                "parent": parent.hex() if parent is not None else None,
            },
        )


def _exclude(ws: Workspace, config: CheckpointConfig) -> None:
    """Set the workspace's excludes to the configured ones and PraisonAI's own state."""
    wanted = [one for one in config.exclude_patterns if one.strip() and not one.startswith("#")]
    text = "\n".join([*wanted, *(one for one in OWN_STATE if one not in wanted)])
    chosen = {"exclude": text}
    limit = config.max_file_size
    if limit != MAX_FILE_SIZE:
        chosen["exclude-larger-than"] = str(limit) if limit > 0 else ""
    settings = ws.settings.all()
    for key, value in chosen.items():
        if settings[key] != value:
            ws.settings.set(key, value)


def _newest_sequence(ws: Workspace) -> int:
    with ws.reading_context() as context:
        found = next(context.store.checkpoints.newest_first(context.workspace, page=1), None)
        return found.record.sequence if found is not None else 0


def _is_first(ws: Workspace) -> bool:
    """Return whether this is the first save: it is not empty, whatever the initial checkpoint has."""
    with ws.reading_context() as context:
        here = context.here
    if here is None:
        return True
    is_initial = dict(here.labels.meta).get(_ROLE) == _BEGINNING
    return is_initial and here.record.coverage.files > 0


def _find(ws: Workspace, reference: Reference) -> clew_model.Checkpoint:
    """Return the only checkpoint with that id prefix, or raise."""
    text = id_of(reference)
    digits = text.strip().lower()
    if not digits or digits.strip("0123456789abcdef") or len(digits) > 64:
        raise BadReference(text)
    with ws.reading_context() as context:
        found = context.store.checkpoints.with_prefix(context.workspace, digits)
    if not found:
        raise UnknownReference(text)
    if len(found) > 1:
        raise AmbiguousReference(text, [short(one.id) for one in found])
    return found[0]


def _timeline(ws: Workspace) -> list[clew_model.Checkpoint]:
    with ws.reading_context() as context:
        return list(context.store.checkpoints.newest_first(context.workspace))


def _ancestry(context: Context) -> list[clew_model.Checkpoint]:
    """Return the current checkpoint and its ancestors, newest first, without rescues."""
    found: list[clew_model.Checkpoint] = []
    one = context.here
    while one is not None:
        if not found or not one.is_rescue:
            found.append(one)
        above, _ = context.store.checkpoints.surviving(one.record.parent)
        one = context.find(above) if above is not None else None
    return found


def _previous(ws: Workspace) -> clew_model.Checkpoint | None:
    with ws.reading_context() as context:
        return next(iter(_ancestry(context)[:2][::-1]), None)


def _path_filter(workspace: str, path: str) -> Callable[[str], bool]:
    """Return a test for paths that equal `path`, end in it, or are below it."""
    wanted = os.path.normpath(path.strip())
    if os.path.isabs(wanted):
        wanted = os.path.relpath(os.path.realpath(wanted), os.path.realpath(workspace))

    def wants(found: str) -> bool:
        return (
            wanted in (found, os.curdir)
            or found.endswith("/" + wanted)
            or found.startswith(wanted + "/")
        )

    return wants


def _incomplete(result: RestoreResult) -> str:
    if not result.is_partial:
        return ""
    named = [*result.problems, *result.skipped]
    described = [f"{os.fsdecode(one.path)!r} ({one.reason})" for one in named[:5]]
    return f"Partial restore: {', '.join(described) or 'the files differ'}"


def _create_placeholders(config: CheckpointConfig) -> None:
    """Create the directories that programs look for, with a note about the history."""
    place = config.get_checkpoint_dir()
    os.makedirs(os.path.join(place, ".git"), mode=0o700, exist_ok=True)
    with open(os.path.join(place, "README"), "w", encoding="utf-8") as file:
        file.write(_NOTE)


def _remove_placeholders(config: CheckpointConfig) -> None:
    place = config.get_checkpoint_dir()
    steps: list[tuple[Callable[[str], None], str]] = [
        (os.unlink, os.path.join(place, "README")),
        (os.rmdir, os.path.join(place, ".git")),
        (os.rmdir, place),
    ]
    for act, path in steps:
        try:
            act(path)
        except OSError:
            return  # it contains files of others
