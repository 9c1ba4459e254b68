"""Findings of a check, grouped by place, each with the objects lost there."""

from __future__ import annotations

from collections.abc import Iterable

from clew.model.ids import CheckpointId, ObjectId, short
from clew.model.record import Record
from clew.model.results import Damage
from clew.store.mark import Follow
from clew.store.needs import Numbers, who_needs


class Findings:
    """Damages in the order they were found, one per place."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, set[ObjectId]]] = {}

    def add(self, where: str, what: str, objects: Iterable[ObjectId] = ()) -> None:
        """Add a damage, or more objects to the known damage at this place."""
        self._found.setdefault(where, (what, set()))[1].update(objects)

    def damages(
        self, records: Iterable[tuple[CheckpointId, Record]], follow: Follow
    ) -> tuple[Damage, ...]:
        """Return all damages, with the checkpoints that need the damaged objects."""
        wanted: dict[ObjectId, Numbers] = {}
        for number, (_, objects) in enumerate(self._found.values()):
            for identifier in objects:
                wanted[identifier] = wanted.get(identifier, frozenset()) | {number}
        needing = who_needs(records, wanted, follow).checkpoints if wanted else {}
        return tuple(
            Damage(where, what, tuple(map(short, needing.get(number, ()))))
            for number, (where, (what, _)) in enumerate(self._found.items())
        )
