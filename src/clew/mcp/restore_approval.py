"""A yes before anything is overwritten: the client puts the question to a person.

From protocol 2026-07-28 on a question is an answer: the call ends with it and is made again with
what was said.  Before, the server asks in the middle of the call.
Whoever cannot be asked, declines, goes away or takes too long has not said yes.
A yes is worth only what it was given for: if the plan has changed by then, it is asked about again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import anyio
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequests,
    InputRequiredResult,
)

from clew.errors import NeedsConfirmation
from clew.mcp.answers import answer
from clew.mcp.executor import ToolExecutor
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.monitor import Monitor
from clew.operations.maintenance.settings import UNATTENDED
from clew.render import restore
from clew.render.json import dumps, previewed, restored
from clew.render.style import Style

if TYPE_CHECKING:
    from clew.workspace import Confirm, Workspace

PATIENCE = 600.0
"""Seconds that a person has, where the call waits for them."""

_QUESTION = "yes"
_ANSWERED_BY_A_QUESTION = "2026-07-28"
_NO_FIELDS: dict[str, object] = {"type": "object", "properties": {}}
"""To accept is to say yes; there is nothing to fill in."""
_PASSING = ("holders", "needed_bytes", "free_bytes", "resumable", "mtime")
"""Fields of a preview that change by themselves; what is merged has a new time each time."""

Act = Callable[["Workspace", "Confirm | None", Monitor], RestoreResult]


async def with_a_yes(
    desk: ToolExecutor, context: Context, act: Act
) -> CallToolResult | InputRequiredResult:
    """Do what overwrites files, once somebody has said yes to just that."""
    try:
        return await _do(desk, context, act, agreed_to(context))
    except NeedsConfirmation as error:
        agreed = fingerprint(error.preview)
        said = await put_question(context, question(error.preview), agreed)
        if not said:
            raise
    if isinstance(said, InputRequiredResult):
        return said
    return await _do(desk, context, act, agreed)


def agreed_to(context: Context) -> str | None:
    """Return what a yes was given for that comes with this call, or None."""
    return context.request_state if _is_yes(_earlier_answer(context)) else None


async def put_question(context: Context, text: str, state: str) -> InputRequiredResult | bool:
    """Tell whether a person says yes, or return the question for the client to come back with.

    `state` says what the yes is for.  Who cannot be asked, or has said no, has not said yes.
    """
    earlier = _earlier_answer(context)
    if not _can_ask(context) or (earlier is not None and not _is_yes(earlier)):
        return False
    if not _asks_by_answering(context):
        return await _ask(context, text)
    params = ElicitRequestFormParams(message=text, requested_schema=_NO_FIELDS)
    asked: InputRequests = {_QUESTION: ElicitRequest(params=params)}
    return InputRequiredResult(input_requests=asked, request_state=state)


def question(plan: RestorePreview) -> str:
    """Return what is asked: the preview that the command line shows."""
    look = Style(time.time_ns(), _offset, 100, False)
    lines: Iterable[str] = restore.preview(plan._replace(needed_bytes=0), look)
    return "\n".join([*lines, "Go ahead?"])


def fingerprint(plan: RestorePreview) -> str:
    """Return what a yes was given for, whatever else goes on meanwhile."""
    lasting = {"preview": _lasting(previewed(plan))}
    return hashlib.blake2b(dumps(lasting).encode(), digest_size=16).hexdigest()


def _lasting(value: object) -> object:
    if isinstance(value, dict):
        return {key: _lasting(item) for key, item in value.items() if key not in _PASSING}
    return [_lasting(item) for item in value] if isinstance(value, list) else value


async def _do(desk: ToolExecutor, context: Context, act: Act, agreed: str | None) -> CallToolResult:
    def body(workspace: Workspace, monitor: Monitor) -> RestoreResult:
        if workspace.settings.all()[UNATTENDED] == "on":
            return act(workspace, None, monitor)
        return act(workspace, lambda plan: fingerprint(plan) == agreed, monitor)

    return answer(restored(await desk.work(context, body)))


def _can_ask(context: Context) -> bool:
    capabilities = context.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    # An empty one is from before there were several ways to ask, and means a form.
    return asking is not None and (asking.form is not None or asking.url is None)


def _asks_by_answering(context: Context) -> bool:
    return (context.protocol_version or "") >= _ANSWERED_BY_A_QUESTION


def _earlier_answer(context: Context) -> ElicitResult | None:
    """Return what was said to the question that the same call ended with before."""
    said = (context.input_responses or {}).get(_QUESTION)
    return said if isinstance(said, ElicitResult) else None


def _is_yes(said: ElicitResult | None) -> bool:
    return said is not None and said.action == "accept"


async def _ask(context: Context, text: str) -> bool:
    """Ask in the middle of the call; silence, and a connection that breaks, is a no."""
    with anyio.move_on_after(PATIENCE):
        try:
            said = await context.session.elicit_form(text, _NO_FIELDS, context.request_id)
        except (MCPError, ValueError):
            return False
        return _is_yes(said)
    return False


def _offset(seconds: int) -> int:
    return time.localtime(seconds).tm_gmtoff
