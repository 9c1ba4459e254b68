"""The exclude rules that a checkpoint was captured with."""

from __future__ import annotations

from clew.errors import StoreTooNew
from clew.model.record import Record
from clew.model.small_objects import Rules
from clew.store.store import Store


def recorded_rules(store: Store, record: Record) -> Rules:
    """Return the rules of a checkpoint; `StoreTooNew` if a newer clew has excluded by others."""
    try:
        return Rules.decode(store.objects.get(record.rules))
    except ValueError as error:
        raise StoreTooNew(str(store.layout.root), "unknown exclude rules") from error
