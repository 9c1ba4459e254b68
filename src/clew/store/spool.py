"""Spool: verdicts that are not yet in the catalogue.

A check may run for minutes, and its verdict cannot be derived again.  It is first written to a small
file; then the row is added, and the file removed.  If the catalogue is busy or full, or the process
dies in between, the next command that can write adds the row.
Stories need no spool: they can be derived again from the trees.

One file holds one verdict: ``check`` and the CRC-32 of the rest, a newline, and bencode.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from zlib import crc32

from clew.atomic_write import replace_file
from clew.model import bencode
from clew.model.bencode import bytes_of, number_of
from clew.model.ids import ID_BYTES, CheckpointId, StateId
from clew.model.named_tuple import NamedTuple
from clew.model.verdict import Details, Verdict
from clew.monitor import Monitor
from clew.store.layout import Layout
from clew.store.locks import Locks

_NO_CODE = b""
"""Encodes a missing exit code: the command did not exit by itself."""


class Spooled(NamedTuple):
    """A verdict in the spool."""

    name: str
    checkpoint: CheckpointId
    verdict: Verdict


class Spool:
    """The files below ``spool/``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def put(self, checkpoint: CheckpointId, verdict: Verdict) -> Spooled:
        """Write a verdict durably; raise OSError if that fails too."""
        name = os.urandom(16).hex()
        content = _encode(checkpoint, verdict)
        try:
            self._write(name, content)
        except OSError as error:
            is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            if not is_full or not self._layout.release_reserve():
                raise
            self._write(name, content)
        return Spooled(name, checkpoint, verdict)

    @property
    def is_waiting(self) -> bool:
        """Whether the spool holds verdicts; cheap enough to check before every command."""
        return bool(self._names())

    def waiting(self) -> Iterator[Spooled]:
        """Yield the spooled verdicts; an unreadable file is moved to quarantine/."""
        for name in self._names():
            try:
                with open(self._path(name), "rb") as file:
                    checkpoint, verdict = _decode(file.read())
            except FileNotFoundError:
                continue  # another process has added its row
            except (ValueError, KeyError, TypeError):
                os.rename(self._path(name), os.path.join(self._layout.quarantine, f"{name}.spool"))
                continue
            yield Spooled(name, checkpoint, verdict)

    def remove(self, spooled: Spooled) -> None:
        """Remove a verdict that has its row."""
        try:
            os.unlink(self._path(spooled.name))
        except FileNotFoundError:
            pass

    def _names(self) -> list[str]:
        try:
            return sorted(os.listdir(self._layout.spool))
        except OSError:
            return []

    def _path(self, name: str) -> str:
        return os.path.join(self._layout.spool, name)

    def _write(self, name: str, content: bytes) -> None:
        # The lock keeps gc from sweeping the file before it is renamed.
        with Locks(self._layout.locks).shared(Monitor()):
            temporary = os.path.join(self._layout.tmp, f"spool-{name}")
            replace_file(self._path(name), [content], sync=True, temporary=temporary)


def _encode(checkpoint: CheckpointId, verdict: Verdict) -> bytes:
    body = bencode.encode(
        {
            b"checkpoint": checkpoint,
            b"state": verdict.state,
            b"command": verdict.command.encode("utf-8", "replace"),
            b"code": _NO_CODE if verdict.exit_code is None else verdict.exit_code,
            b"duration": verdict.duration_ns,
            b"output": verdict.output.encode("utf-8", "replace"),
            b"time": verdict.time_ns,
            b"where": verdict.ran_in.encode(),
            b"ended": verdict.end_reason.encode(),
            b"changed": verdict.changed_count,
            b"details": verdict.details.encode(),
        }
    )
    return b"check %08x\n" % crc32(body) + body


def _decode(content: bytes) -> tuple[CheckpointId, Verdict]:
    head, _, body = content.partition(b"\n")
    if head != b"check %08x" % crc32(body):
        raise ValueError("Not what was written")
    found = bencode.decode_dict(body)
    code = found[b"code"]
    verdict = Verdict(
        command=bytes_of(found[b"command"]).decode(),
        exit_code=None if code == _NO_CODE else number_of(code),
        duration_ns=number_of(found[b"duration"]),
        output=bytes_of(found[b"output"]).decode(),
        time_ns=number_of(found[b"time"]),
        ran_in=bytes_of(found[b"where"]).decode(),
        state=StateId(bytes_of(found[b"state"], ID_BYTES)),
        end_reason=bytes_of(found[b"ended"]).decode(),
        changed_count=number_of(found[b"changed"]),
        details=Details.decode(bytes_of(found[b"details"])),
    )
    return CheckpointId(bytes_of(found[b"checkpoint"], ID_BYTES)), verdict
