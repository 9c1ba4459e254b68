"""Fakes we ship: transports that keep packs in memory, that remember, and that die.

They are for tests of what stands on a store, here and elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.store.reader import ObjectReader
from clew.store.store import Store
from clew.store.transport import Transport


class Died(BaseException):
    """The process would be gone now; no ordinary handler may catch this."""


class MemoryTransport:
    """Packs in a dictionary."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.settled: set[str] = set()

    def read(self, name: str, offset: int, length: int) -> bytes:
        return self._content(name)[offset : offset + length]

    def write_new(self, name: str, parts: Sequence[bytes]) -> None:
        if name in self.files:
            raise FileExistsError(name)
        self.files[name] = b"".join(parts)

    def names(self) -> Iterator[str]:
        yield from list(self.files)

    def size(self, name: str) -> int:
        return len(self._content(name))

    def settle(self, name: str) -> None:
        if name in self.files:
            self.settled.add(name)

    def is_settled(self, name: str) -> bool:
        self._content(name)
        return name in self.settled

    def remove(self, name: str) -> None:
        self.files.pop(name, None)
        self.settled.discard(name)

    def close(self) -> None:
        """Nothing is open."""

    def _content(self, name: str) -> bytes:
        try:
            return self.files[name]
        except KeyError:
            raise FileNotFoundError(name) from None


class RecordingTransport:
    """Passes everything on and remembers what was asked, to count the work without a stopwatch."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.calls: list[tuple[str, str]] = []
        """Verb and name of a file."""

    def count(self, verb: str) -> int:
        """Return how often a verb was used."""
        return sum(1 for called, _ in self.calls if called == verb)

    def read(self, name: str, offset: int, length: int) -> bytes:
        self._note("read", name)
        return self._inner.read(name, offset, length)

    def write_new(self, name: str, parts: Sequence[bytes]) -> None:
        self._note("write_new", name)
        self._inner.write_new(name, parts)

    def names(self) -> Iterator[str]:
        self._note("names", "")
        return self._inner.names()

    def size(self, name: str) -> int:
        self._note("size", name)
        return self._inner.size(name)

    def settle(self, name: str) -> None:
        self._note("settle", name)
        self._inner.settle(name)

    def is_settled(self, name: str) -> bool:
        self._note("is_settled", name)
        return self._inner.is_settled(name)

    def remove(self, name: str) -> None:
        self._note("remove", name)
        self._inner.remove(name)

    def close(self) -> None:
        self._inner.close()

    def _note(self, verb: str, name: str) -> None:
        self.calls.append((verb, name))


class DyingTransport(RecordingTransport):
    """Dies before the n-th change, or after it, and stays dead."""

    def __init__(self, inner: Transport, change: int, *, after: bool = False) -> None:
        super().__init__(inner)
        self._left = change
        self._after = after
        self.is_dead = False

    def write_new(self, name: str, parts: Sequence[bytes]) -> None:
        self._count_down()
        super().write_new(name, parts)
        self._die_if_due()

    def settle(self, name: str) -> None:
        self._count_down()
        super().settle(name)
        self._die_if_due()

    def remove(self, name: str) -> None:
        self._count_down()
        super().remove(name)
        self._die_if_due()

    def _count_down(self) -> None:
        if self.is_dead:
            raise Died
        self._left -= 1
        if self._left == 0 and not self._after:
            self.is_dead = True
            raise Died

    def _die_if_due(self) -> None:
        if self._left == 0:
            self.is_dead = True
            raise Died


def use_transport(store: Store, transport: Transport) -> None:
    """Let an open store keep its packs by another transport from now on."""
    store.transport = transport
    store.objects = ObjectReader(transport, store.index.locate)
