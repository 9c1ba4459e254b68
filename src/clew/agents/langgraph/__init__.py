"""LangGraph checkpointer whose checkpoints include the workspace's files; see docs/langgraph.md.

    saver = ClewSaver("/path/to/project")
    graph = with_files(builder.compile(checkpointer=saver))

LangGraph is imported only in this package.
"""

from __future__ import annotations

from clew.agents.langgraph.graph_wrapper import with_files
from clew.agents.langgraph.saver import ClewSaver

__all__ = ["ClewSaver", "with_files"]
