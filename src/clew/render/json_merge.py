"""JSON of a merge and its conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import change_value, entry_value, path_value

if TYPE_CHECKING:
    from clew.model.entry import Entry
    from clew.model.merge_results import Conflict, Merge
    from clew.render.shapes import restore, values


def merge_value(merge: Merge) -> restore.Merge:
    return {
        "base": merge.base.id.hex(),
        "theirs": merge.theirs.id.hex(),
        "fork": merge.name or None,
        "favour": merge.favour,
        "changes": [change_value(change) for change in merge.taken],
        "merged": [path_value(path) for path in merge.merged],
        "conflicts": [conflict_value(conflict) for conflict in merge.conflicts],
    }


def conflict_value(conflict: Conflict) -> restore.Conflict:
    return {
        **path_value(conflict.path),
        "reason": conflict.reason,
        "base": _entry(conflict.base),
        "ours": _entry(conflict.ours),
        "theirs": _entry(conflict.theirs),
    }


def _entry(entry: Entry | None) -> values.Entry | None:
    return None if entry is None else entry_value(entry)
