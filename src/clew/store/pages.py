"""Checksum verification of every page of a database file, used or free.

SQLite reads only the pages it needs, and ``integrity_check`` skips free pages.  Here each page is
read through the checksum VFS.  That VFS takes from the first page whether there are checksums at all,
so these header bytes are checked first.

The file is opened only through SQLite's VFS: closing another descriptor of it would drop the POSIX
locks that a connection of this process holds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from struct import Struct

import apsw

from clew.store.database import CHECKSUM_BYTES, CHECKSUM_VFS, load_checksum_vfs

_MAGIC = b"SQLite format 3\x00"
_HEADER = Struct(">16sHBBB")
_HEADER_BYTES = 100
_TRIES = 2


def damaged_pages(path: str, *, retry_pause: float = 0.02) -> list[int]:
    """Return the numbers of the pages that do not match their checksum, counted from 1.

    A file without checksums is damaged on page 1, a truncated one on its last page.
    """
    load_checksum_vfs()
    if path.encode("utf-8", "surrogatepass") == os.fsencode(path):
        return _damaged_file(path, retry_pause)
    # The VFS takes UTF-8 paths only: other paths are opened through the directory's descriptor.
    directory = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _damaged_file(f"/proc/self/fd/{directory}/{os.path.basename(path)}", retry_pause)
    finally:
        os.close(directory)


def _damaged_file(path: str, retry_pause: float) -> list[int]:
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    try:
        file = apsw.VFSFile(CHECKSUM_VFS, path, [flags, 0])
    except apsw.Error:
        return [1]
    try:
        size = file.xFileSize()
        page_size = _page_size(file) if size >= _HEADER_BYTES else None
        if page_size is None:
            return [1]
        pages, rest = divmod(size, page_size)
        found = _damaged(file, range(1, pages + 1), page_size)
        for _ in range(_TRIES):
            if found:  # another process may have been writing them
                time.sleep(retry_pause)
                found = _damaged(file, found, page_size)
        return [*found, pages + 1] if rest else found
    except apsw.Error:  # the header cannot be read
        return [1]
    finally:
        file.xClose()


def _page_size(file: apsw.VFSFile) -> int | None:
    header = file.xRead(_HEADER_BYTES, 0)
    if len(header) < _HEADER.size:  # truncated meanwhile
        return None
    magic, size, _, _, reserved = _HEADER.unpack_from(header)
    size = 65536 if size == 1 else size
    good = magic == _MAGIC and reserved == CHECKSUM_BYTES and size >= 512 and not size & (size - 1)
    return size if good else None


def _damaged(file: apsw.VFSFile, numbers: Iterable[int], page_size: int) -> list[int]:
    found = []
    for number in numbers:
        try:
            file.xRead(page_size, (number - 1) * page_size)
        except apsw.Error:
            found.append(number)
    return found
