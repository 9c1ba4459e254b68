"""Approval of commands: the client shows the exact command to a person before it runs.

A command chosen by a model can do whatever the person can, also in a private copy, where the home
directory is the live one.  Therefore only the workspace's own check, which a person sets, runs
without approval; no tool changes that setting.
`clew mcp --allow-commands` approves all commands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mcp.server.mcpserver import Context
from mcp.types import InputRequiredResult

from clew.errors import BadOption, NeedsApproval, NotAWorkspace
from clew.mcp.executor import ToolExecutor
from clew.mcp.restore_approval import agreed_to, put_question
from clew.monitor import Monitor
from clew.operations.maintenance.settings import VERIFY
from clew.render.json import dumps
from clew.render.safe import safe, safe_line

if TYPE_CHECKING:
    from clew.workspace import Workspace

T = TypeVar("T")

_LONGEST = 4_000
"""Characters of the commands; a person cannot approve what is too long to read."""

LIVE = "in the workspace itself, with all your permissions"
COPY = "in a private copy of the workspace, but with your live home directory"
NETWORK = "and on your network"


class ApprovalRequest(NamedTuple):
    """What needs approval."""

    question: str
    """The sentence above the commands."""
    commands: tuple[str, ...]
    """The commands, or the directory, that a person must see."""
    details: tuple[str, ...] = ()
    """Further conditions that are approved."""
    checks: tuple[str, ...] = ()
    """Commands that need no approval if they are the workspace's own check."""
    sockets: tuple[str, ...] = ()
    """Live unix sockets that they may use, which always need approval."""

    @property
    def fingerprint(self) -> str:
        return hashlib.blake2b(dumps({"request": list(self)}).encode(), digest_size=16).hexdigest()


class Approval:
    """Runs only what a person has approved."""

    def __init__(self, executor: ToolExecutor, *, allow_all: bool) -> None:
        self._executor = executor
        self._allow_all = allow_all

    async def work(
        self,
        context: Context,
        request: ApprovalRequest,
        body: Callable[[Workspace, Monitor], T],
        *,
        create: bool = False,
    ) -> T | InputRequiredResult:
        """Run `body`, or return the question to the client; raise `NeedsApproval` if it is declined."""
        if not self._allow_all and agreed_to(context) != request.fingerprint:
            try:
                return await self._run_unapproved(context, request, body, create=create)
            except NeedsApproval:
                text = _question(request)
                answer = await put_question(self._executor, context, text, request.fingerprint)
                if not answer:
                    raise
            if isinstance(answer, InputRequiredResult):
                return answer
        return await self._executor.work(context, body, create=create)

    async def _run_unapproved(
        self,
        context: Context,
        request: ApprovalRequest,
        body: Callable[[Workspace, Monitor], T],
        *,
        create: bool,
    ) -> T:
        """Run what needs no approval; the setting is read and `body` runs in one opening."""

        def guarded(workspace: Workspace, monitor: Monitor) -> T:
            _require_own_check(workspace, request)
            return body(workspace, monitor)

        try:
            return await self._executor.work(context, guarded)
        except NotAWorkspace:
            if not create:
                raise
            raise NeedsApproval(
                _first_command(request)
            ) from None  # a new workspace has no check of its own


def _require_own_check(workspace: Workspace, request: ApprovalRequest) -> None:
    own = workspace.settings.all()[VERIFY]
    if request.commands or request.sockets or any(check != own for check in request.checks):
        raise NeedsApproval(_first_command(request))


def _first_command(request: ApprovalRequest) -> str:
    return next(iter((*request.commands, *request.checks, *request.sockets)), "")


def _question(request: ApprovalRequest) -> str:
    commands = (*request.commands, *request.checks)
    if sum(map(len, commands)) > _LONGEST:
        raise BadOption("command", "too long to show to a person; put it in a script")
    shown = [f"    {line}" for one in commands for line in safe(one, keep="\n").split("\n")]
    if not shown:
        shown = ["    the workspace's own check"]
    services = [f"It may use the live service {safe_line(path)}." for path in request.sockets]
    return "\n".join([request.question, "", *shown, "", *request.details, *services, "Continue?"])
