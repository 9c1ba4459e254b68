"""Entries of the SDK as lines of one conversation.

    an entry of the session itself           the entry, as it is
    an entry of a helper's transcript        {"clew": "subagents/agent-1", "payload": the entry}
    such a transcript was deleted            {"clew": "subagents/agent-1", "deleted": true}

A session and its helpers share one conversation, so a restore takes all of them back to one moment.
An entry that looks like an envelope itself is put into one, with an empty name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

Entry = dict[str, Any]

MAIN = ""
_ENVELOPE = "clew"


def line_of(subpath: str, entry: Entry) -> bytes:
    """Return the line that keeps an entry."""
    wrapped = subpath != MAIN or _ENVELOPE in entry
    value = {_ENVELOPE: subpath, "payload": entry} if wrapped else entry
    return json.dumps(value).encode()


def deletion_of(subpath: str) -> bytes:
    """Return the line that says that all before it is gone from one transcript."""
    return json.dumps({_ENVELOPE: subpath, "deleted": True}).encode()


def entries_of(lines: Iterable[bytes], subpath: str) -> list[Entry]:
    """Return the entries of one transcript, each once: a batch may be handed over again."""
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
    """Tell whether the session itself has an entry."""
    return any(name == MAIN for name, _ in _opened(lines))


def subpaths_of(lines: Iterable[bytes]) -> list[str]:
    """Return the names of the helpers' transcripts, in the order they were begun."""
    found: dict[str, None] = {}
    for name, entry in _opened(lines):
        if entry is None:
            found.pop(name, None)
        elif name != MAIN:
            found[name] = None
    return list(found)


def _opened(lines: Iterable[bytes]) -> Iterator[tuple[str, Entry | None]]:
    """Yield whose each line is, and its entry; None where all before it is gone."""
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue  # nothing that we wrote
        if not isinstance(value, dict):
            continue
        if _ENVELOPE not in value:
            yield MAIN, value
        elif value.get("deleted"):
            yield str(value[_ENVELOPE]), None
        else:
            yield str(value[_ENVELOPE]), value["payload"]
