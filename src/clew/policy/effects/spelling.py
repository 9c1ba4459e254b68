"""Canonical spelling of texts, numbers, SQL statements and URLs.

Nothing is left out here; only alternative spellings of the same value are unified.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

LONGEST_TEXT = 4_096
"""Longer texts are replaced by a digest."""
LONGEST_JSON = 1 << 20


def shown(text: str) -> str:
    """Return a text, quoted unless its end is unambiguous without quotes."""
    if len(text) > LONGEST_TEXT:
        return f"<{digest_of(text)}>"
    if _pattern("plain").fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def tidy_lines(text: str) -> str:
    """Collapse spaces and empty lines; preserve indentation."""
    lines = [_pattern("blanks").sub(" ", line.rstrip()) for line in text.strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def plain_number(text: str) -> str:
    """Return `1,200.00` as `1200`, and any other text unchanged."""
    if not _pattern("amount").fullmatch(text):
        return text
    text = text.replace(",", "").replace("_", "")
    return text.rstrip("0").rstrip(".") if "." in text else text


def unquoted(text: str) -> str:
    """Decode `+` and the percent escapes of ASCII characters."""
    return re.sub(
        r"%([2-7][0-9A-Fa-f])", lambda found: chr(int(found[1], 16)), text.replace("+", " ")
    )


def small_domains(text: str) -> str:
    return _pattern("domain").sub(lambda found: found[0].lower(), text)


def tidy_sql(text: str) -> str:
    """Return a statement in lower case with single spaces, except in quotes."""
    parts = _pattern("sql quoted").split(text)
    for at in range(0, len(parts), 2):
        bare = re.sub(r"\s+", " ", parts[at].lower())
        parts[at] = re.sub(r" ?([=<>,()]) ?", r"\1", bare)
    return "".join(parts).strip().rstrip("; ")


def scalar(value: object) -> str | None:
    if value is None or value is False:  # a disabled flag equals an absent one
        return None
    if value is True:
        return "true"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4_000 else hex(value)
    return shown(str(value))


def parsed_json(text: str) -> object | None:
    """Return the JSON value in a string; None if it is not JSON."""
    import json  # noqa: PLC0415  rarely needed

    if len(text) > LONGEST_JSON:
        return None
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found


def digest_of(value: object) -> str:
    """Return a short digest of a value of any size and depth."""
    from blake3 import blake3  # noqa: PLC0415  only for long values

    found = blake3()
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            found.update(b"{")
            for key in sorted(one, key=str, reverse=True):
                waiting += one[key], str(key)
        elif isinstance(one, (list, tuple)):
            found.update(b"[")
            waiting += reversed(one)
        else:
            text = one if isinstance(one, str) else scalar(one) or ""
            found.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest(12)  # a length that no id has


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "blanks": r"(?<=\S)\s{2,}|(?<=\S)\t",
            "plain": r"[\w@%+:,./#$*<>~-]{1,4096}",
            "amount": r"[+-]?\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|[+-]?\d{1,30}(?:\.\d{1,30})?",
            "domain": r"(?<=[\w.+-]@)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,10}",
            "sql quoted": r"('(?:[^']|'')*+'|\"[^\"]*+\")",
        }[name],
        re.DOTALL,
    )
