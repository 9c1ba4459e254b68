"""Output of the commands that maintain the store, and of config and repl."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from clew.render.shapes.values import Checkpoint, Workspace, WorkspacePath


class HoldingCheckpoint(WorkspacePath):
    checkpoint: str
    """id of the checkpoint"""
    fork: str | None
    """name of the fork that it belongs to, or `null`"""


class SearchedFiles(TypedDict):
    file_count: int
    """number of files of the store"""
    read_bytes: int
    """number of bytes read"""


class DeleteOutput(TypedDict):
    deleted: list[Checkpoint]
    """the deleted checkpoints"""
    freed_bytes: int
    """by how much the store shrank"""
    remaining_references: list[str]
    """where some of their content remains, one sentence each"""
    holding_checkpoints: list[HoldingCheckpoint]
    """after `--purge`: the checkpoints that still hold some of it, see below"""
    searched: SearchedFiles | None
    """after `--purge`: what was searched for remaining content, see below; otherwise `null`"""
    not_removed: list[str]
    """what `--purge` could not remove, one sentence each; the exit code is then 3"""
    notes: list[str]
    """other actions, one sentence each"""


class PruneOutput(TypedDict):
    removed: list[Checkpoint]
    """the checkpoints that were removed, or would be"""
    rules: list[str]
    """the rule that removed each of them: `hourly`, `daily`, `weekly`, `keep-last`, `max-bytes`, `min-free`; other removals have `max-checkpoints`, `delete`, `discard`, `not-merged` or `lost`"""
    manual_count: int
    """number of these that were saved manually, were verified, or belong to a LangGraph thread"""
    kept_counts: dict[str, int]
    """number of checkpoints kept by reason: `named`, `pinned`, `current`, `undo`, `restoring`, `rescue`, `passing`, `fork`, `manual`, `verified`, `graph`; by age `recent`, `hourly`, `daily`, `weekly`; by a limit `newest`"""
    freed_bytes: int
    """by how much the store shrank, or an estimate"""
    store_bytes: int
    """size of the store"""
    max_bytes: int
    """its budget, the setting `max-bytes`; 0 if there is none"""
    is_dry_run: bool
    """whether nothing was removed"""


class GcOutput(TypedDict):
    freed_bytes: int
    """by how much the store shrank"""
    removed_object_count: int
    removed_pack_count: int
    """number of objects and packs removed"""
    store_bytes: int
    """size of the store"""
    notes: list[str]
    """other actions, one sentence each"""
    not_removed: list[str]
    """what `--purge` could not remove, one sentence each; the exit code is then 3"""


class Damage(TypedDict):
    location: str
    """the file or object"""
    description: str
    """the damage"""
    checkpoints: list[str]
    """short ids of the checkpoints that need it"""


class CheckOutput(TypedDict):
    is_intact: bool
    """whether nothing is damaged; if false the exit code is 6"""
    damages: list[Damage]
    """the damage, see below"""
    notes: list[str]
    """remarks, one sentence each"""
    pack_count: int
    object_count: int
    checkpoint_count: int
    """number of packs, objects and checkpoints checked"""
    read_bytes: int
    """number of bytes read"""
    was_rebuilt: bool
    """whether the index was replaced"""


class ObjectKind(TypedDict):
    kind: str
    """the kind of object"""
    object_count: int
    content_bytes: int
    """number of objects, and their total size before compression"""


class DiskPart(TypedDict):
    part: str
    """`packs`, `catalogue`, `caches`, `forks`, `copies`, `reserve` (released when the disk is full) or `other`"""
    disk_bytes: int
    """what it takes on disk: allocated blocks"""


class StatsOutput(TypedDict):
    store: str
    """path of the store"""
    store_bytes: int
    max_bytes: int
    """length of the files that hold the history, without forks, copies and the reserve; and their budget, the setting `max-bytes`"""
    disk_bytes: int
    """what the store takes on disk, as `du` counts it"""
    disk_parts: list[DiskPart]
    """the parts of the store, see below; they add up to `disk_bytes`"""
    pack_count: int
    object_count: int
    checkpoint_count: int
    """number of packs, objects and checkpoints, of all workspaces"""
    workspace_checkpoint_count: int
    """number of checkpoints of this workspace"""
    content_bytes: int
    """total size before compression"""
    objects_by_kind: list[ObjectKind]
    """the objects by kind, see below"""


class PatternEffect(TypedDict):
    pattern: str
    """the pattern"""
    file_count: int
    content_bytes: int
    """number of files of the checkpoint that it matches, by itself or through a directory, and their total size"""
    left_out_count: int
    """number of names that the checkpoint leaves out already"""
    warnings: list[str]
    """what may not be meant, one sentence each"""


class ExcludeEffects(TypedDict):
    checkpoint: str | None
    """id of the checkpoint that was searched, or `null` if there is none yet"""
    is_complete: bool
    """whether all of it was searched"""
    patterns: list[PatternEffect]
    """the patterns, see below"""


class WorkspaceStatus(Workspace):
    name: str
    """the shortest text that `--workspace` accepts for it"""
    store: str
    """path of its store"""
    directory: str
    """`present`, `missing`, `replaced` (another directory is at its path) or `none`"""
    last_time: str | None
    """when its newest checkpoint was saved, or `null` if it has none"""
    checkpoint_count: int
    """number of its checkpoints"""
    entry_count: int
    total_bytes: int
    """number of entries in its newest checkpoint, and the bytes of its files, before deduplication and compression"""
    fork: str | None
    """its name, if it is a fork, or `null`"""
    source: Workspace | None
    """the workspace that it was forked from, or `null`"""


class WorkspacesOutput(TypedDict):
    workspaces: list[WorkspaceStatus]
    """all workspaces, also those whose directory is lost; the one with the newest checkpoint first"""


class ConfigOutput(TypedDict):
    config: dict[str, str]
    """all settings, or the one given"""
    changed: list[str]
    """the keys of those that were changed; the others have their defaults"""
    exclude_effects: NotRequired[ExcludeEffects]
    """after `set exclude`: what the patterns match in the current checkpoint, see below"""


class ReplOutput(TypedDict):
    line: str
    """the line as read"""
    is_ok: bool
    """whether it succeeded"""
    has_changed_files: bool
    """whether files changed"""
    text: str
    """the answer"""
