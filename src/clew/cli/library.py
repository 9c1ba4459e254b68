"""Protocols of the library that the command line uses: `clew.opening` and `clew.agents.setup`.

For type checking only; tests provide fakes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clew.model.results import CheckResult
    from clew.model.search_results import SearchResult
    from clew.model.setup_results import Checkup, Disabled, Enabled, HookStatus
    from clew.model.workspace_status import WorkspaceStatus
    from clew.monitor import Monitor
    from clew.workspace.protocol import WorkspaceProtocol


class Library(Protocol):
    """Opens and creates workspaces, and checks stores: `clew.opening`."""

    def open(
        self, path: str, store: str | None = None, *, create: bool = False
    ) -> WorkspaceProtocol: ...

    def open_named(self, name: str, store: str | None = None) -> WorkspaceProtocol: ...

    def search(
        self,
        text: str,
        store: str | None = None,
        *,
        sections: Sequence[str] = (),
        limit: int | None = None,
    ) -> SearchResult: ...

    def workspaces(self, store: str | None = None) -> tuple[WorkspaceStatus, ...]: ...

    def init(
        self,
        path: str | None = None,
        store: str | None = None,
        *,
        machine: bool = False,
        exclude: Sequence[str] = (),
        attach: str | None = None,
    ) -> tuple[WorkspaceProtocol, bool]: ...

    def check_store(
        self,
        store: str | None = None,
        *,
        read_data: bool = False,
        rebuild: bool = False,
        monitor: Monitor | None = None,
    ) -> CheckResult: ...

    def require_name(self, name: str) -> None: ...

    def require_check(self, verify: str | None, check: bool, timeout: str | None) -> None: ...


class Setup(Protocol):
    """Adds clew to the settings of agents and removes it: `clew.agents.setup`."""

    def enable(
        self,
        agent: str,
        directory: str = ".",
        *,
        scope: str = "project",
        shared: bool | None = None,
        machine: bool = False,
        gate: bool = False,
        skill: bool = False,
        instructions: bool = False,
        mcp: bool = False,
        store: str | None = None,
        monitor: Monitor | None = None,
    ) -> Enabled: ...

    def disable(
        self,
        agent: str | None = None,
        directory: str = ".",
        *,
        scope: str | None = None,
        store: str | None = None,
    ) -> Disabled: ...

    def hooks(self, root: str) -> list[HookStatus]: ...

    def doctor(
        self,
        directory: str = ".",
        *,
        store: str | None = None,
        forget: bool = False,
        explain: Callable[[Exception], str] | None = None,
    ) -> Checkup: ...
