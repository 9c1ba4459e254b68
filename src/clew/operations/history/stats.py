"""Stats: the size of the store and of its history."""

from __future__ import annotations

from clew.model.ids import ObjectType
from clew.model.results import Stats
from clew.operations.context import Context
from clew.operations.maintenance.settings import MAX_BYTES, as_bytes, in_force
from clew.store.disk_usage import disk_usage


def stats(context: Context) -> Stats:
    """Count the contents of the store."""
    store = context.store
    kinds = store.database.execute(
        "SELECT kind, count(*), sum(length) FROM objects GROUP BY kind ORDER BY kind"
    )
    packs = store.database.one("SELECT count(*) FROM packs")
    return Stats(
        store=store.layout.root,
        store_bytes=store.size(),
        max_bytes=as_bytes(MAX_BYTES, in_force(context)[MAX_BYTES]),
        disk_parts=disk_usage(store.layout),
        packs=packs[0] if packs else 0,
        objects=sum(number for _, number, _ in kinds),
        checkpoints=store.checkpoints.count(),
        workspace_checkpoints=store.checkpoints.count(context.workspace),
        content_bytes=sum(size for _, _, size in kinds),
        by_kind=tuple(
            (ObjectType.NAMES.get(kind, "unknown"), number, size) for kind, number, size in kinds
        ),
    )
