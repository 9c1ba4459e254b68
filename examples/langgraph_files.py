"""An agent in LangGraph writes files, is taken back one step, and goes another way.

    python examples/langgraph_files.py

The graph's checkpoints and the files are kept together, so going back in the graph takes the files
along.  The model is a script, and everything happens in a temporary directory with a store of its
own.  Each claim (✓) is checked, and one that does not hold ends the example with exit code 1.
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
    """What the example promises does not hold."""


# The agent


def wants(name: str, text: str) -> AIMessage:
    """The model asks for a file to be written."""
    asked = {"name": "write_file", "args": {"name": name, "text": text}, "id": f"{name}: {text}"}
    return AIMessage("", tool_calls=[asked])


SCRIPT = (
    wants("shop.py", "price = 1\n"),
    wants("shop.py", "price = 'one'\n"),
    "The price is a text now.",
    # and after it was taken back:
    wants("tax.py", "rate = 0.2\n"),
    "The price has a tax now.",
)


def agent(project: Path, saver: ClewSaver) -> Any:
    """Return a model that calls a tool until it is done."""

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


# What happens to it


def play(place: Path) -> None:
    """Run the agent, take it back a step, and let it go another way."""
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
        claim("both edits were made", files(project) == both_edits)

        print("\nSomebody looks at the past")
        asked = [one for one in graph.get_state_history(THREAD) if one.next == ("model",)]
        after_the_first_edit = asked[1]
        claim("looking changed nothing", files(project) == both_edits)
        print("  clew checkpoint:", after_the_first_edit.metadata["clew_checkpoint"][:12])

        print("\nThe graph runs from there, and the model has another idea")
        graph.invoke(None, after_the_first_edit.config)
        claim(
            "the second edit is gone, and the new one is there",
            files(project) == ["README", "shop.py: price = 1", "tax.py: rate = 0.2"],
        )

        print("\nThe timeline")
        for one in workspace.log().checkpoints:
            print("  ", one.id.hex()[:8], one.labels.intent)
        workspace.restore(asked[0].metadata["clew_checkpoint"])
        claim("the way that was left is still there", files(project) == both_edits)
        workspace.undo()
        claim("and undo comes back from it", len(files(project)) == 3)


def files(project: Path) -> list[str]:
    """Return the files with what is in them; of the README the name will do."""
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
