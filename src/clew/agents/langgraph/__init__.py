"""LangGraph: a checkpointer whose checkpoints also hold the workspace; see docs/langgraph.md.

    saver = ClewSaver("/path/to/project")
    graph = with_files(builder.compile(checkpointer=saver))

The library is imported here and nowhere else in clew.
"""

from __future__ import annotations

from clew.agents.langgraph.following import with_files
from clew.agents.langgraph.saver import ClewSaver

__all__ = ["ClewSaver", "with_files"]
