"""PEP 440 version order, as far as needed to detect a downgrade.

`1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 < 1.0+local < 1.0.post1 < 1!0.1`

Other text has no order: a downgrade is never reported on a guess.
"""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"\s*+v?(?:(?P<epoch>\d{1,9})!)?+(?P<release>\d{1,18}(?:\.\d{1,18}){0,20}+)"
    r"(?:[-_.]?(?P<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_number>\d{0,9}+))?+"
    r"(?:-(?P<implicit_post>\d{1,9})|[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_number>\d{0,9}+))?+"
    r"(?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_number>\d{0,9}+))?+"
    r"(?:\+(?P<local>[a-z0-9]{1,80}(?:[-_.][a-z0-9]{1,80}){0,20}+))?+\s*+",
    re.IGNORECASE,
)
_STAGES = {"alpha": 0, "a": 0, "beta": 1, "b": 1, "preview": 2, "pre": 2, "c": 2, "rc": 2}
_BEFORE_ANY_STAGE, _AFTER_ALL_STAGES = -1, 3
_LATEST = 1 << 62

Key = tuple[object, ...]


def is_older(version: str, than: str) -> bool:
    """Return whether a version is certainly older."""
    one, other = version_key(version), version_key(than)
    return one is not None and other is not None and one < other


def version_key(version: str) -> Key | None:
    """Return the sort key of a version; None if it is not a version."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    release = tuple(int(number) for number in match["release"].split("."))
    while len(release) > 1 and not release[-1]:  # 1.0 and 1.0.0 are the same version
        release = release[:-1]
    return (
        int(match["epoch"] or 0),
        release,
        _stage(match),
        _post(match),
        _dev(match),
        _local(match),
    )


def _stage(match: re.Match[str]) -> tuple[int, int]:
    if match["pre"]:
        return _STAGES[match["pre"].lower()], int(match["pre_number"] or 0)
    if match["dev"] and _post(match) < 0:  # a development version sorts before its first alpha
        return _BEFORE_ANY_STAGE, 0
    return _AFTER_ALL_STAGES, 0


def _post(match: re.Match[str]) -> int:
    if match["implicit_post"]:
        return int(match["implicit_post"])
    return int(match["post_number"] or 0) if match["post"] else -1


def _dev(match: re.Match[str]) -> int:
    return int(match["dev_number"] or 0) if match["dev"] else _LATEST


def _local(match: re.Match[str]) -> tuple[tuple[int, int, str], ...]:
    parts = re.split(r"[-_.]", match["local"].lower()) if match["local"] else ()
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)
