"""A LangGraph agent with a scripted model and a tool that edits files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import clew
from clew.agents.langgraph import ClewSaver, with_files
from tests.agents_libraries.langgraph.writing import files, thread


def call(name: str, text: str) -> AIMessage:
    """The model asks for a file to be written."""
    asked = {"name": "write_file", "args": {"name": name, "text": text}, "id": f"{name} {text}"}
    return AIMessage("", tool_calls=[asked])


def agent(project: Path, saver: ClewSaver, script: Iterator[AIMessage | str]) -> Any:
    @tool
    def write_file(name: str, text: str) -> str:
        """Write a file."""
        (project / name).write_text(text)
        return f"wrote {name}"

    model = GenericFakeChatModel(messages=script)

    def think(state: MessagesState) -> dict[str, Sequence[BaseMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    building: Any = StateGraph(MessagesState)
    building.add_node("model", think)
    building.add_node("tools", ToolNode([write_file]))
    building.add_edge(START, "model")
    building.add_conditional_edges("model", tools_condition)
    building.add_edge("tools", "model")
    return with_files(building.compile(checkpointer=saver))


@pytest.fixture
def said() -> list[AIMessage | str]:
    return [
        call("a.txt", "one"), call("a.txt", "two"), "done",
        call("a.txt", "other"), call("b.txt", "more"), "done differently",
    ]  # fmt: skip


def test_an_agent_goes_back_one_step_and_another_way_and_all_of_it_can_be_undone(
    saver: ClewSaver, workspace: clew.Workspace, project: Path, said: list[AIMessage | str]
) -> None:
    graph = agent(project, saver, iter(said))
    graph.invoke({"messages": ["write something"]}, thread())
    assert files(project) == {"a.txt": "two", "notes.txt": "begin\n"}

    states = [state for state in graph.get_state_history(thread()) if state.next == ("model",)]
    after_the_first_call = states[1]
    saver.go_to(after_the_first_call.config)
    assert files(project) == {"a.txt": "one", "notes.txt": "begin\n"}

    graph.invoke(None, after_the_first_call.config)
    assert files(project) == {"a.txt": "other", "b.txt": "more", "notes.txt": "begin\n"}
    assert graph.get_state(thread()).values["messages"][-1].content == "done differently"

    kept = states[0].metadata["clew_checkpoint"]
    workspace.restore(kept)
    assert files(project) == {"a.txt": "two", "notes.txt": "begin\n"}
    workspace.undo()
    assert files(project) == {"a.txt": "other", "b.txt": "more", "notes.txt": "begin\n"}


def test_a_graph_inside_a_graph_has_checkpoints_of_its_own(
    saver: ClewSaver, workspace: clew.Workspace, project: Path
) -> None:
    def write(name: str) -> Any:
        def run(state: MessagesState) -> dict[str, list[Any]]:
            (project / name).write_text(name)
            return {"messages": [AIMessage(name)]}

        return run

    inner: Any = StateGraph(MessagesState)
    inner.add_node("first", write("first.txt"))
    inner.add_node("second", write("second.txt"))
    inner.add_edge(START, "first")
    inner.add_edge("first", "second")
    outer: Any = StateGraph(MessagesState)
    outer.add_node("inner", inner.compile())
    outer.add_node("last", write("last.txt"))
    outer.add_edge(START, "inner")
    outer.add_edge("inner", "last")
    graph = with_files(outer.compile(checkpointer=saver))
    graph.invoke({"messages": ["go"]}, thread())

    found = [one for one in saver.list(thread()) if one.config["configurable"]["checkpoint_ns"]]
    middle = next(one for one in found if one.metadata["step"] == 1)
    saver.go_to(middle.config)
    assert files(project) == {"first.txt": "first.txt", "notes.txt": "begin\n"}

    graph.invoke({"messages": ["and on"]}, thread())
    kept = [one.metadata for one in graph.get_state_history(thread())]
    start = next(one for one in kept if one["source"] == "input")["clew_checkpoint"]
    names = [entry.name for entry in workspace.ls(start).entries]
    assert names == [b"first.txt", b"last.txt", b"notes.txt", b"second.txt"]
