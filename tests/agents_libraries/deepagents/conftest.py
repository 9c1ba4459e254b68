"""A project with one file, a store, and a scripted model."""

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
    """Returns the next message on each request; `asked` has the requests."""

    asked: list[list[BaseMessage]] = []

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        """Return the same model: the calls are scripted."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def scripted(*steps: Step) -> ScriptedModel:
    """Return a model with these steps: a call, parallel calls, or a text."""
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
    """Lists the files of the project."""
    return lambda: sorted(path.name for path in project.iterdir())


def intents(workspace: Workspace) -> list[str]:
    """Return the intents of all checkpoints, oldest first."""
    return [one.labels.intent for one in reversed(workspace.log().checkpoints)]


def failed(workspace: Workspace) -> list[str]:
    """Return the failures recorded in the checkpoints, oldest first."""
    every = [dict(one.labels.meta).get("failed", "") for one in workspace.log().checkpoints]
    return [one for one in reversed(every) if one]
