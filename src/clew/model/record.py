"""Record: the immutable part of a checkpoint; see docs/format.md, 3.5."""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.entry import Reason
from clew.model.ids import ID_BYTES, CheckpointId, ObjectId, ObjectType, StateId, object_id
from clew.model.named_tuple import NamedTuple
from clew.model.position import Position

UNCOVERED_PATHS_KEPT = 100
WORKSPACE_BYTES = 16


class Origin:
    """What triggered a checkpoint."""

    MANUAL = "manual"
    AUTOMATIC = "automatic"
    HOOK = "hook"
    RESCUE = "rescue"

    ALL = (MANUAL, AUTOMATIC, HOOK, RESCUE)


class Consistency:
    """Whether the files of a checkpoint are from one point in time."""

    ATOMIC = "atomic"
    STABLE = "stable"
    FUZZY = "fuzzy"


class Uncovered(NamedTuple):
    """One path that could not be captured, or was excluded."""

    path: bytes
    reason: int

    @property
    def reason_name(self) -> str:
        return Reason.NAMES.get(self.reason, "unknown")


class Coverage(NamedTuple):
    """What a capture contains, and what it does not."""

    files: int = 0
    """Entries of any kind, the root not counted."""
    total_bytes: int = 0
    """Sum of the sizes of regular files."""
    counts: tuple[tuple[str, int], ...] = ()
    """Reason and number of uncovered entries, sorted by reason."""
    uncovered: tuple[Uncovered, ...] = ()
    """The first ones, at most `UNCOVERED_PATHS_KEPT`."""
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
        """Whether nothing is missing; excludes and boundaries are intended and do not count."""
        return not self.unreadable and not self.unstable


class Record(NamedTuple):
    """One captured state, as stored."""

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
    position: Position = Position()
    """The agent's position in its conversation, tasks and effects."""

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
                b"session": self.position.as_dict(),
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
        if record.encode() != content:  # an unknown key: re-encoding would give another id
            raise ValueError("Not a record that this clew can keep whole")
        return record


def _from_dict(found: dict[bytes, bencode.Value]) -> Record:
    if found[b"clew"] != 1:
        raise ValueError("A record of a newer clew")
    uncovered = found[b"uncovered"]
    if not isinstance(uncovered, dict):
        raise TypeError(uncovered)
    coverage = Coverage(
        files=number_of(found[b"files"]),
        total_bytes=number_of(found[b"bytes"]),
        counts=tuple(
            sorted((name.decode(), number_of(count)) for name, count in uncovered.items())
        ),
        uncovered=tuple(_uncovered(item) for item in list_of(found[b"uncovered_paths"])),
        unstable=tuple(bytes_of(path) for path in list_of(found[b"unstable"])),
        blind=number_of(found[b"blind"]),
    )
    parent, signals = found[b"parent"], found[b"signals"]
    return Record(
        workspace=bytes_of(found[b"workspace"], WORKSPACE_BYTES),
        sequence=number_of(found[b"sequence"]),
        time_ns=number_of(found[b"time"]),
        parent=CheckpointId(bytes_of(parent, ID_BYTES)) if parent else None,
        tree=ObjectId(bytes_of(found[b"tree"], ID_BYTES)),
        state=StateId(bytes_of(found[b"state"], ID_BYTES)),
        links=ObjectId(bytes_of(found[b"links"], ID_BYTES)),
        rules=ObjectId(bytes_of(found[b"rules"], ID_BYTES)),
        origin=bytes_of(found[b"origin"]).decode(),
        consistency=bytes_of(found[b"consistency"]).decode(),
        coverage=coverage,
        signals=ObjectId(bytes_of(signals, ID_BYTES)) if signals else None,
        held=bytes_of(found[b"held"]).decode(),
        position=Position.from_dict(found[b"session"]),
    )


def _uncovered(value: bencode.Value) -> Uncovered:
    path, reason = list_of(value)
    return Uncovered(bytes_of(path), number_of(reason))
