"""`doctor`: check the hooks of agents, the workspace, the store, and the log of failed hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator

from clew import opening
from clew.agents.hooks import log
from clew.agents.setup.catalogue import AGENTS, PROJECT
from clew.agents.setup.disable import project_roots
from clew.agents.setup.enable import MACHINE
from clew.agents.setup.hook_status import hook_statuses
from clew.agents.setup.paths import clew_on_path, this_clew
from clew.errors import ClewError, NotAWorkspace
from clew.model.checkpoint import WorkspaceInfo
from clew.model.setup_results import Checkup, HookFailure, Problem
from clew.operations.host import REAL, Host
from clew.workspace import Workspace
from clew.worktree import cut_points
from clew.worktree.interpreter import find_program

LOW_SPACE_BYTES = 500_000_000
"""Free bytes on the store's disk below which `doctor` reports a problem."""
_FAILURES = 5


def doctor(
    directory: str | os.PathLike[str] = ".",
    *,
    store: str | None = None,
    forget: bool = False,
    host: Host = REAL,
) -> Checkup:
    """Check everything that hooks need to take checkpoints; change nothing.

    With `forget`, clear the log of failed hooks after reading it.
    """
    found, problems = hook_statuses(project_roots(directory, store))
    journal = log.log_path(os.environ)
    failures = tuple(HookFailure(*one) for one in log.recent(journal, _FAILURES))
    if forget:
        log.clear(journal)
    clew = clew_on_path()
    if clew is None and any(one.scope == PROJECT for one in found):
        place = os.path.dirname(this_clew()[0])
        problems.append(
            Problem(
                "clew is not on the PATH, so the hooks of this project do nothing",
                f"Add {place} to the PATH that agents start with",
            )
        )
    check = _WorkspaceCheck(host)
    check.run(directory, store, any(one.machine for one in found), bool(found))
    if failures and not forget:
        problems.append(_failure_problem(failures))
    if cut_points.selected() is cut_points.python_lengths:
        problems.append(
            Problem(
                "The installed pyfastcdc cannot be used, so large files are saved slowly",
                "Install another version of pyfastcdc: 0.1.0 to 0.3.1 are known to work",
            )
        )
    return Checkup(
        tuple(found),
        tuple((name, find_program(agent.program)) for name, agent in AGENTS.items()),
        clew,
        check.info,
        check.store,
        check.free_bytes,
        check.last_event_ns,
        failures,
        (*problems, *check.problems),
    )


class _WorkspaceCheck:
    """The workspace of a directory, its store, and their problems."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.info: WorkspaceInfo | None = None
        self.store: str | None = None
        self.free_bytes: int | None = None
        self.last_event_ns: int | None = None
        self.problems: list[Problem] = []

    def run(
        self, directory: str | os.PathLike[str], store: str | None, machine: bool, is_enabled: bool
    ) -> None:
        place = MACHINE if machine else directory
        try:
            with opening.open(place, store, host=self._host) as workspace:
                self._inspect(workspace)
        except NotAWorkspace:
            if is_enabled:
                init = "clew init --machine /" if machine else "clew save"
                what = f"Not a workspace, hooks do nothing here: {os.path.realpath(place)}"
                self.problems.append(Problem(what, f"Run `{init}`"))
        except ClewError as error:
            self.problems.append(
                Problem(str(error), "Run `clew check` to see the extent of the damage")
            )
        except OSError as error:
            what = f"Cannot use the store: {error.strerror or error}"
            self.problems.append(Problem(what, "Check its disk, owner and permissions"))

    def _inspect(self, workspace: Workspace) -> None:
        self.info, self.store = workspace.info, workspace.store.path
        self.free_bytes = self._host.free_bytes(workspace.store.path)
        self.last_event_ns = max((one.seen_ns for one in workspace.sessions.all()), default=None)
        self.problems += _workspace_problems(workspace, self.free_bytes)


def _workspace_problems(workspace: Workspace, free: int) -> Iterator[Problem]:
    if not os.access(workspace.store.path, os.W_OK):
        yield Problem(
            f"The store is not writable: {workspace.store.path}",
            "Check its disk, owner and permissions",
        )
    if free < LOW_SPACE_BYTES:
        yield Problem(
            f"The store's disk is almost full: {workspace.store.path}",
            "Free disk space, or shrink the store with `clew prune` and `clew gc`",
        )
    for warning in workspace.store.warnings():
        yield Problem(
            warning, "See what uses the space with `clew stats` and `clew prune --dry-run`"
        )
    if not workspace.log(limit=1).checkpoints:
        yield Problem("The workspace has no checkpoint yet, so hooks do nothing", "Run `clew save`")


def _failure_problem(failures: tuple[HookFailure, ...]) -> Problem:
    last = failures[0]
    number = "A hook" if len(failures) == 1 else f"{len(failures)} hooks"
    return Problem(
        f"{number} failed, the last in {last.directory}: {last.message}",
        "Fix the cause, then run `clew doctor --forget`",
    )
