"""Fast JSON parsing without the `json` package, whose import of `re` costs a hook 5 ms.

It uses that package's own scanner in C, and accepts the same texts.
"""

from __future__ import annotations

try:
    from _json import make_scanner
except ImportError:  # not CPython: fall back to the `json` package
    make_scanner = None  # type: ignore[assignment, misc]

_SPACE = " \t\n\r"


class _Settings:
    """The scanner's default options."""

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
    """Return the value of UTF-8 JSON; raise ValueError or RecursionError if it is invalid."""
    if _scan is None:
        import json  # noqa: PLC0415

        found: object = json.loads(content)
        return found
    text = content.decode("utf-8-sig", "surrogatepass").strip(_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError(f"no JSON value at {error.value}") from None
    except SystemError:  # the scanner cannot import `json` for its own error class
        raise ValueError("no JSON value") from None
    if end != len(text):
        raise ValueError(f"more than one JSON value, at {end}")
    return value
