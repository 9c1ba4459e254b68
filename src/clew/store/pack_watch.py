"""Detection of damaged packs, so that a save deduplicates only against intact ones.

Reading every pack before each save would cost as much as the store is large.  Instead each pack is
checked with `stat`: one that is missing, or whose size differs from the catalogue, is damaged.  One
that is new, or whose times have changed, is read and the checksums of its frames are verified.  Bytes
that rot below the filesystem change no times; readers that find them report them here.

A damaged pack makes the worktree caches stale (see `stamp`): the next save reads all files of its
workspace again and stores the objects that the damaged pack has lost.

The results are lines in a file in `cache/`, `name size mtime ctime good|bad@frame`; the last line of a
name is valid.  Several processes append at the same time.  The file may be deleted at any time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from zlib import crc32

from clew.atomic_write import replace_file
from clew.errors import ObjectCorrupt
from clew.store.frame import verify_stored
from clew.store.survey import Flaw, survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.store.database import Database
    from clew.store.frame import Frame
    from clew.store.layout import Layout
    from clew.store.transport import Transport

_GOOD, _BAD = b"good", b"bad"
_DAMAGED = "damaged"
_COMPACT_FACTOR = 4
"""The file is compacted when it has this many times more lines than there are packs."""

Lines = list[tuple[bytes, bytes]]
"""The name of a pack, and the rest of its line."""


class PackWatch:
    """Checks the packs of one store."""

    def __init__(
        self, layout: Layout, transport: Transport, database: Database, writable: bool
    ) -> None:
        self._limits = layout.limits
        self._directory = layout.packs
        self._path = os.path.join(layout.cache, "packs.seen")
        self._transport = transport
        self._database = database
        self._writable = writable
        self.last: dict[str, str] = {}
        """The result of the last `damaged` call."""

    def damaged(self) -> dict[str, str]:
        """Check all packs, and return the names of the damaged ones with the reason."""
        rows = self._database.execute("SELECT name, bytes FROM packs")
        lines = self._read()
        seen = dict(lines)
        found: dict[str, str] = {}
        changed: list[tuple[str, int, bytes]] = []
        with self._opened() as directory:
            for name, size in rows:
                key, length = _key(name, directory)
                if length != size:
                    found[name] = "missing" if length is None else "its length has changed"
                    continue
                known = seen.get(name.encode())
                if known == key + _GOOD:
                    continue
                if known is not None and known.startswith(key + _BAD):
                    found[name] = _DAMAGED
                else:
                    changed.append((name, size, key))
        if (
            self._writable
        ):  # otherwise no result can be recorded, and every call would read all packs
            self._append(self._verify_changed(changed, found))
        if len(lines) > _COMPACT_FACTOR * (len(rows) + 16):
            self._compact({row[0].encode() for row in rows})
        self.last = found
        return found

    def _verify_changed(
        self, changed: list[tuple[str, int, bytes]], found: dict[str, str]
    ) -> Iterator[bytes]:
        """Read changed packs, at most `read_at_once` bytes; yield the lines to record."""
        left = self._limits.read_at_once
        for name, size, key in changed:
            if size > left:
                continue
            left -= size
            bad = self._bad_frames(name)
            if not bad:
                yield _line(name, key, _GOOD)
                continue
            found[name] = _DAMAGED
            for frame in bad:
                yield _line(name, key, _bad(frame))

    def stamp(self, damaged: dict[str, str]) -> str:
        """Return a string that identifies the damage; empty if there is none."""
        if not damaged:
            return ""
        names = {name.encode() for name in damaged}
        found = {(name, rest) for name, rest in self._read() if name in names and _BAD in rest}
        return f"damaged-{crc32(repr(sorted([*damaged.items(), *found], key=repr)).encode()):08x}"

    def record_written(self, names: Iterable[str]) -> None:
        """Record packs as intact, right after they were written."""
        self._record(names, _GOOD)

    def report(self, name: str, frame: int) -> None:
        """Record a damaged frame of a pack."""
        self._record([name], _bad(frame))

    def _record(self, names: Iterable[str], status: bytes) -> None:
        with self._opened() as directory:
            keys = [(name, *_key(name, directory)) for name in names]
        self._append(_line(name, key, status) for name, key, length in keys if length is not None)

    def _bad_frames(self, name: str) -> list[int]:
        """Read a pack, and return the offsets of damaged frames, which are those a reader reports."""
        try:
            return [
                part.start if isinstance(part, Flaw) else part.offset
                for part in survey(self._transport, name)
                if isinstance(part, Flaw) or not self._is_intact(name, part.frame)
            ]
        except OSError:
            return [0]

    def _is_intact(self, name: str, frame: Frame) -> bool:
        try:
            verify_stored(self._transport, name, frame)
        except ObjectCorrupt:
            return False
        return True

    @contextmanager
    def _opened(self) -> Iterator[int]:
        try:
            descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            yield -1  # the directory is missing, and with it all packs
            return
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _read(self) -> Lines:
        """Return name and rest of each line; a line truncated by a crash matches no pack."""
        try:
            with open(self._path, "rb") as file:
                content = file.read()
        except OSError:
            return []
        parts = (line.partition(b" ") for line in content.splitlines())
        return [(name, rest) for name, _, rest in parts]

    def _append(self, lines: Iterable[bytes]) -> None:
        content = b"".join(lines)
        if not content or not self._writable:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, content)
            finally:
                os.close(descriptor)
        except OSError:
            pass  # a full disk, for example: the pack is checked again

    def _compact(self, names: set[bytes]) -> None:
        lines = self._read()
        last = dict(lines)
        # The order is preserved, so the last line of each name remains the valid one.
        kept = {
            (name, rest): None
            for name, rest in lines
            if name in names and (_BAD in rest or last[name] == rest)
        }
        content = b"".join(b"%s %s\n" % line for line in kept)
        try:
            # A line appended meanwhile is lost, and its pack checked again.
            replace_file(self._path, [content])
        except OSError:
            pass


def _key(name: str, directory: int) -> tuple[bytes, int | None]:
    """Return the compared metadata of a pack, and its length; None if `stat` fails."""
    try:
        found = os.stat(name, dir_fd=directory)
    except OSError:
        return b"", None
    return b"%d %d %d " % (found.st_size, found.st_mtime_ns, found.st_ctime_ns), found.st_size


def _bad(frame: int) -> bytes:
    return b"%s@%d" % (_BAD, frame)


def _line(name: str, key: bytes, status: bytes) -> bytes:
    return b"%s %s%s\n" % (name.encode(), key, status)
