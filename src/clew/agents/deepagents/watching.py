"""The watch over an agent whose calls come from many threads: one at a time, and never in its way."""

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


class Watching:
    """A workspace, opened when the first thing happens in it, and the session of one agent."""

    def __init__(self, where: Where, name: str = "", ask: Ask | None = None) -> None:
        if isinstance(where, Workspace):
            self._path: StrPath = as_argument(where.info.path)
            self._store: StrPath | None = where.store_path
        else:
            self._path, self._store = where, None
        self._name = name
        self._ask = ask
        self._watch: Watch | None = None
        self._lock = Lock()
        self._news = ""

    def prompted(self, text: str) -> None:
        """Told what a person asked for."""
        self._tell(lambda watch: watch.prompted(text))

    def before(self, call: Call) -> Decision:
        """Told that something is about to change; return whether it may."""
        return self._do(lambda watch: watch.before(call, ask=self._ask), Decision(allowed=True))

    def after(self, ended: EndedCall) -> None:
        """Told how it went."""
        self._tell(lambda watch: watch.after(ended))

    def said(self, messages: Sequence[object]) -> None:
        """Told what was said, each message a JSON value."""
        self._do(lambda watch: watch.session.say(*messages), None)

    def plan(self, tasks: Sequence[tuple[str, str]]) -> None:
        """Told what the agent has set out to do."""
        self._do(lambda watch: watch.plan(tasks), None)

    def stopped(self) -> None:
        """Told that the agent has stopped."""
        self._do(lambda watch: watch.stopped(), None)

    def news(self) -> str:
        """Return what the model must know, once."""
        with self._lock:
            news, self._news = self._news, ""
        return news

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._watch is not None:
                self._watch.workspace.close()
                self._watch = None

    def _tell(self, what: Callable[[Watch], str]) -> None:
        news = self._do(what, "")
        if news:
            with self._lock:
                self._news = news

    def _do(self, what: Callable[[Watch], T], otherwise: T) -> T:
        """Do something with the watch; whatever goes wrong is logged, and the agent goes on."""
        with self._lock:
            try:
                return what(self._opened())
            except Exception as error:  # noqa: BLE001 - keeping history never stops an agent
                self._log(error)
                return otherwise

    def _log(self, error: Exception) -> None:
        """Write down what was not kept, where `clew doctor` looks."""
        message = f"{type(error).__name__}: {error}"
        try:
            log.write(log.log_path(os.environ), AGENT, "", os.path.abspath(self._path), message)
        except OSError:
            pass  # there is nobody left to tell

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
