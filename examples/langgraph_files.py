"""A LangGraph agent writes files, is set back one step, and continues differently.

    python examples/langgraph_files.py

The graph's checkpoints and the files are stored together, so a run from an earlier graph checkpoint
restores the files.  The model is scripted, and everything runs in a temporary directory with its own
store.  Each claim (✓) is checked, and a failed claim ends the example with exit code 1.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import clew
from clew.agents.langgraph import ClewSaver, with_files

THREAD: RunnableConfig = {"configurable": {"thread_id": "shop"}}


class ClaimFailed(Exception):
    """A claim of the example does not hold."""


# The agent


def wants(name: str, text: str) -> AIMessage:
    """Return a message in which the model calls `write_file`."""
    asked = {"name": "write_file", "args": {"name": name, "text": text}, "id": f"{name}: {text}"}
    return AIMessage("", tool_calls=[asked])


SCRIPT = (
    wants("shop.py", "price = 1\n"),
    wants("shop.py", "price = 'one'\n"),
    "The price is a text now.",
    # after the restore:
    wants("tax.py", "rate = 0.2\n"),
    "The price has a tax now.",
)


def agent(project: Path, saver: ClewSaver) -> Any:
    """Return a graph in which a model calls a tool until it is done."""

    @tool
    def write_file(name: str, text: str) -> str:
        """Write a file of the project."""
        (project / name).write_text(text)
        return f"wrote {name}"

    model = GenericFakeChatModel(messages=iter(SCRIPT))

    def think(state: MessagesState) -> dict[str, Sequence[BaseMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    graph: Any = StateGraph(MessagesState)
    graph.add_node("model", think)
    graph.add_node("tools", ToolNode([write_file]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return with_files(graph.compile(checkpointer=saver))


# The scenario


def play(place: Path) -> None:
    """Run the agent, set it back one step, and run it again."""
    project = place / "project"
    project.mkdir()
    (project / "README").write_text("A shop.\n")
    with (
        clew.open(project, store=place / "store", create=True) as workspace,
        ClewSaver(workspace) as saver,
    ):
        graph, both_edits = agent(project, saver), ["README", "shop.py: price = 'one'"]
        print("\nThe agent works")
        graph.invoke({"messages": ["Write a shop."]}, THREAD)
        claim("the agent made both edits", files(project) == both_edits)

        print("\nThe history is read")
        asked = [one for one in graph.get_state_history(THREAD) if one.next == ("model",)]
        after_the_first_edit = asked[1]
        claim("reading changed no file", files(project) == both_edits)
        print("  clew checkpoint:", after_the_first_edit.metadata["clew_checkpoint"][:12])

        print("\nThe graph runs from an earlier checkpoint, and the model decides differently")
        graph.invoke(None, after_the_first_edit.config)
        claim(
            "the second edit is reverted, and the new one is made",
            files(project) == ["README", "shop.py: price = 1", "tax.py: rate = 0.2"],
        )

        print("\nThe timeline")
        for one in workspace.log().checkpoints:
            print("  ", one.id.hex()[:8], one.labels.intent)
        workspace.restore(asked[0].metadata["clew_checkpoint"])
        claim("the abandoned branch can be restored", files(project) == both_edits)
        workspace.undo()
        claim("undo reverts that restore", len(files(project)) == 3)


def files(project: Path) -> list[str]:
    """Return the names and contents of the files; of the README only the name."""
    found = sorted(project.iterdir())
    return [f"{one.name}: {one.read_text().strip()}" if one.suffix else one.name for one in found]


def claim(what: str, holds: bool) -> None:
    if not holds:
        raise ClaimFailed(what)
    print("  ✓", what)


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        try:
            play(Path(place))
        except ClaimFailed as failed:
            print(f"  ✗ {failed}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
