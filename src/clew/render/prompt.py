"""Text for a shell prompt and for the status line of an agent: one line, nothing of which is free text.

A shell may expand what a prompt holds once more, so intents, names and paths have no place in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.named_tuple import NamedTuple
from clew.model.verdict import VerdictStatus
from clew.render import timestamps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.model.overview import AgentSeen, Overview
    from clew.render.shapes import overview as shapes
    from clew.render.style import Style

FIELDS = ("id", "dirty", "verdict", "agent", "good")
DEFAULT = "{id}{dirty}{verdict}{agent}"
_SIGNS = {VerdictStatus.PASSING: "✔", VerdictStatus.FAILING: "✘", VerdictStatus.FLAKY: "~"}
_DIRTY = {True: "*", False: "", None: "?"}


class Prompt(NamedTuple):
    """What a prompt shows."""

    overview: Overview
    was_scanned: bool
    is_changed: bool | None
    """None if it was not scanned, or not to the end."""
    session: AgentSeen | None = None
    """The session of a status line, if a hook of it has run."""


def fields(found: Prompt) -> Mapping[str, str]:
    """Return the value of each field; one that says nothing is empty."""
    overview = found.overview
    here, good = overview.here, overview.good
    verdict = _SIGNS.get(here.verdict.status, "?") if here and here.verdict else ""
    agent = _agent(overview)
    return {
        "id": short(here.id) if here is not None else "new",
        "dirty": _DIRTY[found.is_changed] if found.was_scanned else "",
        "verdict": verdict,
        "agent": f" {agent}" if agent else "",
        "good": "" if good is None else f"-{overview.newer_than_good}",
    }


def status_line(found: Prompt, look: Style) -> str:
    """Return `clew c26d8022 ✘ · last good 3 checkpoints ago · hooks ✔ 10:27`."""
    overview, shown = found.overview, fields(found)
    parts = [f"clew {shown['id']}{shown['dirty']} {shown['verdict']}".rstrip()]
    if overview.good is not None and not overview.good.is_here:
        parts.append(f"last good {overview.newer_than_good} ago")
    if found.session is None:
        parts.append("hooks ✘ none ran in this session")
    else:
        parts.append(f"hooks ✔ {timestamps.short(found.session.heard_ns, look)}")
    return " · ".join(parts)


def prompt_value(found: Prompt | None) -> shapes.PromptOutput:
    here = found.overview.here if found is not None else None
    session = found.session if found is not None else None
    return {
        "current": here.id.hex() if here is not None else None,
        "verdict": here.verdict.status if here is not None and here.verdict is not None else None,
        "is_changed": found.is_changed if found is not None else None,
        "agent": (_agent(found.overview) or None) if found is not None else None,
        "last_event_time": timestamps.rfc3339(session.heard_ns) if session is not None else None,
    }


def _agent(found: Overview) -> str:
    """Return the agent at work; its name may be given by anybody, so only a plain one is shown."""
    name = next((one.agent for one in found.agents if one.is_at_work), "")
    is_plain = name.isascii() and name.replace("-", "").isalnum()
    return name if is_plain else "agent" if name else ""
