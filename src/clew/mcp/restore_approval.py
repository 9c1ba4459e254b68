"""Confirmation of restores: the client asks a person before anything is overwritten.

From protocol 2026-07-28 on the question is the result of the call, which the client repeats with the
answer.  Before, the server asks in the middle of the call.
A client that cannot ask, a decline, a closed connection and a timeout all count as no.
A confirmation is valid for one plan: if the plan has changed meanwhile, the question is asked again.
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
from clew.mcp.short import restoring
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.monitor import Monitor
from clew.operations.maintenance.settings import UNATTENDED
from clew.render import restore
from clew.render.json import dumps, previewed, restored
from clew.render.style import Style

if TYPE_CHECKING:
    from clew.workspace import Confirm, Workspace

_QUESTION = "yes"
_QUESTION_AS_RESULT = "2026-07-28"
_NO_FIELDS: dict[str, object] = {"type": "object", "properties": {}}
"""Accepting the form is the confirmation; there is nothing to fill in."""
_VOLATILE = (
    "processes", "needed_bytes", "free_bytes", "resumable_session", "mtime",
    "unsaved", "unsaved_parts",
)  # fmt: skip
"""Fields of a preview that change by themselves; a merged file has a new mtime each time.

What is unsaved changes with every save; it decides whether a person at a terminal is asked at all,
and an agent's restore always is.
"""

Act = Callable[["Workspace", "Confirm | None", Monitor], RestoreResult]


async def with_confirmation(
    executor: ToolExecutor, context: Context, act: Act, *, detail: bool
) -> CallToolResult | InputRequiredResult:
    """Run `act`, which overwrites files, once a person has confirmed its plan."""
    try:
        return await _run(executor, context, act, agreed_to(context), detail)
    except NeedsConfirmation as error:
        agreed = fingerprint(error.preview)
        confirmed = await put_question(executor, context, question(error.preview), agreed)
        if not confirmed:
            raise
    if isinstance(confirmed, InputRequiredResult):
        return confirmed
    return await _run(executor, context, act, agreed, detail)


def agreed_to(context: Context) -> str | None:
    """Return the fingerprint that the person confirmed with this call, or None."""
    return context.request_state if _is_accepted(_earlier_answer(context)) else None


async def put_question(
    executor: ToolExecutor, context: Context, text: str, state: str
) -> InputRequiredResult | bool:
    """Return whether a person confirms, or the question if the client repeats the call with it.

    `state` identifies what is confirmed.  False if the client cannot ask or the person declined.
    """
    earlier = _earlier_answer(context)
    if not _can_ask(context) or (earlier is not None and not _is_accepted(earlier)):
        return False
    if not _returns_questions(context):
        return await _ask(context, text, executor.answer_timeout)
    params = ElicitRequestFormParams(message=text, requested_schema=_NO_FIELDS)
    asked: InputRequests = {_QUESTION: ElicitRequest(params=params)}
    return InputRequiredResult(input_requests=asked, request_state=state)


def question(plan: RestorePreview) -> str:
    """Return the question: the preview that the command line shows."""
    look = Style(time.time_ns(), _offset, 100, False)
    lines: Iterable[str] = restore.preview(plan._replace(needed_bytes=0), look)
    return "\n".join([*lines, "Continue?"])


def fingerprint(plan: RestorePreview) -> str:
    """Return a digest of the plan, without the fields that change by themselves."""
    stable = {"preview": _stable(previewed(plan))}
    return hashlib.blake2b(dumps(stable).encode(), digest_size=16).hexdigest()


def _stable(value: object) -> object:
    if isinstance(value, dict):
        return {key: _stable(item) for key, item in value.items() if key not in _VOLATILE}
    return [_stable(item) for item in value] if isinstance(value, list) else value


async def _run(
    executor: ToolExecutor, context: Context, act: Act, agreed: str | None, detail: bool
) -> CallToolResult:
    def body(workspace: Workspace, monitor: Monitor) -> RestoreResult:
        if workspace.settings.all()[UNATTENDED] == "on":
            return act(workspace, None, monitor)
        return act(workspace, lambda plan: fingerprint(plan) == agreed, monitor)

    result = await executor.work(context, body)
    return answer(restored(result), restoring.restored, detail)


def _can_ask(context: Context) -> bool:
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    # An empty capability is from before there were several modes, and means a form.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _returns_questions(context: Context) -> bool:
    return (context.protocol_version or "") >= _QUESTION_AS_RESULT


def _earlier_answer(context: Context) -> ElicitResult | None:
    """Return the answer to the question that this call returned before."""
    said = (context.input_responses or {}).get(_QUESTION)
    return said if isinstance(said, ElicitResult) else None


def _is_accepted(said: ElicitResult | None) -> bool:
    return said is not None and said.action == "accept"


async def _ask(context: Context, text: str, timeout: float) -> bool:
    """Ask in the middle of the call; a timeout or a broken connection counts as no."""
    with anyio.move_on_after(timeout):
        try:
            result = await context.session.elicit_form(text, _NO_FIELDS, context.request_id)
        except (MCPError, ValueError):
            return False
        return _is_accepted(result)
    return False


def _offset(seconds: int) -> int:
    return time.localtime(seconds).tm_gmtoff
