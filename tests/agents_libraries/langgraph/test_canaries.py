"""Secrets in thread names of a graph reach no label."""

from __future__ import annotations

from pathlib import Path

import clew
from clew.agents.langgraph import ClewSaver
from tests.agents_libraries.langgraph.writing import compiled, thread
from tests.kit.canaries import Canaries, rows_of


def test_no_label_of_a_graph_holds_a_secret(
    project: Path, saver: ClewSaver, workspace: clew.Workspace, tmp_path: Path
) -> None:
    canaries = Canaries()
    graph = compiled(project, saver)
    config = {**thread(canaries.typed("thread")), "metadata": {"why": canaries.typed("metadata")}}
    graph.invoke({"words": ["a"]}, config)
    log = workspace.log()

    assert len(log.checkpoints) > 1
    assert canaries.found_in(repr(log), rows_of(tmp_path / "store")) == {}
    # The graph's memory is given back as it was, and is in a database of its own.
    assert "metadata" in canaries.found_in(repr(graph.get_state(config).metadata)).values()
