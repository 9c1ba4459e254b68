"""`doctor`: whether agents are enabled, whether what they tell is kept, and what needs a person."""

from __future__ import annotations

import os
from collections.abc import Iterator

from clew import opening
from clew.agents.hooks import log
from clew.agents.setup.catalogue import AGENTS, PROJECT
from clew.agents.setup.disable import project_roots
from clew.agents.setup.enable import MACHINE
from clew.agents.setup.hook_status import standings
from clew.agents.setup.places import clew_on_path, this_clew
from clew.errors import ClewError, NotAWorkspace
from clew.model.checkpoint import WorkspaceInfo
from clew.model.setup_results import Checkup, HookFailure, Problem
from clew.workspace import Workspace
from clew.worktree.interpreter import find_program

LITTLE_ROOM = 500_000_000
"""Bytes on the store's disk below which somebody should know."""
_FAILURES = 5


def doctor(
    directory: str | os.PathLike[str] = ".", *, store: str | None = None, forget: bool = False
) -> Checkup:
    """Look at everything that must be right for an agent's work to be kept; changes nothing.

    With `forget`, the failures of hooks that are shown are not shown again.
    """
    found, problems = standings(project_roots(directory, store))
    journal = log.log_path(os.environ)
    failures = tuple(HookFailure(*one) for one in log.recent(journal, _FAILURES))
    if forget:
        log.clear(journal)
    clew = clew_on_path()
    if clew is None and any(one.scope == PROJECT for one in found):
        place = os.path.dirname(this_clew()[0])
        problems.append(
            Problem(
                "clew is not on the PATH, so that the hooks of a project are silent",
                f"Add {place} to the PATH that agents are started with",
            )
        )
    kept = _Kept()
    kept.look(directory, store, any(one.machine for one in found), bool(found))
    if failures and not forget:
        problems.append(_failed(failures))
    return Checkup(
        tuple(found),
        tuple((name, find_program(agent.program)) for name, agent in AGENTS.items()),
        clew,
        kept.info,
        kept.store,
        kept.free_bytes,
        kept.heard_ns,
        failures,
        (*problems, *kept.problems),
    )


class _Kept:
    """What is kept where we are, and whether it can be."""

    def __init__(self) -> None:
        self.info: WorkspaceInfo | None = None
        self.store: str | None = None
        self.free_bytes: int | None = None
        self.heard_ns: int | None = None
        self.problems: list[Problem] = []

    def look(
        self, directory: str | os.PathLike[str], store: str | None, machine: bool, is_enabled: bool
    ) -> None:
        place = MACHINE if machine else directory
        try:
            with opening.open(place, store) as workspace:
                self._look_at(workspace)
        except NotAWorkspace:
            if is_enabled:
                init = "clew init --machine /" if machine else "clew save"
                what = f"Nothing is kept here, this is no workspace: {os.path.realpath(place)}"
                self.problems.append(Problem(what, f"Run `{init}`"))
        except ClewError as error:
            self.problems.append(Problem(str(error), "`clew check` says how far it goes"))
        except OSError as error:
            what = f"The store cannot be used: {error.strerror or error}"
            self.problems.append(Problem(what, "Check its disk and who owns it"))

    def _look_at(self, workspace: Workspace) -> None:
        self.info, self.store = workspace.info, workspace.store_path
        space = os.statvfs(workspace.store_path)
        self.free_bytes = space.f_bavail * space.f_frsize
        self.heard_ns = max((one.seen_ns for one in workspace.sessions.all()), default=None)
        self.problems += _of_workspace(workspace, self.free_bytes)


def _of_workspace(workspace: Workspace, free: int) -> Iterator[Problem]:
    if not os.access(workspace.store_path, os.W_OK):
        yield Problem(
            f"The store cannot be written: {workspace.store_path}", "Check its disk and who owns it"
        )
    if free < LITTLE_ROOM:
        yield Problem(
            f"The store's disk is almost full: {workspace.store_path}",
            "Free some space; `clew prune` and `clew gc` shrink the store",
        )
    for warning in workspace.space_warnings():
        yield Problem(warning, "`clew prune --dry-run` and `clew stats` tell what takes the room")
    if not workspace.log(limit=1).checkpoints:
        yield Problem("There is no first checkpoint, so that hooks keep nothing", "Run `clew save`")


def _failed(failures: tuple[HookFailure, ...]) -> Problem:
    last = failures[0]
    number = "A hook" if len(failures) == 1 else f"{len(failures)} hooks"
    return Problem(
        f"{number} failed, the last in {last.directory}: {last.message}",
        "Put that right, then `clew doctor --forget`",
    )
