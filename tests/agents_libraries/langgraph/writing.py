"""A graph of three nodes, each of which adds a line and a file."""

from __future__ import annotations

from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from clew.agents.langgraph import ClewSaver, with_files

NODES = ("plan", "code", "test")


class State(TypedDict):
    """The state of the graph."""

    words: Annotated[list[str], add]


def builder(project: Path) -> StateGraph[Any, Any, Any, Any]:
    """Return the graph; each node adds to its state and to the files."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    for name in NODES:
        graph.add_node(name, node(project, name))
    for one, next_one in zip((START, *NODES), (*NODES, END), strict=True):
        graph.add_edge(one, next_one)
    return graph


def node(project: Path, name: str) -> Any:
    def run(state: State) -> dict[str, list[str]]:
        word = f"{name} {state['words'][0]}"
        (project / f"{name}.txt").write_text(word)
        with (project / "notes.txt").open("a") as notes:
            notes.write(word + "\n")
        return {"words": [word]}

    return run


def compiled(project: Path, saver: ClewSaver) -> Any:
    return with_files(builder(project).compile(checkpointer=saver))


def thread(name: str = "one") -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


def before(graph: Any, name: str, config: RunnableConfig | None = None) -> Any:
    """Return the newest state of a thread from which `name` runs next."""
    states = graph.get_state_history(config or thread())
    return next(state for state in states if state.next == (name,))


def files(project: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in sorted(project.iterdir())}


def at(*nodes: str, word: str = "a") -> dict[str, str]:
    """Return the expected files after some nodes."""
    notes = "begin\n" + "".join(f"{name} {word}\n" for name in nodes)
    own = {f"{name}.txt": f"{name} {word}" for name in nodes}
    return dict(sorted({**own, "notes.txt": notes}.items()))
