"""Directory listing with names as bytes.

`os.scandir` on a descriptor decodes names with the codec of the locale.  Only UTF-8 with
`surrogateescape` is reversible for every name: EUC-JP, for example, decodes two different names to
the same text.  Under any other codec the directory is listed by its path in ``/proc``, as bytes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from clew.filenames import is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any


def open_listing(descriptor: int) -> AbstractContextManager[Iterator[os.DirEntry[Any]]]:
    """Open the listing of an open directory; names are bytes, or text that `name_bytes` converts."""
    if is_utf8():
        return os.scandir(descriptor)
    try:
        return os.scandir(b"/proc/self/fd/%d" % descriptor)
    except FileNotFoundError as error:  # a missing /proc must not look like a missing directory
        raise OSError(errno.ENOSYS, "This locale needs /proc to list files") from error


def name_bytes(entry: os.DirEntry[Any]) -> bytes:
    """Return the name of an entry of `open_listing` as bytes."""
    name: str | bytes = entry.name
    return name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
