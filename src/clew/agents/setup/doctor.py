"""`doctor`: exercise everything that `enable` promises, and say what to do about each failure.

Reading settings does not show that a hook works, so `doctor` runs it: the configured hook commands,
the registered servers, and a save and a restore on the store's disk.  Nothing of that remains: see
`hook_exercise`, `mcp_exercise` and `restore_exercise`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from clew import opening
from clew.agents.hooks import log
from clew.agents.setup import receipts
from clew.agents.setup.activity import last_transcript
from clew.agents.setup.catalogue import AGENTS, PROJECT, Agent, program_of
from clew.agents.setup.disable import project_roots
from clew.agents.setup.enable import MACHINE
from clew.agents.setup.exercise_space import ExerciseSpace, exercise_space
from clew.agents.setup.hook_exercise import save_through_hook, send_test_event
from clew.agents.setup.hook_status import enable_command, settings_status
from clew.agents.setup.mcp_exercise import list_tools, registered_servers
from clew.agents.setup.paths import clew_on_path, this_clew
from clew.agents.setup.restore_exercise import restore_exercise
from clew.errors import ClewError, NotAWorkspace
from clew.filenames import as_argument
from clew.model.checkpoint import WorkspaceInfo
from clew.model.ids import short as short_id
from clew.model.setup_results import (
    Check,
    CheckOutcome,
    Checkup,
    HookFailure,
    HookStatus,
    SetupState,
)
from clew.operations.host import REAL, Host
from clew.render.style import Style
from clew.render.timestamps import short
from clew.workspace import Workspace
from clew.worktree import cut_points
from clew.worktree.interpreter import find_program

LOW_SPACE_BYTES = 500_000_000
"""Free bytes on the store's disk below which `doctor` reports a problem."""
SILENCE_NS = 600 * 1_000_000_000
"""How long an agent may write to its transcript without a hook: some messages take minutes."""
_FAILURES = 5
_LISTED = 3

Explain = Callable[[Exception], str]
"""Returns the next step for an error."""


def doctor(
    directory: str | os.PathLike[str] = ".",
    *,
    store: str | None = None,
    forget: bool = False,
    explain: Explain | None = None,
    host: Host = REAL,
) -> Checkup:
    """Check and exercise everything that hooks need to take checkpoints; leave nothing behind.

    With `forget`, clear the log of failed hooks after reading it.
    `explain` returns the remedy for an error; the command line passes its table of hints.
    """
    roots = project_roots(directory, store)
    settings = settings_status(roots)
    journal = log.log_path(os.environ)
    failures = tuple(HookFailure(*one) for one in log.recent(journal, _FAILURES))
    if forget:
        log.clear(journal)
    check = _WorkspaceCheck(host, explain or _see_command_line, settings.hooks, roots)
    check.run(directory, store)
    return Checkup(
        tuple(settings.hooks),
        tuple((name, find_program(agent.program)) for name, agent in AGENTS.items()),
        clew_on_path(),
        check.info,
        check.store,
        check.free_bytes,
        max(check.heard_ns.values(), default=None),
        failures,
        (
            *settings.checks,
            *_path_check(settings.hooks),
            *check.checks,
            *_server_checks(roots),
            *_log_check(() if forget else failures),
            *_chunker_check(),
        ),
    )


class _WorkspaceCheck:
    """The workspace of a directory and its store: their checks, and the exercises that need them."""

    def __init__(
        self, host: Host, explain: Explain, hooks: Sequence[HookStatus], roots: list[str]
    ) -> None:
        self._host = host
        self._explain = explain
        self._hooks = hooks
        self._roots = roots
        self.info: WorkspaceInfo | None = None
        self.store: str | None = None
        self.free_bytes: int | None = None
        self.heard_ns: dict[str, int] = {}
        """The time of the last event of each agent in this workspace."""
        self.checks: list[Check] = []

    def run(self, directory: str | os.PathLike[str], store: str | None) -> None:
        machine = any(one.machine for one in self._hooks)
        place = MACHINE if machine else directory
        try:
            with opening.open(place, store, host=self._host) as workspace:
                self._inspect(workspace)
        except NotAWorkspace:
            if self._hooks:
                init = "clew init --machine /" if machine else "clew save"
                what = f"Not a workspace, hooks do nothing here: {os.path.realpath(place)}"
                self._fail("workspace", what, f"Run `{init}`")
        except ClewError as error:
            self._fail("store", str(error), self._explain(error))
        except OSError as error:
            what = f"Cannot use the store: {error.strerror or error}"
            self._fail("store", what, self._explain(error))

    def _inspect(self, workspace: Workspace) -> None:
        self.info, self.store = workspace.info, workspace.store.path
        self.free_bytes = self._host.free_bytes(workspace.store.path)
        with workspace.reading_context() as context:
            seen = context.store.desks.last_seen()
            sessions = context.store.sessions.of(context.workspace)
        for one in sessions:
            heard = max(one.seen_ns, seen.get(one.id, 0))
            self.heard_ns[one.agent] = max(heard, self.heard_ns.get(one.agent, 0))
        is_usable = self._check_store(workspace)
        known = [
            (one.agent, as_argument(one.transcript))
            for one in sessions
            if one.transcript is not None
        ]
        if is_usable:
            self._exercise(workspace)
        self._check_activity(known)

    def _check_store(self, workspace: Workspace) -> bool:
        """Return whether a checkpoint can be saved."""
        path, free = workspace.store.path, self.free_bytes or 0
        if not os.access(path, os.W_OK):
            remedy = "Check its disk, owner and permissions"
            self._fail("store", f"The store is not writable: {path}", remedy)
            return False
        self._pass("store", f"The store is readable and writable: {path}")
        if free < LOW_SPACE_BYTES:
            remedy = "Free disk space, or shrink the store with `clew prune` and `clew gc`"
            self._fail("space", f"The store's disk is almost full: {path}", remedy)
        for warning in workspace.store.warnings():
            remedy = "See what uses the space with `clew stats` and `clew prune --dry-run`"
            self._fail("space", warning, remedy)
        drilled = workspace.last_drill()
        if drilled is not None and drilled.drill is not None and not drilled.drill.is_proven:
            name = short_id(drilled.id)
            remedy = f"See which paths with `clew show {name}`, and run `clew fsck --read-data`"
            self._fail("drill", f"A restore drill found damage in checkpoint {name}", remedy)
        if workspace.info.here is None:
            what = "The workspace has no checkpoint yet, so hooks do nothing"
            self._fail("workspace", what, "Run `clew save`")
            return False
        self._pass(
            "workspace", f"The workspace has checkpoints: {as_argument(workspace.info.path)}"
        )
        return True

    def _exercise(self, workspace: Workspace) -> None:
        """Save and restore, and run the hooks, in a temporary workspace on the store's disk."""
        with ExitStack() as stack:
            stack.enter_context(workspace.reading_context())  # no gc sweeps it meanwhile
            try:
                space = stack.enter_context(exercise_space(workspace.store.path))
                self._check_restore(space)
            except (ClewError, OSError) as error:
                what = f"Cannot save and restore on the disk of the store: {error}"
                self._fail("restore", what, self._explain(error))
                return
            for status in self._hooks:
                for command in status.commands:
                    self._check_hook(status, command, workspace, space)

    def _check_restore(self, space: ExerciseSpace) -> None:
        differences = restore_exercise(space)
        if not differences:
            self._pass("restore", "A restore gave back every byte and attribute")
            return
        more = "" if len(differences) <= _LISTED else f", and {len(differences) - _LISTED} more"
        self._fail(
            "restore",
            f"A restore did not give back everything: {'; '.join(differences[:_LISTED])}{more}",
            "Check the disk of the store, or move the store to another one with CLEW_HOME",
        )

    def _check_hook(
        self, status: HookStatus, command: str, workspace: Workspace, space: ExerciseSpace
    ) -> None:
        agent, name = AGENTS[status.agent], f"hook/{status.agent}"
        again = f"run `{enable_command(agent, _file_scope(status), status.machine)}` again"
        program = program_of(command)[0]
        if program == "clew" and clew_on_path() is None:
            self._skip(name, f"The hook of {status.title} cannot be run: clew is not on the PATH")
            return
        answer = send_test_event(agent, command, self._roots[0])
        if answer.is_silent:
            what = f"The hook of {status.title} starts a clew that does not answer: {program}"
            self._fail(name, what, f"Upgrade that clew, or {again}")
        elif answer.error:
            what = f"The hook of {status.title} does not work: {answer.error}"
            self._fail(name, what, f"Run the command of the hook by hand, then {again}: {command}")
        elif os.path.realpath(answer.store) != os.path.realpath(workspace.store.path):
            what = f"The hook of {status.title} saves to another store: {answer.store}"
            self._fail(name, what, f"Set CLEW_HOME={workspace.store.path} where it starts")
        elif answer.workspace != as_argument(workspace.info.path):
            what = f"The hook of {status.title} saves another workspace: {answer.workspace}"
            self._fail(name, what, f"Run `clew init {self._roots[0]}`, then {again}")
        elif not status.machine and (problem := save_through_hook(agent, command, space)):
            what = f"The hook of {status.title} took no checkpoint: {problem}"
            self._fail(name, what, f"Fix that, or {again}")
        else:
            done = "found the workspace" if status.machine else "took a checkpoint"
            self._pass(name, f"The hook of {status.title} {done}: {status.path}")

    def _check_activity(self, known: list[tuple[str, str]]) -> None:
        checked: set[str] = set()
        for status in self._hooks:
            if status.agent in checked or status.state == SetupState.UNREADABLE:
                continue
            checked.add(status.agent)
            transcripts = [path for name, path in known if name == status.agent]
            self._check_agent(AGENTS[status.agent], status, transcripts)

    def _check_agent(self, agent: Agent, status: HookStatus, transcripts: list[str]) -> None:
        name, heard = f"activity/{agent.name}", self.heard_ns.get(agent.name, 0)
        since = heard or _enabled_ns(status)
        found = [
            one
            for root in self._roots
            if (one := last_transcript(agent.name, root, since + SILENCE_NS, transcripts))
        ]
        if found:
            written = max(one.time_ns for one in found)
            last = "no hook has run since" if heard else "no hook has run since it was enabled at"
            what = f"{agent.title} has written to its transcript at {_clock(written)}, and {last} {_clock(since)}"
            is_current = status.state == SetupState.ENABLED
            again = f"Run `{enable_command(agent, _file_scope(status), status.machine)}` again"
            self._fail(name, what, agent.if_silent if is_current else again)
        elif heard:
            self._pass(name, f"{agent.title} ran a hook at {_clock(heard)}")
        else:
            self._skip(name, f"No hook of {agent.title} has run yet")

    def _pass(self, name: str, detail: str) -> None:
        self.checks.append(Check(name, CheckOutcome.PASSED, detail))

    def _fail(self, name: str, detail: str, remedy: str) -> None:
        self.checks.append(Check(name, CheckOutcome.FAILED, detail, remedy))

    def _skip(self, name: str, detail: str) -> None:
        self.checks.append(Check(name, CheckOutcome.SKIPPED, detail))


def _path_check(hooks: Sequence[HookStatus]) -> Iterator[Check]:
    """Check the PATH if hooks start clew by its name."""
    by_name = [one for one in hooks if any(program_of(c)[0] == "clew" for c in one.commands)]
    if not by_name:
        return
    found = clew_on_path()
    if found is not None:
        yield Check("path", CheckOutcome.PASSED, f"clew is on the PATH: {found}")
        return
    yield Check(
        "path",
        CheckOutcome.FAILED,
        "clew is not on the PATH, so the hooks of this project do nothing",
        f"Add {os.path.dirname(this_clew()[0])} to the PATH that agents start with",
    )


def _server_checks(roots: list[str]) -> Iterator[Check]:
    for server in registered_servers(roots):
        name = f"mcp/{server.agent.name}"
        if not server.is_ours:
            yield Check(
                name,
                CheckOutcome.FAILED,
                f"The MCP server of {server.agent.title} is not registered as clew does it,"
                f" and was not tried: {server.path}",
                f"Run `clew enable {server.agent.name} --mcp` again",
            )
            continue
        answer = list_tools(server, roots[0])
        if not answer.error:
            what = f"The MCP server offers {answer.tools} tools: {server.path}"
            yield Check(name, CheckOutcome.PASSED, what)
            continue
        words = " ".join(server.command)
        yield Check(
            name,
            CheckOutcome.FAILED,
            f"The MCP server of {server.agent.title} does not start: {answer.error}",
            answer.hint or f"Run `{words}` to see why; {server.path} registers it",
        )


def _log_check(failures: tuple[HookFailure, ...]) -> Iterator[Check]:
    if not failures:
        return
    last = failures[0]
    number = "A hook" if len(failures) == 1 else f"{len(failures)} hooks"
    yield Check(
        "hook-log",
        CheckOutcome.FAILED,
        f"{number} failed, the last in {last.directory}: {last.message}",
        "Fix the cause, then run `clew doctor --forget`",
    )


def _chunker_check() -> Iterator[Check]:
    if cut_points.selected() is cut_points.python_lengths:
        yield Check(
            "chunker",
            CheckOutcome.FAILED,
            "The installed pyfastcdc cannot be used, so large files are saved slowly",
            "Install another version of pyfastcdc: 0.1.0 to 0.3.1 are known to work",
        )


def _file_scope(status: HookStatus) -> str:
    """Return the scope to enable again: for a file that only this user reads, none is named."""
    agent = AGENTS[status.agent]
    is_local = bool(agent.local) and status.path.endswith(agent.local)
    return "local" if status.scope == PROJECT and is_local else status.scope


def _enabled_ns(status: HookStatus) -> int:
    """Return when hooks were written; for those that came with a clone, the time of the file."""
    receipt = receipts.find(status.path)
    if receipt is not None and receipt.time_ns:
        return receipt.time_ns
    try:
        return os.stat(status.path).st_mtime_ns
    except OSError:
        return time.time_ns()


def _clock(time_ns: int) -> str:
    look = Style(time.time_ns(), lambda seconds: time.localtime(seconds).tm_gmtoff, 80, False)
    return short(time_ns, look)


def _see_command_line(_: Exception) -> str:
    return "Run `clew doctor` on the command line, which shows the next step"
