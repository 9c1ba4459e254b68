"""Thread-safe watch: serialises the calls of an agent's threads, and never stops the agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from clew.agents.hooks import log
from clew.agents.watch import Call, EndedCall, Watch
from clew.filenames import as_argument
from clew.opening import open as open_workspace
from clew.places import StrPath
from clew.policy.approval.decision import Decision
from clew.workspace import Workspace

T = TypeVar("T")

Where = StrPath | Workspace
Ask = Callable[[str], bool]

AGENT = "deepagents"


class ThreadSafeWatch:
    """The session of one agent in a workspace, which is opened on first use."""

    def __init__(self, where: Where, name: str = "", ask: Ask | None = None) -> None:
        if isinstance(where, Workspace):
            self._path: StrPath = as_argument(where.info.path)
            self._store: StrPath | None = where.store.path
        else:
            self._path, self._store = where, None
        self._name = name
        self._ask = ask
        self._watch: Watch | None = None
        self._lock = Lock()
        self._news = ""

    def prompted(self, text: str) -> None:
        """Record a prompt."""
        self._call_for_news(lambda watch: watch.prompted(text))

    def before(self, call: Call) -> Decision:
        """Apply the gate to a call, and checkpoint before it."""
        return self._call(lambda watch: watch.before(call, ask=self._ask), Decision(allowed=True))

    def after(self, ended: EndedCall) -> None:
        """Record the end of a call."""
        self._call_for_news(lambda watch: watch.after(ended))

    def record_messages(self, messages: Sequence[object]) -> None:
        """Record messages, each a JSON value."""
        self._call(lambda watch: watch.session.say(*messages), None)

    def plan(self, tasks: Sequence[tuple[str, str]]) -> None:
        """Replace the task list by the agent's plan."""
        self._call(lambda watch: watch.plan(tasks), None)

    def stopped(self) -> None:
        """Record that the agent stopped."""
        self._call(lambda watch: watch.stopped(), None)

    def news(self) -> str:
        """Return and clear the message for the model."""
        with self._lock:
            news, self._news = self._news, ""
        return news

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            if self._watch is not None:
                self._watch.workspace.close()
                self._watch = None

    def _call_for_news(self, what: Callable[[Watch], str]) -> None:
        news = self._call(what, "")
        if news:
            with self._lock:
                self._news = news

    def _call(self, what: Callable[[Watch], T], otherwise: T) -> T:
        """Call `what` with the watch; log an error and return `otherwise`."""
        with self._lock:
            try:
                return what(self._opened())
            except Exception as error:  # noqa: BLE001 - history never stops an agent
                self._log(error)
                return otherwise

    def _log(self, error: Exception) -> None:
        """Write an error to the log that `clew doctor` shows."""
        message = f"{type(error).__name__}: {error}"
        try:
            log.write(log.log_path(os.environ), AGENT, "", os.path.abspath(self._path), message)
        except OSError:
            pass  # no other place to report it

    def _opened(self) -> Watch:
        if self._watch is None:
            workspace = open_workspace(self._path, self._store, create=True)
            try:
                self._watch = Watch.begin(
                    workspace, agent=AGENT, version=_version(), native=self._name
                )
                self._news = self._watch.started()
            except BaseException:
                self._watch = None
                workspace.close()
                raise
        return self._watch


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("deepagents")
    except PackageNotFoundError:
        return ""
