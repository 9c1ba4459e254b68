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
    from typing import Any

    Found = tuple[bytes, os.DirEntry[Any]]


def entries_of(descriptor: int) -> Iterator[Found]:
    """Yield the names in an open directory, each with its `os.DirEntry`."""
    if is_utf8():
        with os.scandir(descriptor) as entries:
            for entry in entries:
                yield entry.name.encode("utf-8", "surrogateescape"), entry
    else:
        try:
            listed = os.scandir(b"/proc/self/fd/%d" % descriptor)
        except FileNotFoundError as error:  # a missing /proc must not look like a missing directory
            raise OSError(errno.ENOSYS, "This locale needs /proc to list files") from error
        with listed as raw:
            for found in raw:
                yield found.name, found
