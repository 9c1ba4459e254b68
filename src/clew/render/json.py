"""JSON of the results: one function for each, and `dumps` to serialize it.

`clew.render.shapes` declares the fields, and docs/json.md lists them.
"""

# Shapes are merged into each other, and none has fields that it does not declare:
# mypy: no-extra-checks

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import CheckpointRemoved, NoSpaceForSave
from clew.model.path import as_base64, as_text
from clew.render.json_effects import effect_value
from clew.render.json_merge import conflict_value, merge_value
from clew.render.json_parts import concurrent_work_value, parts_value
from clew.render.json_values import (
    change_value,
    checkpoint_value,
    coverage_value,
    drill_value,
    entry_value,
    fact_value,
    identifier,
    look_value,
    path_value,
    reason_value,
    story_value,
    verdict_value,
    workspace_value,
)
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from clew.model.checkpoint import Checkpoint, WorkspaceInfo
    from clew.model.exclude_effects import ExcludeEffects
    from clew.model.failed_call import BeforeFailure
    from clew.model.merge_results import Merge
    from clew.model.restore_results import (
        InterruptedRestore,
        PlannedPath,
        RestorePreview,
        RestoreResult,
    )
    from clew.model.results import (
        Blame,
        CheckpointStory,
        CheckResult,
        DeleteResult,
        Difference,
        GcResult,
        Listing,
        Log,
        PruneResult,
        Stats,
    )
    from clew.model.save_result import SaveResult
    from clew.render.json_values import Json
    from clew.render.shapes import errors, history, maintenance, restore


def dumps(value: Json) -> str:
    """Serialize `value` as one line of ASCII; lone surrogates become U+FFFD."""
    import json  # costs 10 ms, and text output never needs it

    return json.dumps(_without_surrogates(value))


def initialised(info: WorkspaceInfo, store: str, created: bool) -> history.InitOutput:
    return {"workspace": workspace_value(info), "store": store, "was_created": created}


def saved(result: SaveResult) -> history.SaveOutput:
    value: history.SaveOutput = {
        "checkpoint": checkpoint_value(result.checkpoint),
        "was_created": result.created,
        "new_bytes": result.new_bytes,
        "is_new_workspace": result.new_workspace,
        "duration_ms": result.duration_ns // 1_000_000,
        "notices": list(result.notices),
        "verdict": None if result.verdict is None else verdict_value(result.verdict),
    }
    if result.story is not None:
        value |= story_value(result.story)
    return value


def shown(details: CheckpointStory) -> history.ShowOutput:
    return {
        "checkpoint": checkpoint_value(details.checkpoint),
        **story_value(details.story),
        "unmentioned": list(details.unmentioned),
        "verdicts": [verdict_value(verdict) for verdict in details.verdicts],
        "databases": None if details.look is None else look_value(details.look),
    }


def found(checkpoint: Checkpoint) -> history.GoodOutput:
    return {"checkpoint": checkpoint_value(checkpoint)}


def blamed(found: Blame) -> history.BlameOutput:
    return {
        "subject": found.subject,
        "matches": [
            {
                "checkpoint": checkpoint_value(one.checkpoint),
                "facts": [fact_value(fact) for fact in one.facts],
                "changes": [change_value(change) for change in one.changes],
            }
            for one in found.matches
        ],
    }


def timeline(log: Log) -> history.LogOutput:
    return {
        "current": identifier(log.here),
        "checkpoints": [checkpoint_value(checkpoint) for checkpoint in log.checkpoints],
    }


def difference(found: Difference, patch: Iterable[str] | None = None) -> history.DiffOutput:
    value: history.DiffOutput = {
        "from": found.old and found.old.id.hex(),
        "to": found.new and found.new.id.hex(),
        "changes": [change_value(change) for change in found.changes],
        "coverage": None if found.coverage is None else coverage_value(found.coverage),
    }
    if found.story is not None:
        value |= story_value(found.story)
    if patch is not None:
        value["patch"] = "".join(line + "\n" for line in patch)
    return value


def status(
    found: Difference, interrupted: InterruptedRestore | None, drilled: Checkpoint | None
) -> history.StatusOutput:
    """Return the changes since the last checkpoint, an interrupted restore, and the last drill."""
    drill = drilled.drill if drilled is not None else None
    return {
        **difference(found),
        "interrupted_restore": interrupted and interrupted_value(interrupted),
        "last_drill": None
        if drilled is None or drill is None
        else {"checkpoint": drilled.id.hex(), **drill_value(drill)},
    }


def interrupted_value(found: InterruptedRestore) -> history.InterruptedRestore:
    return {
        "target": found.target and found.target.id.hex(),
        "rescue": found.rescue and found.rescue.id.hex(),
        "started_time": rfc3339(found.started_ns),
        "has_changed_files": found.has_moved,
        "is_aborting": found.is_aborting,
    }


def previewed(plan: RestorePreview) -> restore.PreviewOutput:
    return {"preview": _preview_value(plan)}


def restored(result: RestoreResult) -> restore.RestoreOutput:
    value: restore.RestoreOutput = {
        "target": result.target.id.hex(),
        "rescue": result.rescue and result.rescue.id.hex(),
        "current": result.here.id.hex(),
        "created_count": result.created,
        "replaced_count": result.replaced,
        "deleted_count": result.deleted,
        "metadata_count": result.metadata,
        "is_verified": result.verified,
        "is_partial": result.is_partial,
        "skipped": [reason_value(item) for item in result.skipped],
        "changed_after": [path_value(path) for path in result.changed_after],
        "no_longer_running": [
            {"command": one.command, "directory": one.directory, "ports": list(one.ports)}
            for one in result.no_longer_running
        ],
        "problems": [reason_value(item) for item in result.problems],
        "effects": [effect_value(effect) for effect in result.effects],
        **parts_value(result.brought),
        "concurrent_work": concurrent_work_value(result.concurrent_work),
    }
    if result.merge is not None:
        value["merge"] = merge_value(result.merge)
    if result.before_failure is not None:
        value["failed_call"] = _failed_call_value(result.before_failure)
    if result.aborted:
        value["was_aborted"] = True
    return value


def listed(listing: Listing) -> history.LsOutput:
    return {
        "checkpoint": listing.checkpoint.id.hex(),
        **path_value(listing.path),
        "entries": [
            {**path_value(entry.name, "name"), **entry_value(entry)} for entry in listing.entries
        ],
    }


def content(path: bytes, found: bytes, shown: bytes | None = None) -> history.CatOutput:
    """Return the content of a file, and `shown` in its place if secrets are redacted."""
    text = found if shown is None else shown
    value: history.CatOutput = {
        **path_value(path),
        "size": len(found),
        "is_redacted": text != found,
        "content": as_text(text),
    }
    exact = as_base64(text)
    if exact is not None and text == found:
        value["content_b64"] = exact
    return value


def deleted(result: DeleteResult) -> maintenance.DeleteOutput:
    return {
        "deleted": [checkpoint_value(checkpoint) for checkpoint in result.deleted],
        "freed_bytes": result.freed_bytes,
        "remaining_references": list(result.still_held),
        "holding_checkpoints": [
            {
                "checkpoint": holder.checkpoint.hex(),
                **path_value(holder.workspace, "workspace_path"),
                "fork": holder.fork or None,
            }
            for holder in result.held_by
        ],
        "searched": result.searched
        and {"file_count": result.searched.files, "read_bytes": result.searched.read_bytes},
        "not_removed": list(result.remaining),
        "notes": list(result.notes),
    }


def pruned(result: PruneResult) -> maintenance.PruneOutput:
    return {
        "removed": [checkpoint_value(checkpoint) for checkpoint in result.removed],
        "rules": list(result.rules),
        "manual_count": result.made,
        "kept_counts": dict(result.kept),
        "freed_bytes": result.freed_bytes,
        "store_bytes": result.store_bytes,
        "max_bytes": result.max_bytes,
        "is_dry_run": result.dry_run,
    }


def collected(result: GcResult) -> maintenance.GcOutput:
    return {
        "freed_bytes": result.freed_bytes,
        "removed_object_count": result.removed_objects,
        "removed_pack_count": result.removed_packs,
        "store_bytes": result.store_bytes,
        "notes": list(result.notes),
        "not_removed": list(result.remaining),
    }


def checked(result: CheckResult) -> maintenance.CheckOutput:
    return {
        "is_intact": result.whole,
        "damages": [
            {
                "location": damage.location,
                "description": damage.description,
                "checkpoints": list(damage.checkpoints),
            }
            for damage in result.damages
        ],
        "notes": list(result.notes),
        "pack_count": result.packs,
        "object_count": result.objects,
        "checkpoint_count": result.checkpoints,
        "read_bytes": result.read_bytes,
        "was_rebuilt": result.rebuilt,
    }


def counted(stats: Stats) -> maintenance.StatsOutput:
    return {
        "store": stats.store,
        "store_bytes": stats.store_bytes,
        "max_bytes": stats.max_bytes,
        "disk_bytes": stats.disk_bytes,
        "disk_parts": [{"part": part, "disk_bytes": size} for part, size in stats.disk_parts],
        "pack_count": stats.packs,
        "object_count": stats.objects,
        "checkpoint_count": stats.checkpoints,
        "workspace_checkpoint_count": stats.workspace_checkpoints,
        "content_bytes": stats.content_bytes,
        "objects_by_kind": [
            {"kind": kind, "object_count": number, "content_bytes": size}
            for kind, number, size in stats.by_kind
        ],
    }


def configured(config: Mapping[str, str], own: Collection[str]) -> maintenance.ConfigOutput:
    return {"config": dict(config), "changed": sorted(own)}


def exclude_effects(effects: ExcludeEffects) -> maintenance.ExcludeEffects:
    return {
        "checkpoint": effects.checkpoint.id.hex() if effects.checkpoint is not None else None,
        "is_complete": effects.is_complete,
        "patterns": [
            {
                "pattern": as_text(one.pattern),
                "file_count": one.files,
                "content_bytes": one.size,
                "left_out_count": one.left_out,
                "warnings": one.warnings,
            }
            for one in effects.patterns
        ],
    }


def failed(
    kind: str,
    message: str,
    hint: str | None,
    plan: RestorePreview | None = None,
    details: errors.ErrorDetails | None = None,
) -> errors.ErrorOutput:
    error: errors.Error = {"kind": kind, "message": message, "hint": hint}
    if details:
        error |= details
    value: errors.ErrorOutput = {"error": error}
    if plan is not None:
        value["preview"] = _preview_value(plan)
    return value


def failure_details(error: Exception) -> errors.ErrorDetails:
    """Return the fields that only some kinds of error have."""
    match error:
        case CheckpointRemoved():
            return {
                "checkpoint": error.tombstone.id.hex(),
                "removed_time": rfc3339(error.tombstone.removed_ns),
                "rule": error.tombstone.rule,
                "nearest": error.nearest,
            }
        case NoSpaceForSave():
            return {
                "free_bytes": error.free,
                "min_free_bytes": error.min_free,
                "prunable_checkpoint_count": error.prunable_checkpoints,
                "prunable_bytes": error.prunable_bytes,
            }
        case _:
            return {}


def unpruned(kind: str, message: str, hint: str, foreseen: PruneResult) -> errors.ErrorOutput:
    return {**failed(kind, message, hint), "prune": pruned(foreseen)}


def conflicting(kind: str, message: str, hint: str, merge: Merge) -> errors.ErrorOutput:
    conflicts = [conflict_value(conflict) for conflict in merge.conflicts]
    return {**failed(kind, message, hint), "conflicts": conflicts}


def _failed_call_value(found: BeforeFailure) -> restore.FailedCall:
    failed = found.failed
    return {
        "call": failed.call,
        "reason": failed.reason,
        "time": rfc3339(failed.time_ns),
        "session": failed.session.hex(),
        "checkpoint_count": found.checkpoints_ago,
    }


def _preview_value(plan: RestorePreview) -> restore.Preview:
    value: restore.Preview = {
        "target": plan.target.id.hex(),
        "created": [_planned_value(planned) for planned in plan.created],
        "replaced": [_planned_value(planned) for planned in plan.replaced],
        "deleted": [_planned_value(planned) for planned in plan.deleted],
        "metadata": [_planned_value(planned) for planned in plan.metadata],
        "skipped": [reason_value(item) for item in plan.skipped],
        "processes": [
            {"pid": process.pid, "command": process.command, **path_value(process.path)}
            for process in plan.processes
        ],
        "has_unsaved_changes": plan.dirty,
        "unsaved": [path_value(path) for path in plan.unsaved],
        "unsaved_parts": list(plan.unsaved_parts),
        "needs_confirmation": plan.needs_confirmation,
        "needed_bytes": plan.needed_bytes,
        "free_bytes": plan.free_bytes,
        "effects": [effect_value(effect) for effect in plan.effects],
        **parts_value(plan.brought),
        "concurrent_work": concurrent_work_value(plan.concurrent_work),
    }
    if plan.merge is not None:
        value["merge"] = merge_value(plan.merge)
    if plan.before_failure is not None:
        value["failed_call"] = _failed_call_value(plan.before_failure)
    return value


def _planned_value(planned: PlannedPath) -> restore.PlannedPath:
    return {
        **path_value(planned.path),
        "size": planned.size,
        "was_created_since_target": planned.is_new_work,
    }


def _without_surrogates(value: object) -> object:
    """Return `value` with lone surrogates replaced, which are not valid JSON."""
    if isinstance(value, str):
        return _whole_characters(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value


def _whole_characters(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
