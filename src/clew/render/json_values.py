"""The nouns of docs/json.md: a path, an entry, a change, a checkpoint, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.entry import Entry, EntryKind, Reason
from clew.model.ids import short
from clew.model.path import as_base64, as_text
from clew.model.task import count_tasks
from clew.policy.labels import label
from clew.policy.redaction.redact import redact
from clew.render.flags import flag_names
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.change import Change, ChangeCounts
    from clew.model.checkpoint import Checkpoint, WorkspaceInfo
    from clew.model.fact import Fact
    from clew.model.position import Position
    from clew.model.record import Coverage
    from clew.model.restore_results import LeftAlone, PlannedPath
    from clew.model.story import Story
    from clew.model.task import Task
    from clew.model.verdict import Verdict

Json = dict[str, object]


def path_value(path: bytes, key: str = "path") -> Json:
    """Return a path as text, and beside it the exact bytes where they are no UTF-8."""
    exact = as_base64(path)
    return {key: as_text(path)} if exact is None else {key: as_text(path), f"{key}_b64": exact}


def identifier(value: bytes | None) -> str | None:
    return value.hex() if value else None


def checkpoint_value(checkpoint: Checkpoint) -> Json:
    record, labels = checkpoint.record, checkpoint.labels
    return {
        "id": checkpoint.id.hex(),
        "short_id": short(checkpoint.id),
        "name": labels.name,
        "named": labels.named,
        "intent": labels.intent,
        "description": labels.description,
        "time": rfc3339(record.time_ns),
        "sequence": record.sequence,
        "origin": record.origin,
        "workspace": record.workspace.hex(),
        "parent": identifier(record.parent),
        "tree": record.tree.hex(),
        "state": record.state.hex(),
        "consistency": record.consistency,
        "coverage": coverage_value(record.coverage),
        "changes": None if checkpoint.changes is None else counts_value(checkpoint.changes),
        "headline": checkpoint.headline,
        "verdict": None if checkpoint.verdict is None else verdict_value(checkpoint.verdict),
        "meta": dict(labels.meta),
        "pinned": labels.pinned,
        "here": checkpoint.is_here,
        "position": position_value(record.position, checkpoint.tasks),
    }


def position_value(position: Position, tasks: Sequence[Task] | None) -> Json | None:
    """Return where an agent was at a checkpoint; None where none ever was."""
    if position.is_empty:
        return None
    return {
        "session": position.session.hex() or None,
        "agent": label(position.agent),
        "version": label(position.version),
        "conversation_bytes": position.length,
        "tasks": None if tasks is None else count_tasks(tasks),
        "effects": position.effects,
        "forgotten": list(position.forgotten),
    }


def coverage_value(coverage: Coverage) -> Json:
    return {
        "complete": coverage.complete,
        "files": coverage.files,
        "bytes": coverage.total_bytes,
        "uncovered": [
            {**path_value(item.path), "reason": item.reason_name} for item in coverage.uncovered
        ],
        "uncovered_counts": dict(coverage.counts),
        "unstable": [path_value(path) for path in coverage.unstable],
        "blind_processes": coverage.blind,
    }


def counts_value(changes: ChangeCounts) -> Json:
    return dict(changes._asdict())


def fact_value(fact: Fact) -> Json:
    return {
        "kind": fact.kind,
        "scope": fact.scope,
        "subject": fact.subject,
        "before": fact.before,
        "after": fact.after,
        "direct": fact.direct,
        "severity": fact.severity,
        "basis": fact.basis,
        "evidence": list(fact.evidence),
        "marks": list(fact.marks),
    }


def story_value(story: Story) -> Json:
    """Return a story; its parts stand side by side with what they are about."""
    return {
        "headline": story.headline,
        "severity": story.severity,
        "retold": story.retold or None,
        "facts": [fact_value(fact) for fact in story.facts],
        "story": [
            {
                "heading": line.heading,
                "text": line.text,
                "severity": line.severity,
                "paths": line.path_count,
                **({"path_list": list(line.paths)} if line.paths else {}),
            }
            for line in story.lines
        ],
    }


def verdict_value(verdict: Verdict) -> Json:
    return {
        "status": verdict.status,
        "command": verdict.command,
        "exit_code": verdict.exit_code,
        "duration_ms": verdict.duration_ns // 1_000_000,
        "output": redact(verdict.output),
        "time": rfc3339(verdict.time_ns),
        "where": verdict.where,
        "ended": verdict.ended,
        "good": verdict.is_good,
        "inputs_changed": bool(verdict.changed_count),
        "changed_count": verdict.changed_count,
        "changed": [path_value(path) for path in verdict.details.changed],
        "generated": verdict.details.generated,
        "net": verdict.details.net or None,
        "notes": list(verdict.details.notes),
    }


def workspace_value(info: WorkspaceInfo) -> Json:
    return {
        "id": info.text_id,
        **path_value(info.path),
        "machine": info.machine,
        "here": identifier(info.here),
    }


def change_value(change: Change) -> Json:
    old_path: Json = {"old_path": None}
    if change.old_path is not None:
        old_path = path_value(change.old_path, "old_path")
    return {
        **path_value(change.path),
        "kind": change.kind,
        **old_path,
        "old": None if change.old is None else entry_value(change.old),
        "new": None if change.new is None else entry_value(change.new),
    }


def entry_value(entry: Entry) -> Json:
    """Return what a capture holds of one name; the fields depend on its type."""
    kind = EntryKind.NAMES[entry.kind]
    if not entry.is_covered:
        return {"type": kind, "reason": Reason.NAMES.get(entry.reason, "unknown")}
    value: Json = {
        "type": kind,
        "mode": f"{entry.mode:04o}",
        "uid": entry.uid,
        "gid": entry.gid,
        "mtime": rfc3339(entry.mtime_ns),
        "flags": flag_names(entry.flags),
        "xattrs": identifier(entry.xattrs),
    }
    match entry.kind:
        case EntryKind.FILE:
            value |= {"size": entry.size, "content": entry.content.hex()}
        case EntryKind.SYMLINK:
            value |= path_value(entry.target, "target")
        case EntryKind.CHARACTER | EntryKind.BLOCK:
            value |= {"major": entry.device[0], "minor": entry.device[1]}
        case _:
            pass
    return value


def planned_value(planned: PlannedPath) -> Json:
    return {**path_value(planned.path), "size": planned.size, "new_work": planned.is_new_work}


def reason_value(item: LeftAlone) -> Json:
    return {**path_value(item.path), "reason": item.reason}
