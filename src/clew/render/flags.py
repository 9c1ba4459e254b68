"""Names of inode flags."""

from __future__ import annotations

from clew.model.entry import FLAG_APPEND, FLAG_IMMUTABLE, FLAG_NODUMP

_NAMES = ((FLAG_IMMUTABLE, "immutable"), (FLAG_APPEND, "append"), (FLAG_NODUMP, "nodump"))


def flag_names(flags: int) -> list[str]:
    """Return the names of the flags that are set."""
    return [name for bit, name in _NAMES if flags & bit]
