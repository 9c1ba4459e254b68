"""JSON reader: values of JSON, with or without comments and trailing commas."""

from __future__ import annotations

import json
from typing import cast

from clew.detectors.files.loose_json import strict_json
from clew.detectors.formats.values import Plain, Unreadable, Value


def read_json_value(text: str) -> Value:
    """Return the value of a file; raises `Unreadable`."""
    try:
        return _loads(text)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except Unreadable:
        raise
    except ValueError:
        return _loads_loosely(text)


def _loads_loosely(text: str) -> Value:
    try:
        return _loads(strict_json(text))
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except Unreadable:
        raise
    except ValueError:
        raise Unreadable("not JSON") from None


def _loads(text: str) -> Value:
    found = json.loads(
        text, parse_int=Plain, parse_float=Plain, parse_constant=Plain, object_pairs_hook=_object
    )
    return cast("Value", found)


def _object(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("a key is repeated")
    return found
