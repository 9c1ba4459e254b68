"""A yes before a command runs: the client puts it to a person, word for word.

A command that a model chose can do whatever the person can, also in a private copy: the home
directory is the live one there.  So only the workspace's own check, which a person set, runs without
a question; no tool changes that setting.
`clew mcp --allow-commands` is a yes to all of them.
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
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.workspace import Workspace

T = TypeVar("T")

_LONGEST = 4_000
"""Characters that are shown; what nobody can read, nobody can approve."""

LIVE = "in the workspace itself, with all your rights"
COPY = "in a private copy of the workspace, but your home directory is the live one"
NETWORK = "and with your network"


class ApprovalRequest(NamedTuple):
    """What needs a yes."""

    what: str
    """The question, which the words follow."""
    words: tuple[str, ...]
    """The commands, or the place, that a person must see."""
    details: tuple[str, ...] = ()
    """Whatever else a yes is given for."""
    checks: tuple[str, ...] = ()
    """Commands that need none if they are the workspace's own check."""

    @property
    def fingerprint(self) -> str:
        return hashlib.blake2b(dumps({"request": list(self)}).encode(), digest_size=16).hexdigest()


class Approval:
    """Runs what a person has approved, and nothing else."""

    def __init__(self, desk: ToolExecutor, *, allow_all: bool) -> None:
        self._desk = desk
        self._allow_all = allow_all

    async def work(
        self,
        context: Context,
        request: ApprovalRequest,
        body: Callable[[Workspace, Monitor], T],
        *,
        create: bool = False,
    ) -> T | InputRequiredResult:
        """Return what `body` makes of the workspace, or the question; `NeedsApproval` for a no."""
        if not self._allow_all and agreed_to(context) != request.fingerprint:
            try:
                return await self._unasked(context, request, body, create=create)
            except NeedsApproval:
                text = _question(request)
                said = await put_question(context, text, request.fingerprint)
                if not said:
                    raise
            if isinstance(said, InputRequiredResult):
                return said
        return await self._desk.work(context, body, create=create)

    async def _unasked(
        self,
        context: Context,
        request: ApprovalRequest,
        body: Callable[[Workspace, Monitor], T],
        *,
        create: bool,
    ) -> T:
        """Do what needs nobody's yes: looked at and done under one opening of the workspace."""

        def guarded(workspace: Workspace, monitor: Monitor) -> T:
            _require_own(workspace, request)
            return body(workspace, monitor)

        try:
            return await self._desk.work(context, guarded)
        except NotAWorkspace:
            if not create:
                raise
            raise NeedsApproval(_first(request)) from None  # it has no check of its own yet


def _require_own(workspace: Workspace, request: ApprovalRequest) -> None:
    own = workspace.settings.all()[VERIFY]
    if request.words or any(check != own for check in request.checks):
        raise NeedsApproval(_first(request))


def _first(request: ApprovalRequest) -> str:
    return next(iter((*request.words, *request.checks)), "")


def _question(request: ApprovalRequest) -> str:
    words = (*request.words, *request.checks)
    if sum(map(len, words)) > _LONGEST:
        raise BadOption("command", "too long to be shown to a person; put it in a script")
    shown = [f"    {line}" for word in words for line in safe(word, keep="\n").split("\n")]
    return "\n".join([request.what, "", *shown, "", *request.details, "Go ahead?"])
