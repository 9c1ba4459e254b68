"""Brief for a model: a text that an agent's hook passes on after a restore."""

from __future__ import annotations

import time

from clew.monitor import Monitor
from clew.operations.sessions.brief import brief
from clew.render import brief as rendered
from clew.render.style import Style
from clew.workspace.workspace import Workspace

_WIDTH = 100
_MAX_CHARS = 8_000


def brief_for_model(workspace: Workspace, *, only_if_restored: bool = False) -> str:
    """Return what a model must know after a restore of its workspace."""
    with workspace.reading_context() as context:
        found = brief(context, None, Monitor())
    if only_if_restored and found.left is None:
        return ""
    style = Style(time.time_ns(), _utc_offset, _WIDTH, colour=False)
    text = "\n".join(rendered.lines(found, style))
    return f"From clew, which records the history of this workspace:\n{text}"[:_MAX_CHARS]


def _utc_offset(seconds: int) -> int:
    return time.localtime(seconds).tm_gmtoff
