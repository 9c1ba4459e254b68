"""Commands that run what they download, or open remote access: signs of a backdoor.

Shells run such lines at startup, cron on schedule, systemd at boot.
"""

from __future__ import annotations

import re

_SHELL = rb"(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|source|eval"

RUNS_FETCHED = "runs what it fetches"

FETCHING = (
    (re.compile(rb"\b(?:curl|wget|fetch)\b[^|;]{0,500}+\|\s?(?:sudo )?(?:/\S{0,50}/)?(?:" + _SHELL + rb")\b"), RUNS_FETCHED),
    (re.compile(rb"\b(?:" + _SHELL + rb")\s(?:-c\s)?[\"']?(?:<\(|\$\(|`)\s?(?:curl|wget)\b"), RUNS_FETCHED),
    (re.compile(rb"\bbase64 (?:-d|-D|--decode)\b[^|;]{0,500}+\|\s?(?:" + _SHELL + rb")\b"), "runs what it decodes"),
    (re.compile(rb"/dev/(?:tcp|udp)/"), "opens a connection"),
    (re.compile(rb"\b(?:nc|ncat|netcat)\b[^|;]{0,200}\s-[a-z]{0,5}[ec]\b"), "opens a connection"),
)  # fmt: skip
"""Each pattern, and its mark."""

_LINE = 4_096


_STEPS = re.compile(rb"&&|\|\||;|\n")
_FETCH = re.compile(rb"\b(?:curl|wget)\b")
_SAVED = re.compile(
    rb"\s(?:-o|--output|-O|--output-document)[= ]?\s?([\w./~-]{2,120})|>\s?([\w./~-]{2,120})"
)
_ADDRESS = re.compile(rb"\bhttps?://[^\s\"'|;&)<>]{1,500}")
_CHECKED = re.compile(rb"\b(?:sha(?:256|384|512)sum|shasum|gpgv?2?|cosign|minisign|b2sum)\b")
_RUN = re.compile(
    rb"^\s*+(?:RUN |sudo |exec |env )*+(?:(?:/\S{0,50}/)?(?:"
    + _SHELL
    + rb"|\.)\s(?:-\w{1,10}\s)*+)?([\w./~-]{2,120})(?=$|\s)"
)


def fetching_marks(command: str) -> list[str]:
    """Return the marks of the dangerous actions in a command."""
    line = b" ".join(command[:_LINE].encode("utf-8", "replace").split())
    found = dict.fromkeys(mark for sign, mark in FETCHING if sign.search(line))
    if RUNS_FETCHED not in found and runs_saved(line):
        found[RUNS_FETCHED] = None
    return list(found)


def runs_saved(line: bytes) -> bool:
    """Return whether a command saves a file from the net and then runs it, unchecked."""
    saved: set[bytes] = set()
    if not _FETCH.search(line) or _CHECKED.search(line):
        return False
    for step in _STEPS.split(line[:_LINE])[:100]:
        if _FETCH.search(step):
            saved |= {name.rpartition(b"/")[2] for name in _saved_names(step)}
        elif saved and (found := _RUN.match(step)) and found[1].rpartition(b"/")[2] in saved:
            return True
    return False


def _saved_names(step: bytes) -> list[bytes]:
    """Return the names under which a step saves what it fetches."""
    names = [one or other for one, other in _SAVED.findall(step)]
    return [*names, *(address.partition(b"?")[0] for address in _ADDRESS.findall(step))]


def fetched_addresses(line: bytes) -> list[str]:
    """Return the addresses that a command names."""
    return [one.decode("utf-8", "replace") for one in _ADDRESS.findall(line[:_LINE])]
