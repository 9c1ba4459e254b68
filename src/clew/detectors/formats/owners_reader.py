"""Owners reader: who must approve changes of which files, as in CODEOWNERS."""

from __future__ import annotations

import re

from clew.detectors.formats.values import NodeCounter, Shown, Unreadable, Value

_SECTION = re.compile(r"\^?\[([^\[\]\n]{1,100})\](?:\[\d{1,3}\])?((?:[ \t]++\S++)*+)")
_OWNER = re.compile(r"@@?[\w./-]{1,100}")


def read_owners(text: str) -> dict[str, Value]:
    """Return the owners by pattern; those of a section of GitLab below its name."""
    found: dict[str, Value] = {}
    here = found
    counter = NodeCounter()
    for line in text.splitlines():
        words = line.partition("#")[0].split() if not line.startswith("\\#") else line.split()
        if not words:
            continue
        counter.count(len(words))
        section = _SECTION.fullmatch(line.strip())
        if section:
            inner: dict[str, Value] = {"owners": _owners(section[2].split())}
            found[section[1].strip()] = here = inner
        else:
            here[words[0]] = _owners(words[1:])
    if not found:
        raise Unreadable("no owners")
    return found


def _owners(words: list[str]) -> Value:
    """Return the owners; an address of mail is not shown."""
    return [Shown(word) if _OWNER.fullmatch(word) else word for word in words]
