"""The JSON that every surface speaks; docs/json.md is its description.

One function a result, each giving a plain dictionary, and `dumps` to write it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import CheckpointRemoved, NoRoomForSave
from clew.render.json_effects import effect_value
from clew.render.json_merge import conflict_value, merge_value
from clew.render.json_parts import others_value, parts_value
from clew.render.json_values import (
    Json,
    change_value,
    checkpoint_value,
    coverage_value,
    entry_value,
    fact_value,
    identifier,
    path_value,
    planned_value,
    reason_value,
    story_value,
    verdict_value,
    workspace_value,
)
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clew.model.checkpoint import Checkpoint, WorkspaceInfo
    from clew.model.merge_results import Merge
    from clew.model.restore_results import InterruptedRestore, RestorePreview, RestoreResult
    from clew.model.results import (
        Blame,
        CheckResult,
        DeleteResult,
        Difference,
        GcResult,
        Listing,
        Log,
        PruneResult,
        Stats,
        Told,
    )
    from clew.model.save_result import SaveResult


def dumps(value: Json) -> str:
    """Return `value` as one line of ASCII, valid whatever bytes its strings came from."""
    import json  # costs 10 ms, and text output never needs it

    return json.dumps(_without_surrogates(value))


def initialised(info: WorkspaceInfo, store: str, created: bool) -> Json:
    return {"workspace": workspace_value(info), "store": store, "created": created}


def saved(result: SaveResult) -> Json:
    return {
        "checkpoint": checkpoint_value(result.checkpoint),
        "created": result.created,
        "new_bytes": result.new_bytes,
        "new_workspace": result.new_workspace,
        "duration_ms": result.duration_ns // 1_000_000,
        "notices": list(result.notices),
        "verdict": None if result.verdict is None else verdict_value(result.verdict),
        **(story_value(result.story) if result.story is not None else {}),
    }


def shown(told: Told) -> Json:
    return {
        "checkpoint": checkpoint_value(told.checkpoint),
        **story_value(told.story),
        "unmentioned": list(told.unmentioned),
        "verdicts": [verdict_value(verdict) for verdict in told.verdicts],
    }


def found(checkpoint: Checkpoint) -> Json:
    return {"checkpoint": checkpoint_value(checkpoint)}


def blamed(found: Blame) -> Json:
    return {
        "thing": found.thing,
        "appearances": [
            {
                "checkpoint": checkpoint_value(one.checkpoint),
                "facts": [fact_value(fact) for fact in one.facts],
                "changes": [change_value(change) for change in one.changes],
            }
            for one in found.appearances
        ],
    }


def timeline(log: Log) -> Json:
    return {
        "here": identifier(log.here),
        "checkpoints": [checkpoint_value(checkpoint) for checkpoint in log.checkpoints],
    }


def difference(found: Difference, patch: Iterable[str] | None = None) -> Json:
    value: Json = {
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


def status(found: Difference, interrupted: InterruptedRestore | None) -> Json:
    """Return what changed since the last checkpoint, and whether a restore is half done."""
    return {**difference(found), "interrupted_restore": interrupted and _interrupted(interrupted)}


def _interrupted(found: InterruptedRestore) -> Json:
    return {
        "target": found.target and found.target.id.hex(),
        "rescue": found.rescue and found.rescue.id.hex(),
        "started": rfc3339(found.started_ns),
        "has_moved": found.has_moved,
        "is_aborting": found.is_aborting,
    }


def previewed(plan: RestorePreview) -> Json:
    return {"preview": _preview_value(plan)}


def restored(result: RestoreResult) -> Json:
    return {
        "target": result.target.id.hex(),
        "rescue": result.rescue and result.rescue.id.hex(),
        "here": result.here.id.hex(),
        "created": result.created,
        "replaced": result.replaced,
        "deleted": result.deleted,
        "metadata": result.metadata,
        "verified": result.verified,
        "partial": result.is_partial,
        "left_alone": [reason_value(item) for item in result.left_alone],
        "moved_on": [path_value(path) for path in result.moved_on],
        "stopped": [
            {"command": one.command, "directory": one.directory, "ports": list(one.ports)}
            for one in result.stopped
        ],
        "problems": [reason_value(item) for item in result.problems],
        "effects": [effect_value(effect) for effect in result.effects],
        **parts_value(result.brought),
        "others": others_value(result.others),
        **merge_value(result.merge),
        **({"aborted": True} if result.aborted else {}),
    }


def listed(listing: Listing) -> Json:
    return {
        "checkpoint": listing.checkpoint.id.hex(),
        **path_value(listing.path),
        "entries": [
            {**path_value(entry.name, "name"), **entry_value(entry)} for entry in listing.entries
        ],
    }


def content(path: bytes, found: bytes) -> Json:
    """Return a file's bytes, as text where they are UTF-8 and in base64 where they are not."""
    return {**path_value(path), "size": len(found), **path_value(found, "content")}


def deleted(result: DeleteResult) -> Json:
    return {
        "deleted": [checkpoint_value(checkpoint) for checkpoint in result.deleted],
        "freed_bytes": result.freed_bytes,
        "still_held": list(result.still_held),
        "holders": [
            {
                "checkpoint": holder.checkpoint.hex(),
                **path_value(holder.workspace, "workspace"),
                "fork": holder.fork or None,
            }
            for holder in result.holders
        ],
        "searched": result.searched and result.searched._asdict(),
        "remaining": list(result.remaining),
        "notes": list(result.notes),
    }


def pruned(result: PruneResult) -> Json:
    return {
        "removed": [checkpoint_value(checkpoint) for checkpoint in result.removed],
        "rules": list(result.rules),
        "made": result.made,
        "kept": dict(result.kept),
        "freed_bytes": result.freed_bytes,
        "store_bytes": result.store_bytes,
        "max_bytes": result.max_bytes,
        "dry_run": result.dry_run,
    }


def collected(result: GcResult) -> Json:
    return {
        **result._asdict(),
        "notes": list(result.notes),
        "remaining": list(result.remaining),
    }


def checked(result: CheckResult) -> Json:
    return {
        "whole": result.whole,
        **result._asdict(),
        "damages": [
            {**damage._asdict(), "checkpoints": list(damage.checkpoints)}
            for damage in result.damages
        ],
        "notes": list(result.notes),
    }


def counted(stats: Stats) -> Json:
    return {
        **stats._asdict(),
        "by_kind": [
            {"kind": kind, "objects": number, "bytes": size} for kind, number, size in stats.by_kind
        ],
    }


def configured(config: Mapping[str, str]) -> Json:
    return {"config": dict(config)}


def failed(
    kind: str,
    message: str,
    hint: str | None,
    plan: RestorePreview | None = None,
    details: Json | None = None,
) -> Json:
    value: Json = {"error": {"kind": kind, "message": message, "hint": hint, **(details or {})}}
    if plan is not None:
        value["preview"] = _preview_value(plan)
    return value


def failure_details(error: Exception) -> Json:
    """Return the figures of an error that has some."""
    match error:
        case CheckpointRemoved():
            return {
                "checkpoint": error.gone.id.hex(),
                "removed_time": rfc3339(error.gone.removed_ns),
                "rule": error.gone.rule,
                "nearest": error.nearest,
            }
        case NoRoomForSave():
            return {
                "free_bytes": error.free,
                "floor_bytes": error.floor,
                "prunable_checkpoints": error.prunable,
                "prunable_bytes": error.freed,
            }
        case _:
            return {}


def unpruned(kind: str, message: str, hint: str, foreseen: PruneResult) -> Json:
    return {**failed(kind, message, hint), "prune": pruned(foreseen)}


def conflicting(kind: str, message: str, hint: str, merge: Merge) -> Json:
    conflicts = [conflict_value(conflict) for conflict in merge.conflicts]
    return {**failed(kind, message, hint), "conflicts": conflicts}


def _preview_value(plan: RestorePreview) -> Json:
    return {
        "target": plan.target.id.hex(),
        "created": [planned_value(planned) for planned in plan.created],
        "replaced": [planned_value(planned) for planned in plan.replaced],
        "deleted": [planned_value(planned) for planned in plan.deleted],
        "metadata": [planned_value(planned) for planned in plan.metadata],
        "left_alone": [reason_value(item) for item in plan.left_alone],
        "holders": [
            {"pid": holder.pid, "command": holder.command, **path_value(holder.path)}
            for holder in plan.holders
        ],
        "dirty": plan.dirty,
        "overwrites": plan.overwrites,
        "needed_bytes": plan.needed_bytes,
        "free_bytes": plan.free_bytes,
        "effects": [effect_value(effect) for effect in plan.effects],
        **parts_value(plan.brought),
        "others": others_value(plan.others),
        **merge_value(plan.merge),
    }


def _without_surrogates(value: object) -> object:
    """Return `value` with lone surrogates replaced: half a character is no valid JSON."""
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
