"""Converts a state of version 1 to version 2: JSON on standard input, JSON on standard output.

clew session migrate --to 2.0 --with "python examples/migration/convert.py"
"""

from __future__ import annotations

import json
import sys


def convert(old: dict[str, str]) -> list[dict[str, object]]:
    """Return the state of version 2."""
    done = [pair.split("=") for pair in old["done"].split(",") if pair]
    left = [word for word in old["left"].split(",") if word]
    entries: list[tuple[str, str | None]] = [(french, english) for french, english in done]
    entries += [(word, None) for word in left]
    return [
        {"french": french, "english": english, "letters": len(french)}
        for french, english in entries
    ]


if __name__ == "__main__":
    json.dump(convert(json.load(sys.stdin)), sys.stdout)
