"""Output of the commands that maintain the store, and of config and repl."""

from __future__ import annotations

from typing_extensions import TypedDict

from clew.render.shapes.values import Checkpoint, WorkspacePath


class HoldingCheckpoint(WorkspacePath):
    checkpoint: str
    """id of the checkpoint"""
    fork: str | None
    """name of the fork that it belongs to, or `null`"""


class Searched(TypedDict):
    files: int
    """how many files of the store"""
    read_bytes: int
    """how much was read"""


class DeleteOutput(TypedDict):
    deleted: list[Checkpoint]
    """the deleted checkpoints"""
    freed_bytes: int
    """by how much the store shrank"""
    still_held: list[str]
    """where some of their content remains, one sentence each"""
    holders: list[HoldingCheckpoint]
    """after `--purge`: the checkpoints that still hold some of it, see below"""
    searched: Searched | None
    """after `--purge`: what was searched for remaining content, see below; otherwise `null`"""
    remaining: list[str]
    """what `--purge` could not remove, one sentence each; the exit code is then 3"""
    notes: list[str]
    """other actions, one sentence each"""


class PruneOutput(TypedDict):
    removed: list[Checkpoint]
    """the checkpoints that were removed, or would be"""
    rules: list[str]
    """the rule that removed each of them: `hourly`, `daily`, `weekly`, `keep-last`, `max-bytes`, `min-free`; other removals have `max-checkpoints`, `delete`, `discard`, `not-merged` or `lost`"""
    made: int
    """how many of them a person saved, or were verified, or are named in a graph"""
    kept: dict[str, int]
    """number of checkpoints kept by reason: `named`, `pinned`, `here`, `trail`, `restoring`, `rescue`, `passing`, `fork`, `manual`, `verified`, `graph`; by age `recent`, `hourly`, `daily`, `weekly`; by a limit `newest`"""
    freed_bytes: int
    """by how much the store shrank, or an estimate"""
    store_bytes: int
    """size of the store"""
    max_bytes: int
    """its budget, the setting `max-bytes`; 0 if there is none"""
    dry_run: bool
    """whether nothing was removed"""


class GcOutput(TypedDict):
    freed_bytes: int
    """by how much the store shrank"""
    removed_objects: int
    removed_packs: int
    """number of objects and packs removed"""
    store_bytes: int
    """size of the store"""
    notes: list[str]
    """other actions, one sentence each"""
    remaining: list[str]
    """what `--purge` could not remove, one sentence each; the exit code is then 3"""


class Damage(TypedDict):
    where: str
    """the file or object"""
    what: str
    """the damage"""
    checkpoints: list[str]
    """short ids of the checkpoints that need it"""


class CheckOutput(TypedDict):
    whole: bool
    """whether nothing is damaged; if false the exit code is 6"""
    damages: list[Damage]
    """the damage, see below"""
    notes: list[str]
    """remarks, one sentence each"""
    packs: int
    objects: int
    checkpoints: int
    """how many were checked"""
    read_bytes: int
    """how much was read"""
    rebuilt: bool
    """whether the index was replaced"""


class ObjectKind(TypedDict):
    kind: str
    """the kind of object"""
    objects: int
    bytes: int
    """number and total size before compression"""


class StatsOutput(TypedDict):
    store: str
    """path of the store"""
    store_bytes: int
    max_bytes: int
    """its size and its budget"""
    packs: int
    objects: int
    checkpoints: int
    """how many it has, of all workspaces"""
    workspace_checkpoints: int
    """how many belong to this workspace"""
    content_bytes: int
    """total size before compression"""
    by_kind: list[ObjectKind]
    """the objects by kind, see below"""


class ConfigOutput(TypedDict):
    config: dict[str, str]
    """all settings, or the one given"""


class ReplOutput(TypedDict):
    line: str
    """the line as read"""
    is_ok: bool
    """whether it succeeded"""
    has_changed_files: bool
    """whether files changed"""
    text: str
    """the answer"""
