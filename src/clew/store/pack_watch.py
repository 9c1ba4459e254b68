"""Which packs a save may rely on: those that are as they were when they were written.

To read every pack before each save would cost what exists.  So each pack is looked at as a file: one
that is missing, or not as long as the catalogue says, is damaged.  One that was not seen before, or
whose times have changed since, is read: each frame against its checksums.  Bytes that go bad below
the filesystem change no time; they are found by whoever reads them, and reported here.

A damaged pack makes the worktree caches stale (see `stamp`), so the next save reads all files of its
workspace again and stores anew what the damaged pack has lost.

What was seen is a file of lines in `cache/`, `name size mtime ctime good|bad@frame`, of which the last
one counts.  Several processes append to it at once.  It may be deleted at any time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from zlib import crc32

from clew.errors import ObjectCorrupt
from clew.store.frame import verify_stored
from clew.store.survey import Flaw, survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.store.database import Database
    from clew.store.frame import Frame
    from clew.store.layout import Layout
    from clew.store.transport import Transport

READ_AT_ONCE = 128 << 20
"""Bytes of such packs that one save reads; after a copy of a whole store, the next ones go on."""

_GOOD, _BAD = b"good", b"bad"
_DAMAGED = "damaged"
_LONGEST = 4
"""The file is written anew when it has so many times more lines than there are packs."""

Lines = list[tuple[bytes, bytes]]
"""The name of a pack, and the rest of its line."""


class PackWatch:
    """Looks at the packs of one store."""

    def __init__(
        self, layout: Layout, transport: Transport, database: Database, writable: bool
    ) -> None:
        self._directory = layout.packs
        self._path = os.path.join(layout.cache, "packs.seen")
        self._transport = transport
        self._database = database
        self._writable = writable
        self.last: dict[str, str] = {}
        """What was found when the packs were last looked at."""

    def damaged(self) -> dict[str, str]:
        """Look at all packs, and return the names of the damaged ones with what is wrong."""
        rows = self._database.execute("SELECT name, bytes FROM packs")
        lines = self._read()
        seen = dict(lines)
        found: dict[str, str] = {}
        touched: list[tuple[str, int, bytes]] = []
        with self._opened() as directory:
            for name, size in rows:
                key, length = _key(name, directory)
                if length != size:
                    found[name] = "missing" if length is None else "not as long as it was"
                    continue
                known = seen.get(name.encode())
                if known == key + _GOOD:
                    continue
                if known is not None and known.startswith(key + _BAD):
                    found[name] = _DAMAGED
                else:
                    touched.append((name, size, key))
        if self._writable:  # else nothing could be remembered, and all be read each time
            self._append(self._read_touched(touched, found))
        if len(lines) > _LONGEST * (len(rows) + 16):
            self._shorten({row[0].encode() for row in rows})
        self.last = found
        return found

    def _read_touched(
        self, touched: list[tuple[str, int, bytes]], found: dict[str, str]
    ) -> Iterator[bytes]:
        """Read packs that are not as last seen, as many as is bearable; yield what to remember."""
        left = READ_AT_ONCE
        for name, size, key in touched:
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
        """Return a word that changes with the damage; empty where there is none."""
        if not damaged:
            return ""
        names = {name.encode() for name in damaged}
        found = {(name, rest) for name, rest in self._read() if name in names and _BAD in rest}
        return f"damaged-{crc32(repr(sorted([*damaged.items(), *found], key=repr)).encode()):08x}"

    def wrote(self, names: Iterable[str]) -> None:
        """Remember packs as they are right after they were written."""
        self._remember(names, _GOOD)

    def report(self, name: str, frame: int) -> None:
        """Remember that a frame of a pack was found to be damaged."""
        self._remember([name], _bad(frame))

    def _remember(self, names: Iterable[str], word: bytes) -> None:
        with self._opened() as directory:
            keys = [(name, *_key(name, directory)) for name in names]
        self._append(_line(name, key, word) for name, key, length in keys if length is not None)

    def _bad_frames(self, name: str) -> list[int]:
        """Read a pack, and return where it is damaged: what a reader will report, too."""
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
            yield -1  # with all packs in it
            return
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _read(self) -> Lines:
        """Return name and rest of each line; one that was cut by a crash fits no pack."""
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
            pass  # on a full disk, say: then it is looked at again

    def _shorten(self, names: set[bytes]) -> None:
        lines = self._read()
        last = dict(lines)
        # The order stays, so the last line of each name counts as before.
        kept = {
            (name, rest): None
            for name, rest in lines
            if name in names and (_BAD in rest or last[name] == rest)
        }
        beside = f"{self._path}.{os.urandom(4).hex()}"
        content = b"".join(b"%s %s\n" % line for line in kept)
        try:
            with open(beside, "wb") as file:
                file.write(content)
            os.rename(beside, self._path)  # a line that is added meanwhile is only seen again
        except OSError:
            try:
                os.unlink(beside)
            except OSError:
                pass


def _key(name: str, directory: int) -> tuple[bytes, int | None]:
    """Return what is compared of a pack, and its length; None where it cannot be looked at."""
    try:
        found = os.stat(name, dir_fd=directory)
    except OSError:
        return b"", None
    return b"%d %d %d " % (found.st_size, found.st_mtime_ns, found.st_ctime_ns), found.st_size


def _bad(frame: int) -> bytes:
    return b"%s@%d" % (_BAD, frame)


def _line(name: str, key: bytes, word: bytes) -> bytes:
    return b"%s %s%s\n" % (name.encode(), key, word)
