"""JSON read without the `json` package, which brings regular expressions along: 5 ms of a hook.

It is that package's own scanner, in C, and every text that it takes is taken alike.
"""

from __future__ import annotations

try:
    from _json import make_scanner
except ImportError:  # another Python, which has to do it the long way
    make_scanner = None  # type: ignore[assignment, misc]

_SPACE = " \t\n\r"


class _Settings:
    """What the scanner asks: nothing special."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {
        "-Infinity": -float("inf"),
        "Infinity": float("inf"),
        "NaN": float("nan"),
    }.__getitem__


_scan = make_scanner(_Settings) if make_scanner is not None else None  # type: ignore[arg-type]


def loads(content: bytes) -> object:
    """Return the value that UTF-8 bytes are; ValueError or RecursionError where they are none."""
    if _scan is None:
        import json  # noqa: PLC0415

        found: object = json.loads(content)
        return found
    text = content.decode("utf-8-sig", "surrogatepass").strip(_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError(f"no JSON value at {error.value}") from None
    except SystemError:  # the package, which would say more, is not there for the scanner to use
        raise ValueError("no JSON value") from None
    if end != len(text):
        raise ValueError(f"more than one JSON value, at {end}")
    return value
