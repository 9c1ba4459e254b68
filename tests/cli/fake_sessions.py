"""The verbs about sessions of a library that remembers what it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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
        self.sessions = FakeSessionList(self)
        self.tasks = FakeTasks(self)
        self.effects = FakeEffects(self)

    def note(self, *call: object) -> None:
        raise NotImplementedError


class FakeSessionList:
    """The part about sessions."""

    def __init__(self, fake: FakeSessions) -> None:
        self._fake = fake

    def list(self) -> list[SessionSummary]:
        self._fake.note("list_sessions")
        return self._fake.session_list

    def open(self, ref: str | None = None, **options: object) -> FakeSession:
        self._fake.note("session", options)
        return FakeSession(samples_sessions.SESSION)

    def attach(self, ref: str) -> SessionInfo:
        self._fake.note("attach_session", ref)
        return samples_sessions.SESSION

    def detach(self) -> SessionInfo:
        self._fake.note("detach_session")
        return samples_sessions.SESSION._replace(attached=False)

    def show(self, ref: str | None = None, *, messages: int = 5) -> SessionShown:
        self._fake.note("show_session", ref, messages)
        return self._fake.session_page

    def files(self, ref: str | None = None, *, checkpoint: str | None = None) -> SessionFiles:
        self._fake.note("session_files", ref, checkpoint)
        return self._fake.touched

    def migrate(self, ref: str | None = None, **options: object) -> Migrated:
        self._fake.note("migrate_session", ref, options)
        return samples_sessions.MIGRATED

    def brief(self, ref: str | None = None) -> Brief:
        self._fake.note("brief", ref)
        return self._fake.told_brief

    def conversation(self, ref: str) -> Iterator[bytes]:
        self._fake.note("conversation", ref)
        return iter(())


class FakeTasks:
    """The part about tasks."""

    def __init__(self, fake: FakeSessions) -> None:
        self._fake = fake

    def list(self, *, session: str | None = None) -> TaskList:
        self._fake.note("tasks", session)
        return self._fake.task_list

    def add(self, title: str, *, session: str | None = None) -> TaskChange:
        self._fake.note("add_task", title, session)
        return self._fake.task_change

    def mark(
        self, number: int, status: str, *, note: str = "", session: str | None = None
    ) -> TaskChange:
        self._fake.note("mark_task", number, status, note, session)
        return self._fake.task_change

    def resume(self, *, session: str | None = None) -> Resume:
        self._fake.note("resume", session)
        return self._fake.resumed


class FakeEffects:
    """The part about effects."""

    def __init__(self, fake: FakeSessions) -> None:
        self._fake = fake

    def list(self, *, outstanding: bool = False) -> EffectList:
        self._fake.note("effects", outstanding)
        return self._fake.effect_list

    def record(self, action: str, **options: object) -> Effect:
        self._fake.note("record_effect", action, options)
        return samples_sessions.EFFECT

    def settle(self, number: int, status: str, *, outcome: str = "") -> Effect:
        self._fake.note("settle_effect", number, status, outcome)
        return samples_sessions.EFFECT
