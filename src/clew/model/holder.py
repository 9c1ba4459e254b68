"""Who holds a file."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Holder(NamedTuple):
    """A running process that has a file of the plan open or mapped."""

    pid: int
    command: str
    path: bytes
