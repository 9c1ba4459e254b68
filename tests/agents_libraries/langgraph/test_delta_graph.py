"""A graph with a delta channel: run, pruned and set back."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

import clew
from clew.agents.langgraph import ClewSaver
from tests.agents_libraries.langgraph.writing import thread


def joined(state: list[str], writes: Any) -> list[str]:
    return [*state, *(word for write in writes for word in write)]


class State(TypedDict):
    """What the graph knows."""

    words: Annotated[list[str], DeltaChannel(joined, snapshot_frequency=3)]


def graph_with(saver: Any) -> Any:
    building: Any = StateGraph(State)
    building.add_node("left", lambda state: {"words": [f"left {len(state['words'])}"]})
    building.add_node("right", lambda state: {"words": [f"right {len(state['words'])}"]})
    building.add_edge(START, "left")
    building.add_edge(START, "right")
    return building.compile(checkpointer=saver)


@pytest.fixture
def ours(workspace: clew.Workspace) -> Any:
    with ClewSaver(workspace, files=False) as saver:
        yield saver


def run(saver: Any) -> Any:
    graph = graph_with(saver)
    for number in range(4):
        graph.invoke({"words": [f"in {number}"]}, thread())
    return graph


def test_each_state_is_what_the_librarys_own_saver_gives(ours: ClewSaver) -> None:
    found, wanted = (
        [state.values for state in run(saver).get_state_history(thread())]
        for saver in (ours, InMemorySaver())
    )

    assert found == wanted
    assert len(found[0]["words"]) == 12


def test_pruning_takes_nothing_from_the_newest_state(ours: ClewSaver) -> None:
    graph = run(ours)
    known = graph.get_state(thread()).values
    count = len(list(ours.list(thread())))

    ours.prune(["one"])

    assert graph.get_state(thread()).values == known
    assert len(list(ours.list(thread()))) < count
