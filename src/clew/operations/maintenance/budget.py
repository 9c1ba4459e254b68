"""The byte budget of the store, and what is known of how to get back within it."""

from __future__ import annotations

from clew.operations.context import Context
from clew.operations.maintenance.settings import MAX_BYTES, as_bytes, in_force


def budget_of(context: Context) -> int:
    """Return how many bytes the store may take; 0 for no limit."""
    return as_bytes(MAX_BYTES, in_force(context)[MAX_BYTES])


def packed_bytes(context: Context) -> int:
    """Return what all packs take: nearly all of the store, and known without looking at the disk."""
    row = context.store.database.one("SELECT coalesce(sum(bytes), 0) FROM packs")
    return int(row[0]) if row is not None else 0


def is_over_budget(context: Context) -> bool:
    """Tell whether the store is larger than it may be; cheap enough to ask at every save."""
    budget = budget_of(context)
    return 0 < budget < packed_bytes(context)


def remember_prunable(context: Context, size: int) -> None:
    """Keep what pruning could free: finding that out takes a look at all that is stored."""
    context.store.database.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_key(context), size)
    )


def known_prunable(context: Context) -> int | None:
    """Return what the last prune found could be freed; None if none has looked."""
    row = context.store.database.one("SELECT value FROM meta WHERE key = ?", (_key(context),))
    return int(row[0]) if row is not None else None


def _key(context: Context) -> str:
    return f"prunable:{context.workspace.hex()}"
