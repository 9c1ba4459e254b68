"""The record: the immutable half of a checkpoint; see docs/format.md, 3.5."""

from __future__ import annotations

from typing import NamedTuple

from clew.model import bencode
from clew.model.entry import Reason
from clew.model.ids import ID_BYTES, CheckpointId, ObjectId, ObjectType, StateId, object_id

UNCOVERED_PATHS_KEPT = 100
WORKSPACE_BYTES = 16


class Origin:
    """Who asked for a checkpoint."""

    MANUAL = "manual"
    AUTOMATIC = "automatic"
    HOOK = "hook"
    RESCUE = "rescue"

    ALL = (MANUAL, AUTOMATIC, HOOK, RESCUE)


class Consistency:
    """How well the files of a checkpoint belong to one moment."""

    ATOMIC = "atomic"
    STABLE = "stable"
    FUZZY = "fuzzy"


class Uncovered(NamedTuple):
    """One path that a capture could not or was told not to hold."""

    path: bytes
    reason: int

    @property
    def reason_name(self) -> str:
        return Reason.NAMES.get(self.reason, "unknown")


class Coverage(NamedTuple):
    """What a capture holds, and what it knows it does not."""

    files: int = 0
    """Entries of any kind, the root not counted."""
    total_bytes: int = 0
    """Sum of the sizes of regular files."""
    counts: tuple[tuple[str, int], ...] = ()
    """Reason and number of uncovered entries, sorted by reason."""
    uncovered: tuple[Uncovered, ...] = ()
    """The first of them, at most `UNCOVERED_PATHS_KEPT`."""
    unstable: tuple[bytes, ...] = ()
    """Files that kept changing while they were read."""
    blind: int = 0
    """Processes whose memory maps could not be read."""

    @property
    def uncovered_count(self) -> int:
        return sum(number for _, number in self.counts)

    @property
    def unreadable(self) -> int:
        return dict(self.counts).get(Reason.NAMES[Reason.UNREADABLE], 0)

    @property
    def complete(self) -> bool:
        """Tell whether everything that should be there is: excludes and boundaries are by design."""
        return not self.unreadable and not self.unstable


class Record(NamedTuple):
    """One captured moment, as stored."""

    workspace: bytes
    """Uuid, 16 bytes."""
    sequence: int
    time_ns: int
    parent: CheckpointId | None
    tree: ObjectId
    state: StateId
    links: ObjectId
    rules: ObjectId
    origin: str
    consistency: str
    coverage: Coverage
    signals: ObjectId | None = None
    held: str = "store"

    def encode(self) -> bytes:
        coverage = self.coverage
        return bencode.encode(
            {
                b"clew": 1,
                b"workspace": self.workspace,
                b"sequence": self.sequence,
                b"time": self.time_ns,
                b"parent": self.parent or b"",
                b"tree": self.tree,
                b"state": self.state,
                b"links": self.links,
                b"rules": self.rules,
                b"signals": self.signals or b"",
                b"origin": self.origin.encode(),
                b"consistency": self.consistency.encode(),
                b"unstable": list(coverage.unstable),
                b"uncovered": {name.encode(): number for name, number in coverage.counts},
                b"uncovered_paths": [[item.path, item.reason] for item in coverage.uncovered],
                b"blind": coverage.blind,
                b"files": coverage.files,
                b"bytes": coverage.total_bytes,
                b"session": {},
                b"held": self.held.encode(),
            }
        )

    @property
    def id(self) -> CheckpointId:
        return CheckpointId(object_id(ObjectType.RECORD, self.encode()))

    @classmethod
    def decode(cls, content: bytes) -> Record:
        found = bencode.decode_dict(content)
        try:
            record = _from_dict(found)
        except (KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError("Not a record") from error
        if record.encode() != content:  # a key we do not know: our id for it would be another
            raise ValueError("Not a record that this clew can keep whole")
        return record


def _from_dict(found: dict[bytes, bencode.Value]) -> Record:
    if found[b"clew"] != 1:
        raise ValueError("A record of a newer clew")
    uncovered = found[b"uncovered"]
    if not isinstance(uncovered, dict):
        raise TypeError(uncovered)
    coverage = Coverage(
        files=_number(found[b"files"]),
        total_bytes=_number(found[b"bytes"]),
        counts=tuple(sorted((name.decode(), _number(count)) for name, count in uncovered.items())),
        uncovered=tuple(_uncovered(item) for item in _list(found[b"uncovered_paths"])),
        unstable=tuple(_bytes(path) for path in _list(found[b"unstable"])),
        blind=_number(found[b"blind"]),
    )
    parent, signals = found[b"parent"], found[b"signals"]
    return Record(
        workspace=_bytes(found[b"workspace"], WORKSPACE_BYTES),
        sequence=_number(found[b"sequence"]),
        time_ns=_number(found[b"time"]),
        parent=CheckpointId(_bytes(parent, ID_BYTES)) if parent else None,
        tree=ObjectId(_bytes(found[b"tree"], ID_BYTES)),
        state=StateId(_bytes(found[b"state"], ID_BYTES)),
        links=ObjectId(_bytes(found[b"links"], ID_BYTES)),
        rules=ObjectId(_bytes(found[b"rules"], ID_BYTES)),
        origin=_bytes(found[b"origin"]).decode(),
        consistency=_bytes(found[b"consistency"]).decode(),
        coverage=coverage,
        signals=ObjectId(_bytes(signals, ID_BYTES)) if signals else None,
        held=_bytes(found[b"held"]).decode(),
    )


def _uncovered(value: bencode.Value) -> Uncovered:
    path, reason = _list(value)
    return Uncovered(_bytes(path), _number(reason))


def _bytes(value: bencode.Value, length: int | None = None) -> bytes:
    if not isinstance(value, bytes) or length not in (None, len(value)):
        raise TypeError(value)
    return value


def _number(value: bencode.Value) -> int:
    if not isinstance(value, int):
        raise TypeError(value)
    return value


def _list(value: bencode.Value) -> list[bencode.Value]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value
