"""What `enable` made, kept below the user's state directory: no contents, only what came to be.

Settings that were put back exactly need it: whether a file was there, whether `"hooks": {}` was.
Without a receipt, as on a teammate's machine, what is empty is taken to be ours.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from clew.agents.hooks.log import state_directory
from clew.agents.setup.hook_entries import NO_TRACES, Traces


class Receipt(NamedTuple):
    """Of one file."""

    created: bool = False
    """Whether the file was not there."""
    directories: tuple[str, ...] = ()
    """Those that were made for it."""
    traces: Traces = NO_TRACES
    agents: tuple[str, ...] = ()
    """For whom our part is there: some files serve several agents."""


def find(path: str) -> Receipt | None:
    """Return the receipt of a file, or None if there is none that can be read."""
    try:
        with open(_place(path), encoding="utf-8") as file:
            value = json.load(file)
        return Receipt(
            bool(value["created"]),
            tuple(map(str, value["directories"])),
            Traces(
                tuple(map(str, value["made"])),
                tuple((str(key), _blank(text)) for key, text in value["blanks"].items()),
            ),
            tuple(map(str, value["agents"])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def keep(path: str, receipt: Receipt) -> None:
    """Write a receipt down; settings are written whether or not that succeeds."""
    value = {
        "path": path,
        "created": receipt.created,
        "directories": receipt.directories,
        "made": receipt.traces.made,
        "blanks": dict(receipt.traces.blanks),
        "agents": receipt.agents,
    }
    place = _place(path)
    with suppress(OSError):
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        with open(place + ".new", "w", encoding="utf-8") as file:
            json.dump(value, file)
        os.replace(place + ".new", place)


def drop(path: str) -> None:
    with suppress(OSError):
        os.unlink(_place(path))


def _blank(text: object) -> str:
    """Return white space, and nothing else whoever wrote the receipt."""
    if not isinstance(text, str) or text.strip(" \t\r\n"):
        raise ValueError("Not white space")
    return text


def _place(path: str) -> str:
    name = sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return os.path.join(state_directory(os.environ), "enabled", f"{name}.json")
