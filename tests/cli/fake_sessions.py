"""The verbs about sessions of a library that remembers what it was asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from clew.model.effect import Effect
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
from tests.cli import samples_sessions


class FakeSession(NamedTuple):
    """A session of which only the information is wanted."""

    info: SessionInfo


class FakeSessions:
    """Has the verbs about sessions and tasks; the attributes hold the answers."""

    def __init__(self) -> None:
        self.session_list: list[SessionSummary] = samples_sessions.SUMMARIES
        self.session_page: SessionShown = samples_sessions.SHOWN
        self.touched: SessionFiles = samples_sessions.FILES
        self.task_list: TaskList = samples_sessions.LIST
        self.task_change: TaskChange = samples_sessions.CHANGE
        self.resumed: Resume = samples_sessions.RESUME
        self.told_brief: Brief = samples_sessions.BRIEF
        self.effect_list: EffectList = EffectList((samples_sessions.EFFECT,), (1,))
        self.sessions = SimpleNamespace(
            open=self._session, list=self._list_sessions, attach=self._attach_session,
            detach=self._detach_session, show=self._show_session, files=self._session_files,
            migrate=self._migrate_session, brief=self._brief,
        )  # fmt: skip
        self.tasks = SimpleNamespace(
            list=self._tasks, add=self._add_task, mark=self._mark_task, resume=self._resume
        )
        self.effects = SimpleNamespace(
            list=self._effects, record=self._record_effect, settle=self._settle_effect
        )

    def _list_sessions(self) -> list[SessionSummary]:
        self._note("list_sessions")
        return self.session_list

    def _session(self, **options: Any) -> FakeSession:
        self._note("session", options)
        return FakeSession(samples_sessions.SESSION)

    def _attach_session(self, ref: str) -> SessionInfo:
        self._note("attach_session", ref)
        return samples_sessions.SESSION

    def _detach_session(self) -> SessionInfo:
        self._note("detach_session")
        return samples_sessions.SESSION._replace(attached=False)

    def _show_session(self, ref: str | None, *, messages: int) -> SessionShown:
        self._note("show_session", ref, messages)
        return self.session_page

    def _session_files(self, ref: str | None, *, checkpoint: str | None) -> SessionFiles:
        self._note("session_files", ref, checkpoint)
        return self.touched

    def _migrate_session(self, ref: str | None, **options: Any) -> Migrated:
        self._note("migrate_session", ref, options)
        return samples_sessions.MIGRATED

    def _tasks(self, *, session: str | None) -> TaskList:
        self._note("tasks", session)
        return self.task_list

    def _add_task(self, title: str, *, session: str | None) -> TaskChange:
        self._note("add_task", title, session)
        return self.task_change

    def _mark_task(self, number: int, status: str, *, note: str, session: str | None) -> TaskChange:
        self._note("mark_task", number, status, note, session)
        return self.task_change

    def _resume(self, *, session: str | None) -> Resume:
        self._note("resume", session)
        return self.resumed

    def _effects(self, *, standing: bool) -> EffectList:
        self._note("effects", standing)
        return self.effect_list

    def _record_effect(self, what: str, **options: Any) -> Effect:
        self._note("record_effect", what, options)
        return samples_sessions.EFFECT

    def _settle_effect(self, number: int, status: str, *, outcome: str) -> Effect:
        self._note("settle_effect", number, status, outcome)
        return samples_sessions.EFFECT

    def _brief(self, ref: str | None) -> Brief:
        self._note("brief", ref)
        return self.told_brief

    def _note(self, *call: object) -> None:
        raise NotImplementedError
