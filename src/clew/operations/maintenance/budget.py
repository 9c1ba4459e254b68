"""The byte budget of the store, and what pruning could free."""

from __future__ import annotations

from clew.operations.context import Context
from clew.operations.maintenance.settings import MAX_BYTES, as_bytes, in_force


def budget_of(context: Context) -> int:
    """Return the byte budget of the store; 0 for no limit."""
    return as_bytes(MAX_BYTES, in_force(context)[MAX_BYTES])


def packed_bytes(context: Context) -> int:
    """Return the size of all packs: nearly all of the store, and known without reading the disk."""
    row = context.store.database.one("SELECT coalesce(sum(bytes), 0) FROM packs")
    return int(row[0]) if row is not None else 0


def is_over_budget(context: Context) -> bool:
    """Return whether the store exceeds its budget; cheap enough for every save."""
    budget = budget_of(context)
    return 0 < budget < packed_bytes(context)


def remember_prunable(context: Context, size: int) -> None:
    """Remember what pruning could free: computing it reads the whole index."""
    context.store.database.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_key(context), size)
    )


def known_prunable(context: Context) -> int | None:
    """Return what the last prune found could be freed; None if there was none."""
    row = context.store.database.one("SELECT value FROM meta WHERE key = ?", (_key(context),))
    return int(row[0]) if row is not None else None


def _key(context: Context) -> str:
    return f"prunable:{context.workspace.hex()}"
