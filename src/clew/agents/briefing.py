"""The brief as words for a model, where an agent's hook can carry some."""

from __future__ import annotations

import time

from clew.monitor import Monitor
from clew.operations.sessions.brief import brief
from clew.render import brief as rendered
from clew.render.style import Style
from clew.workspace.workspace import Workspace

_WIDTH = 100
_LONGEST = 8_000


def brief_for_model(workspace: Workspace, *, only_if_restored: bool = False) -> str:
    """Return what a model must know after somebody moved the workspace under it."""
    with workspace.reading_context() as context:
        found = brief(context, None, Monitor())
    if only_if_restored and found.left is None:
        return ""
    look = Style(time.time_ns(), _offset, _WIDTH, colour=False)
    text = "\n".join(rendered.lines(found, look))
    return f"From clew, which keeps the history of this workspace:\n{text}"[:_LONGEST]


def _offset(seconds: int) -> int:
    return time.localtime(seconds).tm_gmtoff
