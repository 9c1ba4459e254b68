"""Protocol of the workspace that the command line needs.

For type checking only: mypy holds `Workspace`, and the fake of the tests, to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from clew.workspace.signature import signature_of
from clew.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from clew.model.bisect_search import BisectResult
    from clew.model.checkpoint import Checkpoint, WorkspaceInfo
    from clew.model.effect import Effect
    from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus
    from clew.model.restore_results import InterruptedRestore, RestorePreview, RestoreResult
    from clew.model.results import (
        Blame,
        CheckpointStory,
        DeleteResult,
        Difference,
        GcResult,
        Listing,
        Log,
        PruneResult,
        Stats,
    )
    from clew.model.sandbox_results import (
        Command,
        Comparison,
        DrillResult,
        Executed,
        TryResult,
        VerifyResult,
    )
    from clew.model.save_result import SaveResult
    from clew.model.session import SessionInfo
    from clew.model.session_results import (
        Brief,
        EffectList,
        Migrated,
        Resume,
        SessionFiles,
        SessionShown,
        SessionSummary,
        TaskChange,
        TaskList,
    )
    from clew.monitor import Monitor
    from clew.workspace.workspace import Confirm


class WorkspaceProtocol(Protocol):
    """A workspace: `clew.workspace.Workspace`."""

    monitor: Monitor
    is_new: bool

    @property
    def info(self) -> WorkspaceInfo: ...

    @property
    def continued_restore(self) -> RestoreResult | None: ...

    @property
    def sessions(self) -> SessionsProtocol: ...

    @property
    def tasks(self) -> TasksProtocol: ...

    @property
    def effects(self) -> EffectsProtocol: ...

    @property
    def forks(self) -> ForksProtocol: ...

    @property
    def settings(self) -> SettingsProtocol: ...

    @property
    def store(self) -> StoreProtocol: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @signature_of(Workspace.save)
    def save(self, *intent: Any, **options: Any) -> SaveResult: ...

    def edit(
        self,
        ref: str,
        *,
        intent: str | None = None,
        name: str | None = None,
        description: str | None = None,
        pin: bool | None = None,
        meta: Mapping[str, str] | None = None,
        notes: Sequence[str] = (),
        monitor: Monitor | None = None,
    ) -> Checkpoint: ...

    def note_verdict(
        self, ref: str, status: str, *, note: str = "", monitor: Monitor | None = None
    ) -> Checkpoint: ...

    def resolve(self, ref: str, *, monitor: Monitor | None = None) -> Checkpoint: ...

    def good(self, *, monitor: Monitor | None = None) -> Checkpoint: ...

    def log(
        self,
        *,
        limit: int | None = None,
        grep: str | None = None,
        path: str | Sequence[str] = (),
        verdict: str | None = None,
        since: str | None = None,
        session: str | None = None,
        package: str | None = None,
        failed: bool = False,
        tasks: bool = False,
        branches: bool = False,
    ) -> Log: ...

    def show(
        self, ref: str, *, paths: bool = False, monitor: Monitor | None = None
    ) -> CheckpointStory: ...

    def status(self, *, monitor: Monitor | None = None) -> Difference: ...

    def diff(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        paths: Sequence[str] = (),
        story: bool = False,
        monitor: Monitor | None = None,
    ) -> Difference: ...

    def patch(self, difference: Difference, *, reveal: bool = False) -> Iterator[str]: ...

    def blame(self, subject: str) -> Blame: ...

    def ls(
        self, ref: str, path: str | None = None, *, monitor: Monitor | None = None
    ) -> Listing: ...

    def cat(self, ref: str, path: str, *, monitor: Monitor | None = None) -> Iterator[bytes]: ...

    def preview(
        self,
        ref: str | None = None,
        *,
        paths: Sequence[str] = (),
        parts: Sequence[str] = (),
        keep_mine: bool = False,
        favour: str | None = None,
        before_failure: bool = False,
        session: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview: ...

    def restore(
        self,
        ref: str | None = None,
        *,
        paths: Sequence[str] = (),
        parts: Sequence[str] = (),
        keep_mine: bool = False,
        favour: str | None = None,
        before_failure: bool = False,
        session: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult: ...

    def undo(
        self, steps: int = 1, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult: ...

    def redo(
        self, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult: ...

    def continue_restore(self, *, monitor: Monitor | None = None) -> RestoreResult: ...

    def abort_restore(self, *, monitor: Monitor | None = None) -> RestoreResult: ...

    def interrupted_restore(self) -> InterruptedRestore | None: ...

    def verify(
        self,
        ref: str,
        command: Command | None = None,
        *,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        serve: str | None = None,
        monitor: Monitor | None = None,
    ) -> VerifyResult: ...

    def drill(
        self,
        ref: str | None = None,
        *,
        random: bool = False,
        check: bool = True,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        monitor: Monitor | None = None,
    ) -> DrillResult: ...

    def last_drill(self) -> Checkpoint | None: ...

    def exec(
        self,
        ref: str,
        command: Command,
        *,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        watch: Callable[[bytes], None] | None = None,
        monitor: Monitor | None = None,
    ) -> Executed: ...

    def try_commands(
        self,
        ref: str,
        attempts: Mapping[str, Command],
        *,
        verify: Command | None = None,
        jobs: int | None = None,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        monitor: Monitor | None = None,
    ) -> TryResult: ...

    def bisect(
        self,
        good: str | None = None,
        bad: str | None = None,
        *,
        command: Command | None = None,
        repeat: int = 1,
        timeout: str | float | None = None,
        network: str | None = None,
        allow_sockets: Sequence[str] = (),
        serve: str | None = None,
        monitor: Monitor | None = None,
    ) -> BisectResult: ...

    def delete(
        self, refs: Sequence[str], *, purge: bool = False, monitor: Monitor | None = None
    ) -> DeleteResult: ...

    def prune(
        self,
        *,
        keep_last: int | None = None,
        keep_within: str | None = None,
        max_bytes: str | int | None = None,
        dry_run: bool = False,
        confirm: Callable[[PruneResult], bool] | None = None,
        monitor: Monitor | None = None,
    ) -> PruneResult: ...


class SessionProtocol(Protocol):
    """A session: `clew.workspace.session.Session`."""

    @property
    def info(self) -> SessionInfo: ...


class SessionsProtocol(Protocol):
    """Sessions of agents: `Workspace.sessions`."""

    def open(
        self,
        ref: str | None = None,
        *,
        agent: str = "",
        version: str = "",
        native: str = "",
        transcript: str | None = None,
        kind: str | None = None,
    ) -> SessionProtocol: ...

    def list(self) -> list[SessionSummary]: ...

    def attach(self, ref: str) -> SessionInfo: ...

    def detach(self) -> SessionInfo: ...

    def show(self, ref: str | None = None, *, messages: int = 5) -> SessionShown: ...

    def files(self, ref: str | None = None, *, checkpoint: str | None = None) -> SessionFiles: ...

    def migrate(
        self,
        ref: str | None = None,
        *,
        version: str,
        agent: str | None = None,
        convert: str | None = None,
    ) -> Migrated: ...

    def conversation(self, ref: str) -> Iterator[bytes]: ...

    def brief(self, ref: str | None = None) -> Brief: ...


class TasksProtocol(Protocol):
    """Task lists of sessions: `Workspace.tasks`."""

    def list(self, *, session: str | None = None) -> TaskList: ...

    def add(self, title: str, *, session: str | None = None) -> TaskChange: ...

    def mark(
        self, number: int, status: str, *, note: str = "", session: str | None = None
    ) -> TaskChange: ...

    def resume(self, *, session: str | None = None) -> Resume: ...


class EffectsProtocol(Protocol):
    """Actions on the outside world: `Workspace.effects`."""

    def list(self, *, outstanding: bool = False) -> EffectList: ...

    def record(
        self,
        action: str,
        *,
        tool: str = "",
        arguments: object = None,
        reversible: bool = False,
        undo: str = "",
        again: bool = False,
        session: str | None = None,
    ) -> Effect: ...

    def settle(self, number: int, status: str, *, outcome: str = "") -> Effect: ...


class ForksProtocol(Protocol):
    """Workspaces created from a checkpoint: `Workspace.forks`."""

    def create(
        self,
        ref: str,
        directory: str | None = None,
        *,
        name: str | None = None,
        conversation: bool = False,
        monitor: Monitor | None = None,
    ) -> ForkResult: ...

    def list(self) -> tuple[ForkStatus, ...]: ...

    def enter(
        self,
        fork: str | None = None,
        command: Command | None = None,
        *,
        directory: str = ".",
        monitor: Monitor | None = None,
    ) -> None: ...

    def compare(self, refs: Sequence[str], *, monitor: Monitor | None = None) -> Comparison: ...

    def adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
    ) -> RestoreResult: ...

    def preview_adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        favour: str | None = None,
        monitor: Monitor | None = None,
    ) -> RestorePreview: ...

    def discard(
        self, fork: str, *, files: bool = False, force: bool = False, monitor: Monitor | None = None
    ) -> DiscardResult: ...


class StoreProtocol(Protocol):
    """The store of the workspace: `Workspace.store`."""

    @property
    def path(self) -> str: ...

    def stats(self) -> Stats: ...

    def warnings(self) -> list[str]: ...

    def gc(self, *, purge: bool = False, monitor: Monitor | None = None) -> GcResult: ...


class SettingsProtocol(Protocol):
    """Settings of the workspace: `Workspace.settings`."""

    def all(self) -> Mapping[str, str]: ...

    def set(self, key: str, value: str) -> None: ...

    def unset(self, key: str) -> None: ...


if TYPE_CHECKING:

    def _is_held(workspace: Workspace) -> WorkspaceProtocol:
        return workspace
