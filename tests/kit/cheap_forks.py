"""Cheap forks of a process that has collected thousands of tests.

A fork copies the page tables of its parent: 50 ms for the 350 MB of all tests and the libraries of
agents, and most commands fork.  Huge pages need a 512th of the tables; those that a parent or a
child writes to are split again, the others stay.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from pathlib import Path

_HUGE_PAGE = 2 << 20
_MADV_HUGEPAGE, _MADV_COLLAPSE = 14, 25


def begin_collection() -> None:
    """Turn garbage collection off: what is collected lives until the end."""
    gc.disable()


def end_collection() -> None:
    """Exempt all objects from garbage collection, and move them to huge pages."""
    gc.enable()
    gc.freeze()
    libc = ctypes.CDLL(None)
    libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start, length in _private_memory():
        libc.madvise(start, length, _MADV_HUGEPAGE)
        libc.madvise(start, length, _MADV_COLLAPSE)  # fails before Linux 6.1, which does no harm


def _private_memory() -> Iterator[tuple[int, int]]:
    """Yield start and length of the aligned parts of the heap and of anonymous mappings."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, _, *name = line.split(maxsplit=5)
        start, end = (int(address, 16) for address in addresses.split("-"))
        start, end = -(-start // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
        if rights == "rw-p" and name in ([], ["[heap]"]) and start < end:
            yield start, end - start
