"""Files of graph checkpoints: saved at each step, restored when a run goes back or forks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command, interrupt

import clew
from clew.agents.langgraph import ClewSaver, with_files
from clew.errors import BadOption, UnknownReference
from tests.agents_libraries.langgraph.writing import (
    State,
    at,
    before,
    builder,
    compiled,
    files,
    thread,
)

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def graph(project: Path, saver: ClewSaver) -> Any:
    """A graph that has run once, to its end."""
    graph = compiled(project, saver)
    graph.invoke({"words": ["a"]}, thread())
    return graph


# What is kept


def test_each_step_names_a_checkpoint_with_the_files_of_its_moment(
    graph: Any, workspace: clew.Workspace, project: Path
) -> None:
    kept = {
        state.next: b"".join(
            workspace.cat(state.metadata["clew_checkpoint"], str(project / "notes.txt"))
        )
        for state in graph.get_state_history(thread())
    }

    assert kept == {
        ("__start__",): b"begin\n",
        ("plan",): b"begin\n",
        ("code",): b"begin\nplan a\n",
        ("test",): b"begin\nplan a\ncode a\n",
        (): b"begin\nplan a\ncode a\ntest a\n",
    }


def test_steps_that_changed_no_file_name_the_checkpoint_that_is_there(
    saver: ClewSaver, project: Path, workspace: clew.Workspace
) -> None:
    graph = compiled(project, saver)
    graph.invoke({"words": ["a"]}, thread())
    known = len(workspace.log().checkpoints)
    for name in ("plan.txt", "code.txt", "test.txt", "notes.txt"):
        (project / name).unlink()
    graph.update_state(thread(), {"words": ["b"]}, as_node="test")
    newest = graph.get_state(thread())

    assert newest.metadata["clew_checkpoint"] == newest_but_one(graph).metadata["clew_checkpoint"]
    assert len(workspace.log().checkpoints) == known


def newest_but_one(graph: Any) -> Any:
    return list(graph.get_state_history(thread()))[1]


def test_the_timeline_says_which_nodes_ran(graph: Any, workspace: clew.Workspace) -> None:
    intents = [one.labels.intent for one in workspace.log().checkpoints]

    assert intents == [
        "Graph step 3: test",
        "Graph step 2: code",
        "Graph step 1: plan",
        "Before a run of the graph",
    ]


def test_without_files_nothing_is_captured(workspace: clew.Workspace, project: Path) -> None:
    with ClewSaver(workspace, files=False) as saver:
        graph = compiled(project, saver)
        graph.invoke({"words": ["a"]}, thread())

        assert "clew_checkpoint" not in graph.get_state(thread()).metadata
        assert list(workspace.log().checkpoints) == []


def test_nobody_else_can_say_which_files_a_step_has(saver: ClewSaver, project: Path) -> None:
    graph = compiled(project, saver)
    graph.invoke({"words": ["a"]}, {**thread(), "metadata": {"clew_checkpoint": "f" * 64}})

    kept = {state.metadata["clew_checkpoint"] for state in graph.get_state_history(thread())}
    assert "f" * 64 not in kept


def test_a_graph_goes_on_when_its_files_cannot_be_kept(
    saver: ClewSaver, workspace: clew.Workspace, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def remove(state: State) -> dict[str, list[str]]:
        (project / "notes.txt").unlink()
        project.rmdir()
        return {"words": ["gone"]}

    from langgraph.graph import START, StateGraph

    building: Any = StateGraph(State)
    building.add_node("remove", remove)
    building.add_edge(START, "remove")
    graph = with_files(building.compile(checkpointer=saver))

    assert graph.invoke({"words": ["a"]}, thread()) == {"words": ["a", "gone"]}
    assert "clew_checkpoint" not in graph.get_state(thread()).metadata
    assert "were not saved" in caplog.text
    project.mkdir()
    with pytest.raises(UnknownReference):
        saver.go_to(thread())


def test_a_graph_that_does_not_follow_keeps_files_all_the_same(
    saver: ClewSaver, workspace: clew.Workspace, project: Path
) -> None:
    graph = builder(project).compile(checkpointer=saver)
    graph.invoke({"words": ["a"]}, thread(), durability="sync")
    old = before(graph, "code")

    graph.invoke(None, old.config, durability="sync")

    assert (project / "notes.txt").read_text().endswith("test a\ncode a\ntest a\n")
    saver.go_to(old.config)
    assert files(project) == at("plan")


# Going back


def test_looking_at_the_past_changes_no_file(graph: Any, saver: ClewSaver, project: Path) -> None:
    old = before(graph, "code")
    graph.get_state(old.config)
    list(saver.list(old.config))
    saver.get_tuple(old.config)

    assert files(project) == at("plan", "code", "test")


def test_a_run_from_an_earlier_checkpoint_starts_with_its_files(graph: Any, project: Path) -> None:
    (project / "scratch.txt").write_text("made meanwhile")

    graph.invoke(None, before(graph, "test").config)

    assert files(project) == at("plan", "code", "test")


def test_going_back_can_be_undone(
    graph: Any, saver: ClewSaver, workspace: clew.Workspace, project: Path
) -> None:
    (project / "scratch.txt").write_text("made meanwhile")

    result = saver.go_to(before(graph, "code").config)
    assert files(project) == at("plan")
    assert result.rescue is not None
    workspace.undo()

    assert files(project) == {**at("plan", "code", "test"), "scratch.txt": "made meanwhile"}


def test_a_fork_by_update_state_takes_the_files_of_where_it_leaves(
    graph: Any, project: Path
) -> None:
    old = before(graph, "code")
    forked = graph.update_state(old.config, {"words": ["other"]})

    assert files(project) == at("plan", "code", "test")  # nothing runs yet
    seen = graph.get_state(forked).metadata["clew_checkpoint"]
    assert seen == old.metadata["clew_checkpoint"]
    graph.invoke(None, forked)
    assert files(project) == at("plan", "code", "test")
    notes = graph.get_state(thread()).values["words"]
    assert notes == ["a", "plan a", "other", "code a", "test a"]


def test_a_fork_goes_on_from_its_own_files_without_being_named(graph: Any, project: Path) -> None:
    graph.update_state(before(graph, "code").config, {"words": ["other"]})
    (project / "code.txt").write_text("scribbled")

    graph.invoke(None, thread())

    assert files(project) == at("plan", "code", "test")


@pytest.mark.parametrize("name", ["plan", "code", "test"])
def test_a_copy_of_an_earlier_checkpoint_has_its_files(
    graph: Any, project: Path, name: str
) -> None:
    old = before(graph, name)
    copied = graph.update_state(old.config, None, as_node="__copy__")

    seen = graph.get_state(copied).metadata
    assert seen["clew_checkpoint"] == old.metadata["clew_checkpoint"]
    graph.invoke(None, thread())
    assert files(project) == at("plan", "code", "test")


def test_new_input_at_an_earlier_checkpoint_starts_with_its_files(
    graph: Any, project: Path
) -> None:
    graph.invoke({"words": ["b"]}, before(graph, "code").config)

    assert (project / "notes.txt").read_text() == "begin\nplan a\nplan a\ncode a\ntest a\n"


def test_a_run_that_goes_on_keeps_what_a_person_did_meanwhile(graph: Any, project: Path) -> None:
    (project / "mine.txt").write_text("mine")

    graph.invoke({"words": ["b"]}, thread())

    assert (project / "mine.txt").read_text() == "mine"
    first = before(graph, "plan").metadata["clew_checkpoint"]
    assert first != before(graph, "code").metadata["clew_checkpoint"]


def test_what_a_person_did_meanwhile_is_a_checkpoint_of_its_own(
    graph: Any, workspace: clew.Workspace, project: Path
) -> None:
    (project / "mine.txt").write_text("mine")
    graph.invoke({"words": ["b"]}, thread())

    kept = before(graph, "plan").metadata["clew_checkpoint"]
    assert b"".join(workspace.cat(kept, str(project / "mine.txt"))) == b"mine"
    assert workspace.show(kept).checkpoint.labels.intent == "Before a run of the graph"


def test_an_answer_to_an_interrupt_leaves_the_files_alone(saver: ClewSaver, project: Path) -> None:
    def ask(state: State) -> dict[str, list[str]]:
        (project / "asked.txt").write_text("half done")
        return {"words": [interrupt("which?")]}

    building = builder(project)
    building.add_node("ask", ask)
    building.add_edge("code", "ask")
    graph = with_files(building.compile(checkpointer=saver))
    graph.invoke({"words": ["a"]}, thread())
    (project / "answer.txt").write_text("by hand")
    head = graph.get_state(thread()).config

    graph.invoke(Command(resume="this"), head)

    assert (project / "answer.txt").read_text() == "by hand"
    assert "this" in graph.get_state(thread()).values["words"]


def test_files_follow_an_asynchronous_run(saver: ClewSaver, project: Path) -> None:
    graph = compiled(project, saver)

    async def play() -> None:
        await graph.ainvoke({"words": ["a"]}, thread())
        (project / "scratch.txt").write_text("made meanwhile")
        states = [state async for state in graph.aget_state_history(thread())]
        config = next(state.config for state in states if state.next == ("code",))
        async for _ in graph.astream(None, config):
            pass

    asyncio.run(play())

    assert files(project) == at("plan", "code", "test")


def test_what_is_edited_after_going_somewhere_is_there_when_it_runs_from_there(
    graph: Any, saver: ClewSaver, project: Path
) -> None:
    old = before(graph, "code").config
    asyncio.run(saver.ago_to(old))
    (project / "mine.txt").write_text("mine")

    graph.invoke(None, old)

    assert files(project) == dict(
        sorted({**at("plan", "code", "test"), "mine.txt": "mine"}.items())
    )


def test_files_that_no_checkpoint_holds_any_more_are_refused_before_a_node_runs(
    graph: Any, workspace: clew.Workspace, project: Path
) -> None:
    old = before(graph, "code")
    workspace.delete([old.metadata["clew_checkpoint"]])

    with pytest.raises(UnknownReference):
        graph.invoke(None, old.config)

    assert files(project) == at("plan", "code", "test")


def test_a_thread_that_was_copied_goes_back_by_itself(
    graph: Any, saver: ClewSaver, project: Path
) -> None:
    saver.copy_thread("one", "two")
    graph.invoke({"words": ["b"]}, thread("two"))
    assert (project / "notes.txt").read_text().endswith("test a\nplan a\ncode a\ntest a\n")

    graph.invoke(None, before(graph, "test", thread("one")).config)
    assert files(project) == at("plan", "code", "test")


def test_only_a_graph_with_our_saver_can_take_files_along(project: Path) -> None:
    with pytest.raises(BadOption, match="ClewSaver"):
        with_files(builder(project).compile())


def test_a_saver_without_files_has_nowhere_to_go(workspace: clew.Workspace) -> None:
    with (
        ClewSaver(workspace, files=False) as saver,
        pytest.raises(BadOption, match="created with files=False"),
    ):
        saver.go_to(thread())


def test_a_step_is_kept_before_the_next_one_writes(
    saver: ClewSaver, workspace: clew.Workspace, project: Path
) -> None:
    """Ten steps that each write at once: none is in the checkpoint of the one before."""
    from langgraph.graph import START, StateGraph

    def write(state: State) -> dict[str, list[str]]:
        (project / "count.txt").write_text(str(len(state["words"])))
        return {"words": ["x"]}

    building: Any = StateGraph(State)
    building.add_node("write", write)
    building.add_edge(START, "write")
    building.add_conditional_edges(
        "write", lambda state: "write" if len(state["words"]) < 11 else "__end__"
    )
    graph = with_files(building.compile(checkpointer=saver))
    graph.invoke({"words": ["a"]}, thread())

    for state in graph.get_state_history(thread()):
        steps = len(state.values["words"])
        if steps > 1:
            kept = workspace.cat(state.metadata["clew_checkpoint"], str(project / "count.txt"))
            assert b"".join(kept) == str(steps - 1).encode()
