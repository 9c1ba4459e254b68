"""Verdicts: what a check said about one state.

A verdict belongs to the state, so every checkpoint that holds the same files shares it.
Not every run tells something: one that was interrupted, skipped, or that changed the very files it
was to judge says nothing about the state, and is passed over when the word is asked for.
"""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.ids import StateId
from clew.model.named_tuple import NamedTuple

PATHS_KEPT = 100
"""Changed inputs that are named; the rest is counted."""


class RunEnd:
    """How a check came to its end."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    """It said itself, with exit code 125, that this moment cannot be judged."""
    FAILED = "failed"
    """It could not be started."""


class VerdictStatus:
    """A verdict in a word."""

    PASSING = "passing"
    FAILING = "failing"
    UNKNOWN = "unknown"
    FLAKY = "flaky"
    """The same command both passed and failed on the same state."""

    ALL = (PASSING, FAILING, UNKNOWN, FLAKY)


class Where:
    """Where a check ran."""

    WORKSPACE = "workspace"
    PRIVATE_COPY = "private copy"
    PLAIN_COPY = "plain copy"
    """A copy at another path, where namespaces are not to be had."""


class Details(NamedTuple):
    """What else is known of one run."""

    changed: tuple[bytes, ...] = ()
    """Captured paths that changed or vanished while it ran, at most `PATHS_KEPT`."""
    generated: int = 0
    """Paths that were new after it."""
    net: str = ""
    """`own` or `host` in a copy: whether a live server could have answered for the past."""
    notes: tuple[str, ...] = ()
    """What was not isolated, and what the moment did not hold, a sentence each."""

    def encode(self) -> bytes:
        return bencode.encode(
            {
                b"changed": list(self.changed),
                b"generated": self.generated,
                b"net": self.net.encode(),
                b"notes": [note.encode("utf-8", "replace") for note in self.notes],
            }
        )

    @classmethod
    def decode(cls, content: bytes) -> Details:
        found = bencode.decode_dict(content)
        return cls(
            changed=tuple(bytes_of(path) for path in list_of(found[b"changed"])),
            generated=number_of(found[b"generated"]),
            net=bytes_of(found[b"net"]).decode(),
            notes=tuple(bytes_of(note).decode() for note in list_of(found[b"notes"])),
        )


class Verdict(NamedTuple):
    """What a verification command said about one state."""

    command: str
    exit_code: int | None
    """None when it never ended by itself."""
    duration_ns: int
    output: str
    """The tail of what it printed, secrets redacted."""
    time_ns: int
    where: str
    """One of `Where`."""
    state: StateId
    ended: str = RunEnd.EXITED
    changed_count: int = 0
    """How many captured paths changed or vanished while it ran: then it judged something else."""
    details: Details = Details()
    is_flaky: bool = False
    """Whether telling runs of the same command on the same state disagree."""

    @property
    def status(self) -> str:
        """One of `Status`."""
        if self.is_flaky:
            return VerdictStatus.FLAKY
        if self.exit_code is None or self.ended != RunEnd.EXITED:
            return VerdictStatus.UNKNOWN
        return VerdictStatus.PASSING if self.exit_code == 0 else VerdictStatus.FAILING

    @property
    def is_telling(self) -> bool:
        """Tell whether it says something about the state; a check that hangs does."""
        return not self.changed_count and self.ended in (RunEnd.EXITED, RunEnd.TIMEOUT)

    @property
    def is_good(self) -> bool:
        """Tell whether one may land here on its word."""
        return self.is_telling and self.status == VerdictStatus.PASSING
