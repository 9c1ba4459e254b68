"""Signals: processes and listening sockets when a checkpoint was taken; see docs/format.md, 3.5.

This is not visible on disk, so it is observed before the commit and stored in the checkpoint.
Commands are redacted.
"""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.named_tuple import NamedTuple


class Listening(NamedTuple):
    """A listening socket."""

    protocol: str
    address: str
    port: int
    command: str
    """Of the process that holds it; empty if unknown."""
    directory: str

    @property
    def place(self) -> str:
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{address}:{self.port}"

    @property
    def is_wildcard(self) -> bool:
        return self.address in ("0.0.0.0", "::")  # noqa: S104 - compared, not bound


class Running(NamedTuple):
    """A process that runs in the workspace."""

    command: str
    directory: str


class Signals(NamedTuple):
    """One observation; each part is sorted and without duplicates."""

    listening: tuple[Listening, ...] = ()
    running: tuple[Running, ...] = ()
    boot: str = ""
    """The boot id of the machine."""
    complete: bool = True
    """Whether there was time to inspect every process."""

    def encode(self) -> bytes:
        return bencode.encode(
            {
                b"clew": 1,
                b"boot": _bytes(self.boot),
                b"complete": int(self.complete),
                b"listening": [
                    [_bytes(one.protocol), _bytes(one.address), one.port, _bytes(one.command),
                     _bytes(one.directory)]
                    for one in self.listening
                ],
                b"running": [[_bytes(one.command), _bytes(one.directory)] for one in self.running],
            }
        )  # fmt: skip

    @classmethod
    def decode(cls, content: bytes) -> Signals:
        """Decode the result of `encode`; raise ValueError if it is invalid."""
        found = bencode.decode_dict(content)
        try:
            return cls(
                tuple(_listening(item) for item in list_of(found[b"listening"])),
                tuple(Running(*map(_text, list_of(item))) for item in list_of(found[b"running"])),
                _text(found[b"boot"]),
                found[b"complete"] == 1,
            )
        except (KeyError, TypeError) as error:
            raise ValueError("Not signals") from error


def _listening(value: bencode.Value) -> Listening:
    protocol, address, port, command, directory = list_of(value)
    return Listening(
        _text(protocol), _text(address), number_of(port), _text(command), _text(directory)
    )


def _text(value: bencode.Value) -> str:
    return bytes_of(value).decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
