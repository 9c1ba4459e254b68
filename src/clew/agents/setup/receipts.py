"""Receipts: what `enable` wrote, without file contents, in the user's state directory.

`disable` needs them to restore settings exactly: whether a file existed, whether `"hooks": {}` did.
Without a receipt, as on a teammate's machine, empty containers are treated as ours.
`doctor` compares them with the settings: neither git nor a restore removes a receipt with the entries.
They are not in the store because settings belong to one user of one machine, which a store may
outlive, and because user settings need no store.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from clew.agents.hooks.log import state_directory
from clew.agents.setup.hook_entries import NO_TRACES, Traces
from clew.atomic_write import replace_file


class Receipt(NamedTuple):
    """The receipt of one file."""

    created: bool = False
    """Whether `enable` created the file."""
    directories: tuple[str, ...] = ()
    """Directories created for the file."""
    traces: Traces = NO_TRACES
    agents: tuple[str, ...] = ()
    """The agents that use our part: some files serve several."""
    features: tuple[tuple[str, str], ...] = ()
    """The agent and the feature of each entry; empty in receipts of older versions."""
    machine: bool = False
    """Whether the hooks checkpoint the whole machine."""
    time_ns: int = 0
    """When the entries were last written; 0 if unknown."""

    def has(self, agent: str, feature: str) -> bool:
        return (agent, feature) in self.features

    def without(self, agent: str) -> Receipt:
        """Return the receipt without the entries of an agent."""
        return self._replace(
            agents=tuple(name for name in self.agents if name != agent),
            features=tuple(one for one in self.features if one[0] != agent),
        )


def find(path: str) -> Receipt | None:
    """Return the receipt of a file, or None if it is missing or unreadable."""
    try:
        with open(_receipt_path(path), encoding="utf-8") as file:
            value = json.load(file)
        return Receipt(
            bool(value["created"]),
            tuple(map(str, value["directories"])),
            Traces(
                tuple(map(str, value["made"])),
                tuple((str(key), _blank(text)) for key, text in value["blanks"].items()),
            ),
            tuple(map(str, value["agents"])),
            tuple((str(agent), str(what)) for agent, what in value.get("features", ())),
            value.get("machine") is True,
            int(value.get("time_ns", 0)),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(path: str, receipt: Receipt) -> None:
    """Write a receipt, ignoring errors: settings are written without one too."""
    value = {
        "path": path,
        "created": receipt.created,
        "directories": receipt.directories,
        "made": receipt.traces.made,
        "blanks": dict(receipt.traces.blanks),
        "agents": receipt.agents,
        "features": receipt.features,
        "machine": receipt.machine,
        "time_ns": receipt.time_ns or time.time_ns(),
    }
    target = _receipt_path(path)
    with suppress(OSError):
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        replace_file(target, [json.dumps(value).encode()])


def delete(path: str) -> None:
    with suppress(OSError):
        os.unlink(_receipt_path(path))


def forget(path: str, agent: str) -> None:
    """Remove an agent from a receipt, and the receipt if no other agent is in it."""
    receipt = find(path)
    if receipt is None or agent not in receipt.agents:
        return
    left = receipt.without(agent)
    if left.agents:
        write(path, left)
    else:
        delete(path)


def _blank(text: object) -> str:
    """Return white space, or raise ValueError: a receipt is not trusted with other text."""
    if not isinstance(text, str) or text.strip(" \t\r\n"):
        raise ValueError("Not white space")
    return text


def _receipt_path(path: str) -> str:
    name = sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return os.path.join(state_directory(os.environ), "enabled", f"{name}.json")
