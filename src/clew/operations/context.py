"""Context of operations: a workspace in an open store."""

from __future__ import annotations

import os

from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.ids import CheckpointId
from clew.model.small_objects import Rules
from clew.operations.host import REAL, Host
from clew.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.worktree.cache import WorktreeCache

EXCLUDE = "exclude"
"""The setting with the user's exclude patterns, one per line."""
EXCLUDE_LARGER_THAN = "exclude-larger-than"
"""The setting with the size above which files are excluded; empty for none."""


class Context:
    """A workspace, its store, the settings in force, and the machine."""

    def __init__(self, store: Store, info: WorkspaceInfo, host: Host = REAL) -> None:
        self.store = store
        self.info = info
        self.host = host

    @property
    def workspace(self) -> bytes:
        return self.info.uuid

    @property
    def root(self) -> bytes:
        return self.info.path

    @property
    def rules(self) -> Rules:
        chosen = self.store.settings.all(self.workspace)
        lines = chosen.get(EXCLUDE, "").split("\n")
        patterns = tuple(os.fsencode(line) for line in lines if line)
        limit = chosen.get(EXCLUDE_LARGER_THAN)
        if not limit:
            return Rules(patterns, self.info.machine)
        from clew.model.quantity import parse_size  # noqa: PLC0415  rarely needed

        return Rules(patterns, self.info.machine, parse_size(limit))

    @property
    def here(self) -> Checkpoint | None:
        """The checkpoint under the trail's cursor, or its nearest surviving ancestor."""
        identifier = self.store.trails.here(self.workspace)
        identifier, _ = self.store.checkpoints.surviving(identifier)
        return self.find(identifier) if identifier is not None else None

    def find(self, identifier: CheckpointId) -> Checkpoint:
        """Return a checkpoint that is known to exist."""
        found = self.store.checkpoints.get(identifier)
        if found is None:
            raise StoreDamaged(f"A checkpoint is missing from the catalogue: {identifier.hex()}")
        return found

    def mark_here(self, checkpoint: Checkpoint) -> Checkpoint:
        """Return `checkpoint` marked as *here* if it is."""
        here = self.store.trails.here(self.workspace)
        return checkpoint._replace(is_here=checkpoint.id == here)

    def open_cache(self) -> WorktreeCache:
        """Return the worktree cache, empty unless it fits store, generation, rules and boot."""
        return self.open_cache_of(self.workspace)

    def open_cache_of(self, workspace: bytes) -> WorktreeCache:
        """Return the worktree cache of a workspace that is captured with the rules of this one."""
        from clew.worktree.cache import WorktreeCache  # noqa: PLC0415  only a scan needs it

        # Before a reboot, data may have been lost, or written without the times that go with it.
        owner = f"{self.store.cache_owner} {self.rules.encode().hex()} {self.host.boot_id()}"
        return WorktreeCache(cache_path(self.store, workspace), owner)

    def forget_cache(self) -> None:
        """Make the next scan read every file."""
        cache = self.open_cache()
        cache.forget()


def cache_path(store: Store, workspace: bytes) -> str:
    return os.path.join(store.layout.cache, workspace.hex() + ".db")
