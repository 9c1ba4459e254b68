"""Commands that run what they download, or open remote access: signs of a backdoor.

Shells run such lines at startup, cron on schedule, systemd at boot.
"""

from __future__ import annotations

import re

_SHELL = rb"(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|source|eval"

FETCHING = (
    (re.compile(rb"\b(?:curl|wget|fetch)\b[^|;]{0,500}+\|\s?(?:sudo )?(?:/\S{0,50}/)?(?:" + _SHELL + rb")\b"), "runs what it fetches"),
    (re.compile(rb"\b(?:" + _SHELL + rb")\s(?:-c\s)?[\"']?(?:<\(|\$\(|`)\s?(?:curl|wget)\b"), "runs what it fetches"),
    (re.compile(rb"\bbase64 (?:-d|-D|--decode)\b[^|;]{0,500}+\|\s?(?:" + _SHELL + rb")\b"), "runs what it decodes"),
    (re.compile(rb"/dev/(?:tcp|udp)/"), "opens a connection"),
    (re.compile(rb"\b(?:nc|ncat|netcat)\b[^|;]{0,200}\s-[a-z]{0,5}[ec]\b"), "opens a connection"),
)  # fmt: skip
"""Each pattern, and its mark."""

_LINE = 4_096


def fetching_marks(command: str) -> list[str]:
    """Return the marks of the dangerous actions in a command."""
    line = b" ".join(command[:_LINE].encode("utf-8", "replace").split())
    return list(dict.fromkeys(mark for sign, mark in FETCHING if sign.search(line)))
