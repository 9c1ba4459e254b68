"""Line format: SDK entries as lines of one conversation.

    an entry of the session itself           the entry, unchanged
    an entry of a subagent's transcript      {"clew": "subagents/agent-1", "payload": the entry}
    a subagent's transcript was deleted      {"clew": "subagents/agent-1", "deleted": true}

A session and its subagents share one conversation, so a restore resets all of them together.
An entry that looks like an envelope itself is wrapped in one, with an empty name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

Entry = dict[str, Any]

MAIN = ""
_ENVELOPE = "clew"


def line_of(subpath: str, entry: Entry) -> bytes:
    """Return an entry as a line."""
    wrapped = subpath != MAIN or _ENVELOPE in entry
    value = {_ENVELOPE: subpath, "payload": entry} if wrapped else entry
    return json.dumps(value).encode()


def deletion_of(subpath: str) -> bytes:
    """Return a line that deletes all earlier entries of one transcript."""
    return json.dumps({_ENVELOPE: subpath, "deleted": True}).encode()


def entries_of(lines: Iterable[bytes], subpath: str) -> list[Entry]:
    """Return the entries of one transcript without duplicates: the SDK may append a batch twice."""
    found: list[Entry] = []
    known: set[str] = set()
    for name, entry in _opened(lines):
        if name != subpath:
            continue
        if entry is None:
            found.clear()
            known.clear()
            continue
        uuid = entry.get("uuid")
        if isinstance(uuid, str):
            if uuid in known:
                continue
            known.add(uuid)
        found.append(entry)
    return found


def has_main(lines: Iterable[bytes]) -> bool:
    """Return whether the session itself has an entry."""
    return any(name == MAIN for name, _ in _opened(lines))


def subpaths_of(lines: Iterable[bytes]) -> list[str]:
    """Return the names of the subagents' transcripts, in the order of their first entries."""
    found: dict[str, None] = {}
    for name, entry in _opened(lines):
        if entry is None:
            found.pop(name, None)
        elif name != MAIN:
            found[name] = None
    return list(found)


def _opened(lines: Iterable[bytes]) -> Iterator[tuple[str, Entry | None]]:
    """Yield the transcript name and the entry of each line; None for a deletion."""
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue  # not written by us
        if not isinstance(value, dict):
            continue
        if _ENVELOPE not in value:
            yield MAIN, value
        elif value.get("deleted"):
            yield str(value[_ENVELOPE]), None
        else:
            yield str(value[_ENVELOPE]), value["payload"]
