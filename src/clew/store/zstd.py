"""The one place that knows where zstd comes from: the standard library, from Python 3.14 on."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 1
"""302 MB/s at a ratio of 2.38; level 3 gains two per cent, level 6 costs three times as much."""

DecompressionError = zstd.ZstdError


def compress(content: bytes, level: int = LEVEL) -> bytes:
    """Return `content` squeezed."""
    return zstd.compress(content, level)


def decompress(content: bytes) -> bytes:
    """Return what `compress` was given."""
    return zstd.decompress(content)
