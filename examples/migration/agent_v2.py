"""Version 2 of the agent: its state is a list of entries, and it counts the letters."""

from __future__ import annotations

from typing import TypedDict, cast

import clew
from examples.migration.agent_v1 import WORDS

VERSION = "2.0"


class Entry(TypedDict):
    """A word and its translation."""

    french: str
    english: str | None
    letters: int


def work(workspace: clew.Workspace) -> list[Entry]:
    """Continue the current session, and return all entries."""
    session = workspace.sessions.current()
    entries = cast("list[Entry]", session.state)
    while (task := session.resume().task) is not None:
        entry = next(one for one in entries if one["english"] is None)
        entry["english"] = WORDS[entry["french"]]
        session.complete_task(task.number)
        session.say({"role": "assistant", "content": f"{entry['french']} is {entry['english']}"})
        session.set_state(entries)
        session.save(f"translated {entry['french']}")
    return entries
