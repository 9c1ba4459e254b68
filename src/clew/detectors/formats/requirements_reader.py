"""List readers: requirements of Python, gems and pods, and patterns of ignored files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.detectors.formats.values import Hidden, Plain, Unreadable, Value

_REQUIREMENT = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._-]{0,100}+)(\[[A-Za-z0-9._, -]{0,200}+\])?\s*+"
    r"(?:\(?((?:===|[<>=~!]=|[<>=])[^;#()@]{1,100})\)?)?\s*+(;.{0,300})?"
)
_GEM = re.compile(
    r"\s*+(?:gem|pod)\s++['\"]([\w./@-]{1,100})['\"](?:\s*+,\s*+['\"]([^'\"\n]{1,60})['\"])?"
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


def read_gems(text: str) -> dict[str, Value]:
    """Return the gems or pods of a file by name, with their version."""
    found: dict[str, Value] = {}
    others: list[Value] = []
    for line in text.splitlines()[:_MAX]:
        gem = _GEM.match(line)
        if gem is not None:
            found[gem[1]] = Plain(gem[2] or "")
        elif line.strip() and not line.strip().startswith("#"):
            others.append(Hidden(line.strip()))
    return {**found, "other lines": others} if others else found


def read_patterns(text: str) -> dict[str, Value]:
    """Return the patterns of a file of ignored names."""
    lines = (line.strip() for line in text.splitlines()[:_MAX])
    return {"pattern": [Plain(line) for line in lines if line and not line.startswith("#")]}


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
