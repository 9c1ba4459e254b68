"""Processes that have a file open."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Holder(NamedTuple):
    """A process that has a file of a restore plan open or mapped."""

    pid: int
    command: str
    path: bytes
