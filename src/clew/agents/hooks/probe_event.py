"""Test event: `clew doctor` sends it through a configured hook to see what that hook would use.

The hook answers with its workspace and its store.  It opens no session, saves nothing and
logs nothing, so a test is not taken for activity of the agent.  The event's name is of no agent: a
clew that does not know it prints nothing.
"""

from __future__ import annotations

import os

from clew.agents.hooks.events import Event, Payload, text
from clew.filenames import as_argument
from clew.places import find

EVENT_NAME = "clew.test"
NONCE_KEY = "nonce"
ANSWER_KEY = "clew_test"
SESSION = "clew-doctor"


def answer_test(payload: Payload, event: Event, *, is_machine: bool) -> dict[str, object]:
    """Return the answer to a test event; an error is part of the answer."""
    found = {"workspace": "", "store": "", "error": ""}
    try:
        store, info = find("/" if is_machine else event.cwd or os.getcwd())
        try:
            found |= {"workspace": as_argument(info.path), "store": store.layout.root}
            store.require_writable()
            if info.here is None:
                found["error"] = "the workspace has no checkpoint yet"
        finally:
            store.close()
    except Exception as error:  # noqa: BLE001 - doctor reports it
        found["error"] = str(error) or type(error).__name__
    return {ANSWER_KEY: {NONCE_KEY: text(payload, NONCE_KEY), **found}}
