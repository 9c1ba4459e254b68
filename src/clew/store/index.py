"""Object index: the catalogue rows that locate each object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clew.model.ids import ObjectId
from clew.store.database import Database, Row
from clew.store.reader import Location
from clew.store.writer import NewPack, ObjectRow

_BATCH = 500


class Index:
    """Locates objects, and adds rows for new ones."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._packs: dict[int, str] = {}

    def locate(self, identifier: ObjectId) -> Location | None:
        row = self._database.one(
            "SELECT kind, pack, frame, position, length FROM objects WHERE id = ?", (identifier,)
        )
        return self._location(row) if row is not None else None

    def locate_many(self, identifiers: list[ObjectId]) -> dict[ObjectId, Location]:
        """Return the locations of the objects that have one; much faster than one query each."""
        found: dict[ObjectId, Location] = {}
        for start in range(0, len(identifiers), _BATCH):
            batch = identifiers[start : start + _BATCH]
            placeholders = ",".join("?" * len(batch))
            rows = self._database.execute(
                "SELECT kind, pack, frame, position, length, id FROM objects"
                f" WHERE id IN ({placeholders})",
                batch,
            )
            for row in rows:
                location = self._location(row)
                if location is not None:
                    found[ObjectId(row[5])] = location
        return found

    def known(self, identifiers: Iterable[ObjectId]) -> set[ObjectId]:
        """Return the `identifiers` that have a row."""
        wanted = list(identifiers)
        found: set[ObjectId] = set()
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            placeholders = ",".join("?" * len(batch))
            rows = self._database.execute(
                f"SELECT id FROM objects WHERE id IN ({placeholders})", batch
            )
            found.update(row[0] for row in rows)
        return found

    def add(
        self,
        packs: Sequence[NewPack],
        rows: Sequence[ObjectRow],
        is_intact: Callable[[Location], bool] = lambda _: True,
    ) -> None:
        """Add rows for new packs and their objects; inside a transaction.

        An object keeps its existing row, unless `is_intact` is false for that location.
        """
        numbers: dict[str, int] = {}
        for pack in packs:
            row = self._database.one(
                "INSERT INTO packs (name, bytes) VALUES (?, ?) RETURNING id", (pack.name, pack.size)
            )
            assert row is not None
            numbers[pack.name] = row[0]
        # Sorted, so that SQLite fills index pages instead of splitting them.
        places = sorted((row[0], row[1], numbers[row[2]], row[3], row[4], row[5]) for row in rows)
        before = self._changes()
        self._database.execute_many(
            "INSERT OR IGNORE INTO objects VALUES (?, ?, ?, ?, ?, ?)", places
        )
        if self._changes() - before < len(places):
            self._replace_damaged(places, set(numbers), is_intact)

    def _replace_damaged(
        self, places: list[Row], new: set[str], is_intact: Callable[[Location], bool]
    ) -> None:
        located = self.locate_many([ObjectId(place[0]) for place in places])
        self._database.execute_many(
            "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?)",
            [
                place
                for place in places
                if (found := located.get(place[0])) is None
                or (found.pack not in new and not is_intact(found))
            ],
        )

    def _changes(self) -> int:
        row = self._database.one("SELECT total_changes()")
        return int(row[0]) if row else 0

    def forget(self) -> None:
        """Clear cached pack names, after gc moved objects."""
        self._packs.clear()

    def _location(self, row: Row) -> Location | None:
        name = self._packs.get(row[1]) or self._pack_name(row[1])
        return Location(row[0], name, row[2], row[3], row[4]) if name is not None else None

    def _pack_name(self, number: int) -> str | None:
        row = self._database.one("SELECT name FROM packs WHERE id = ?", (number,))
        if row is None:
            return None
        self._packs[number] = row[0]
        return str(row[0])
