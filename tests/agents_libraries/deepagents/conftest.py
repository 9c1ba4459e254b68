"""A project with a file in it, a store, and a model that says what a script tells it to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage

import clew
from clew.workspace import Workspace

Step = tuple[str, dict[str, Any]] | list[tuple[str, dict[str, Any]]] | str


class ScriptedModel(GenericFakeChatModel):
    """Says the next thing each time; `asked` holds what it was asked."""

    asked: list[list[BaseMessage]] = []

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        """Need no tools to be told which to call."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def scripted(*steps: Step) -> ScriptedModel:
    """Return a model that takes these steps: a tool and its arguments, several at once, or words."""
    return ScriptedModel(messages=iter([_message(at, step) for at, step in enumerate(steps)]))


def _message(at: int, step: Step) -> AIMessage:
    if isinstance(step, str):
        return AIMessage(step)
    calls = step if isinstance(step, list) else [step]
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": arguments, "id": f"call-{at}-{number}"}
            for number, (name, arguments) in enumerate(calls)
        ],
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "old").write_text("from before\n")
    return tmp_path / "project"


@pytest.fixture
def workspace(tmp_path: Path, project: Path) -> Iterator[Workspace]:
    with clew.open(project, tmp_path / "store", create=True) as opened:
        yield opened


@pytest.fixture
def files(project: Path) -> Callable[[], list[str]]:
    """Lists what is in the project."""
    return lambda: sorted(path.name for path in project.iterdir())


def intents(workspace: Workspace) -> list[str]:
    """Return what every checkpoint is said to be, oldest first."""
    return [one.labels.intent for one in reversed(workspace.log().checkpoints)]


def failed(workspace: Workspace) -> list[str]:
    """Return what failed, as the checkpoints tell it, oldest first."""
    every = [dict(one.labels.meta).get("failed", "") for one in workspace.log().checkpoints]
    return [one for one in reversed(every) if one]
