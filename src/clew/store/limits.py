"""Limits of a store: sizes and waits.

A test that needs smaller ones opens the store with a subclass.
"""

from __future__ import annotations


class StoreLimits:
    """Sizes in bytes and waits in milliseconds."""

    reserve_bytes = 64 << 20
    """Size of the reserve: space for a rescue, prune or gc on a full disk."""
    busy_ms = 60_000
    """Wait for a catalogue that another process writes."""
    impatient_ms = 100
    """The same for work that can also be done later."""
    read_at_once = 128 << 20
    """Bytes of changed packs that one save reads; after the copy of a store, later saves read the rest."""
    small_packs = 8
    """The number of small packs from which gc merges them."""
    batch_bytes = 32 << 20
    """Live bytes that gc copies in one batch: the maximum extra space needed."""


DEFAULT = StoreLimits()
