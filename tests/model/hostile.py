"""Strategies for corrupted encodings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@st.composite
def mutated(draw: st.DrawFn, valid: st.SearchStrategy[bytes]) -> bytes:
    """Draw valid bytes with a few of them flipped, removed, duplicated or inserted."""
    content = bytearray(draw(valid))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        until = draw(st.integers(at, min(len(content), at + 40)))
        replacement = draw(
            st.one_of(
                st.binary(max_size=4),
                st.just(bytes(content[at:until]) * 2),
                st.binary(min_size=until - at, max_size=until - at),
            )
        )
        content[at:until] = replacement
    return bytes(content)


def assert_refused_or_canonical(
    content: bytes, decode: Callable[[bytes], T], encode: Callable[[T], bytes]
) -> None:
    """Assert that decoding raises ValueError, or returns a value that encodes to the same bytes."""
    try:
        value = decode(content)
    except ValueError:
        return
    assert encode(value) == content


def with_one_byte_changed(content: bytes) -> Iterator[bytes]:
    """Yield `content` with each of its bytes in turn set to a few others."""
    for at, byte in enumerate(content):
        for other in sorted({0, 1, 4, 0x2F, 0xFF, byte ^ 1, byte ^ 0x10}):
            if other != byte:
                yield content[:at] + bytes([other]) + content[at + 1 :]
