"""Requirement reader: packages and versions of `requirements.txt` and of lists of requirements."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.detectors.formats.values import Plain, Unreadable, Value

_REQUIREMENT = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._-]{0,100}+)(\[[A-Za-z0-9._, -]{0,200}+\])?\s*+"
    r"(?:\(?((?:===|[<>=~!]=|[<>])[^;#()@]{1,100})\)?)?\s*+(;.{0,300})?"
)
_MAX = 5_000


def requirement(text: str) -> tuple[str, str] | None:
    """Return the name of a requirement and its version, or None if it is something else."""
    found = _REQUIREMENT.fullmatch(text.strip())
    if found is None:
        return None
    version = "".join((found[3] or "").split())
    condition = " ".join((found[4] or "").split())
    return found[1] + (found[2] or ""), version + condition


def requirements(items: Iterable[Value]) -> dict[str, Value] | None:
    """Return a list of requirements by name; None if it is another list."""
    found: dict[str, Value] = {}
    has_version = False
    for item in items:
        parsed = requirement(item) if isinstance(item, str) and len(item) < 400 else None
        if parsed is None or parsed[0] in found:
            return None
        found[parsed[0]] = Plain(parsed[1])
        has_version = has_version or bool(parsed[1])
    return found if has_version else None


def read_requirements(text: str) -> dict[str, Value]:
    """Return the requirements of a file by name; options and addresses are values of their own."""
    found: dict[str, Value] = {}
    others: list[Value] = []
    for line in text.replace("\\\n", " ").splitlines():
        line = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not line:
            continue
        bare = line.partition(" --hash")[0].strip()
        parsed = requirement(bare)
        if parsed is None or parsed[0] in found:
            others.append(line)
        else:
            found[parsed[0]] = Plain(parsed[1])
        if len(found) + len(others) > _MAX:
            raise Unreadable("too many requirements")
    if others:
        found["other lines"] = others
    return found
