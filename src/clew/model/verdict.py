"""Verdicts: results of checks on a state.

A verdict belongs to the state, so every checkpoint with the same files shares it.
Not every run is conclusive: one that was interrupted, skipped, or that changed the files it checked
says nothing about the state, and is ignored.
"""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.ids import StateId
from clew.model.named_tuple import NamedTuple

PATHS_KEPT = 100
"""Maximum number of changed paths that are listed; the rest is only counted."""


class RunEnd:
    """How a check ended."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    """The check exited with code 125: this state cannot be judged."""
    FAILED = "failed"
    """It could not be started."""
    INCONCLUSIVE = "inconclusive"
    """It failed, or passed, because of where it ran and not because of the files."""


class VerdictStatus:
    """The status of a verdict."""

    PASSING = "passing"
    FAILING = "failing"
    UNKNOWN = "unknown"
    FLAKY = "flaky"
    """The same command both passed and failed on the same state."""
    INCONCLUSIVE = "inconclusive"
    """The result depends on where the check ran; `Details.reason` says why."""

    ALL = (PASSING, FAILING, UNKNOWN, FLAKY, INCONCLUSIVE)


class Where:
    """Where a check ran."""

    WORKSPACE = "workspace"
    PRIVATE_COPY = "private copy"
    PLAIN_COPY = "plain copy"
    """A copy at another path, where namespaces are not available."""
    BY_HAND = "by hand"
    """Nothing ran: a person noted the verdict."""


class Details(NamedTuple):
    """Details of one run."""

    changed: tuple[bytes, ...] = ()
    """Captured paths changed or removed while it ran, at most `PATHS_KEPT`."""
    generated: int = 0
    """Number of paths created by it."""
    network: str = ""
    """`own` or `host` in a copy: with `host`, a live server may have answered the check."""
    notes: tuple[str, ...] = ()
    """What was not isolated, and what the checkpoint lacks, one sentence each."""
    reason: str = ""
    """Why it is inconclusive."""

    def encode(self) -> bytes:
        fields: dict[bytes, bencode.Value] = {
            b"changed": list(self.changed),
            b"generated": self.generated,
            b"net": self.network.encode(),
            b"notes": [note.encode("utf-8", "replace") for note in self.notes],
        }
        if self.reason:
            fields[b"reason"] = self.reason.encode("utf-8", "replace")
        return bencode.encode(fields)

    @classmethod
    def decode(cls, content: bytes) -> Details:
        found = bencode.decode_dict(content)
        return cls(
            changed=tuple(bytes_of(path) for path in list_of(found[b"changed"])),
            generated=number_of(found[b"generated"]),
            network=bytes_of(found[b"net"]).decode(),
            notes=tuple(bytes_of(note).decode() for note in list_of(found[b"notes"])),
            reason=bytes_of(found.get(b"reason", b"")).decode(),
        )


class Verdict(NamedTuple):
    """The result of a verification command on one state, or what a person noted."""

    command: str
    """Empty if it was noted by hand."""
    exit_code: int | None
    """None if it did not exit by itself."""
    duration_ns: int
    output: str
    """The end of its output, redacted; the note if it was noted by hand."""
    time_ns: int
    ran_in: str
    """One of `Where`."""
    state: StateId
    end_reason: str = RunEnd.EXITED
    changed_count: int = 0
    """Number of captured paths changed or removed while it ran: then it judged another state."""
    details: Details = Details()
    is_flaky: bool = False
    """Whether conclusive runs of the same command on the same state disagree."""

    @property
    def status(self) -> str:
        """One of `VerdictStatus`."""
        if self.is_flaky:
            return VerdictStatus.FLAKY
        if self.end_reason == RunEnd.INCONCLUSIVE:
            return VerdictStatus.INCONCLUSIVE
        if self.exit_code is None or self.end_reason != RunEnd.EXITED:
            return VerdictStatus.UNKNOWN
        return VerdictStatus.PASSING if self.exit_code == 0 else VerdictStatus.FAILING

    @property
    def is_by_hand(self) -> bool:
        """Whether a person noted it."""
        return self.ran_in == Where.BY_HAND

    @property
    def is_telling(self) -> bool:
        """Whether it is conclusive about the state; a timeout is."""
        return not self.changed_count and self.end_reason in (RunEnd.EXITED, RunEnd.TIMEOUT)

    @property
    def is_good(self) -> bool:
        """Whether the state counts as good."""
        return self.is_telling and self.status == VerdictStatus.PASSING
