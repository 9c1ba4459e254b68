"""JSON of the values that several commands print: paths, entries, changes, checkpoints, stories."""

# Shapes are merged into each other, and none has fields that it does not declare:
# mypy: no-extra-checks

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
    from collections.abc import Mapping, Sequence
    from typing import Literal, overload

    from clew.model.change import Change, ChangeCounts
    from clew.model.checkpoint import Checkpoint, Labels, WorkspaceInfo
    from clew.model.database_look import DatabaseLook
    from clew.model.drill import Drill
    from clew.model.fact import Fact
    from clew.model.position import Position
    from clew.model.record import Coverage
    from clew.model.restore_results import SkippedPath
    from clew.model.story import Story, StoryLine
    from clew.model.task import Task
    from clew.model.verdict import Verdict
    from clew.render.shapes import values as shapes

    Json = Mapping[str, object]
    """Any shape of `clew.render.shapes`."""


if TYPE_CHECKING:

    @overload
    def path_value(path: bytes, key: Literal["path"] = ...) -> shapes.Path: ...
    @overload
    def path_value(path: bytes, key: Literal["old_path"]) -> shapes.OldPath: ...
    @overload
    def path_value(path: bytes, key: Literal["name"]) -> shapes.EntryName: ...
    @overload
    def path_value(path: bytes, key: Literal["target"]) -> shapes.LinkTarget: ...
    @overload
    def path_value(path: bytes, key: Literal["content"]) -> shapes.FileContent: ...
    @overload
    def path_value(path: bytes, key: Literal["workspace_path"]) -> shapes.WorkspacePath: ...
    @overload
    def path_value(path: bytes, key: Literal["original_path"]) -> shapes.OriginalPath: ...


def path_value(path: bytes, key: str = "path") -> Json:
    """Return bytes as text under `key`; if they are not UTF-8, also in base64 under `{key}_b64`."""
    exact = as_base64(path)
    return {key: as_text(path)} if exact is None else {key: as_text(path), f"{key}_b64": exact}


def identifier(value: bytes | None) -> str | None:
    return value.hex() if value else None


def checkpoint_value(checkpoint: Checkpoint) -> shapes.Checkpoint:
    record, labels = checkpoint.record, checkpoint.labels
    return {
        "id": checkpoint.id.hex(),
        "short_id": short(checkpoint.id),
        "name": labels.name,
        "has_name": labels.named,
        "intent": labels.intent,
        "intent_source": _intent_source(labels),
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
        "change_counts": None if checkpoint.changes is None else counts_value(checkpoint.changes),
        "headline": checkpoint.headline,
        "verdict": None if checkpoint.verdict is None else verdict_value(checkpoint.verdict),
        "drill": None if checkpoint.drill is None else drill_value(checkpoint.drill),
        "meta": dict(labels.meta),
        "notes": list(labels.notes),
        "is_pinned": labels.pinned,
        "is_current": checkpoint.is_here,
        "position": position_value(record.position, checkpoint.tasks),
    }


def drill_value(drill: Drill) -> shapes.Drill:
    return {
        "time": rfc3339(drill.time_ns),
        "outcome": drill.outcome,
        "differing_count": drill.differing_count,
        "differing_paths": [
            {**path_value(one.path), "reason": one.description} for one in drill.differences
        ],
    }


def _intent_source(labels: Labels) -> str | None:
    if not labels.intent:
        return None
    return "git" if labels.is_intent_from_git else "given"


def position_value(position: Position, tasks: Sequence[Task] | None) -> shapes.Position | None:
    """Return the position of the session at a checkpoint, or None if no agent ever worked there."""
    if position.is_empty:
        return None
    return {
        "session": position.session.hex() or None,
        "agent": label(position.agent),
        "version": label(position.version),
        "conversation_bytes": position.length,
        "task_counts": None if tasks is None else count_tasks(tasks),
        "last_effect": position.effects,
        "effects_not_in_history": list(position.forgotten),
    }


def coverage_value(coverage: Coverage) -> shapes.Coverage:
    return {
        "is_complete": coverage.complete,
        "entry_count": coverage.files,
        "total_bytes": coverage.total_bytes,
        "uncovered": [
            {**path_value(item.path), "reason": item.reason_name} for item in coverage.uncovered
        ],
        "uncovered_counts": dict(coverage.counts),
        "unstable": [path_value(path) for path in coverage.unstable],
        "unreadable_process_count": coverage.blind,
    }


def counts_value(changes: ChangeCounts) -> dict[str, int]:
    return dict(changes._asdict())


def fact_value(fact: Fact) -> shapes.Fact:
    return {
        "kind": fact.kind,
        "scope": fact.scope,
        "subject": fact.subject,
        "before": fact.before,
        "after": fact.after,
        "is_direct": fact.direct,
        "severity": fact.severity,
        "basis": fact.basis,
        "evidence": list(fact.evidence),
        "details": list(fact.marks),
    }


def story_value(story: Story) -> shapes.Story:
    """Return the fields of a story, which are merged into the object that it describes."""
    return {
        "headline": story.headline,
        "severity": story.severity,
        "custom_story": story.retold or None,
        "facts": [fact_value(fact) for fact in story.facts],
        "story_lines": [_line_value(line) for line in story.lines],
    }


def _line_value(line: StoryLine) -> shapes.StoryLine:
    value: shapes.StoryLine = {
        "heading": line.heading,
        "text": line.text,
        "severity": line.severity,
        "path_count": line.path_count,
    }
    if line.paths:
        value["paths"] = list(line.paths)
    return value


def verdict_value(verdict: Verdict) -> shapes.Verdict:
    return {
        "status": verdict.status,
        "command": verdict.command,
        "exit_code": verdict.exit_code,
        "duration_ms": verdict.duration_ns // 1_000_000,
        "output": redact(verdict.output),
        "time": rfc3339(verdict.time_ns),
        "ran_in": verdict.ran_in,
        "end_reason": verdict.end_reason,
        "is_good": verdict.is_good,
        "has_changed_inputs": bool(verdict.changed_count),
        "changed_count": verdict.changed_count,
        "changed_paths": [path_value(path) for path in verdict.details.changed],
        "generated_count": verdict.details.generated,
        "network": verdict.details.network or None,
        "notes": list(verdict.details.notes),
        "reason": verdict.details.reason or None,
    }


def look_value(look: DatabaseLook) -> shapes.DatabaseLook:
    return {
        "time": rfc3339(look.time_ns),
        "servers": [
            {
                "kind": server.kind,
                "directory": server.directory,
                "version": server.version,
                "problem": server.problem or None,
                "superusers": list(server.superusers),
                "databases": [
                    {
                        "name": database.name,
                        "tables": [
                            {
                                "name": table.name,
                                "row_count": None if table.rows < 0 else table.rows,
                            }
                            for table in database.tables
                        ],
                    }
                    for database in server.databases
                ],
            }
            for server in look.servers
        ],
    }


def workspace_value(info: WorkspaceInfo) -> shapes.Workspace:
    return {
        "id": info.text_id,
        **path_value(info.path),
        "is_machine": info.machine,
        "current": identifier(info.here),
    }


def change_value(change: Change) -> shapes.Change:
    old_path: shapes.OldPath = {"old_path": None}
    if change.old_path is not None:
        old_path = path_value(change.old_path, "old_path")
    return {
        **path_value(change.path),
        "kind": change.kind,
        **old_path,
        "old": None if change.old is None else entry_value(change.old),
        "new": None if change.new is None else entry_value(change.new),
    }


def entry_value(entry: Entry) -> shapes.Entry:
    """Return an entry; the fields depend on its type."""
    kind = EntryKind.NAMES[entry.kind]
    if not entry.is_covered:
        return {"type": kind, "reason": Reason.NAMES.get(entry.reason, "unknown")}
    value: shapes.Entry = {
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


def reason_value(item: SkippedPath) -> shapes.PathAndReason:
    return {**path_value(item.path), "reason": item.reason}
