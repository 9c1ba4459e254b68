"""The saver returns what was stored: all serialisers, concurrent use, and after a crash."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

import clew
from clew.agents.langgraph import ClewSaver
from clew.agents.langgraph.files import CLEW_CHECKPOINT
from clew.errors import BadOption, StoreDamaged
from clew.store.database import Database
from clew.store.graphs import graphs_path
from clew.store.layout import Layout
from tests.agents_libraries.langgraph.graph_checkpoints import LOOP, at, checkpoint, put
from tests.kit.running import SOURCE

ROOT = SOURCE.parent


@pytest.fixture
def bare(workspace: clew.Workspace) -> Any:
    """A saver that keeps no files."""
    with ClewSaver(workspace, files=False) as saver:
        yield saver


def database_path(workspace: clew.Workspace) -> str:
    return graphs_path(Layout(workspace.store.path), workspace.info.uuid)


def change(workspace: clew.Workspace, sql: str) -> None:
    """Do something to the rows that no saver would."""
    database = Database(database_path(workspace))
    database.execute(sql)
    database.close()


def count(workspace: clew.Workspace, table: str) -> int:
    database = Database(database_path(workspace))
    rows = database.execute(f"SELECT count(*) FROM {table}")
    database.close()
    return int(rows[0][0])


# What is kept


def test_only_the_owner_can_read_what_a_graph_remembers(
    bare: ClewSaver, workspace: clew.Workspace
) -> None:
    put(bare, "one", "1", secret="hunter2")
    place = Path(database_path(workspace))
    names = [place, Path(f"{place}-wal"), Path(f"{place}-shm")]

    assert [oct(stat.S_IMODE(name.stat().st_mode)) for name in names] == ["0o600"] * 3
    assert oct(stat.S_IMODE(place.parent.stat().st_mode)) == "0o700"


def test_a_thread_that_was_deleted_leaves_no_byte(
    bare: ClewSaver, workspace: clew.Workspace
) -> None:
    config = put(bare, "one", "1", secret="a-secret-of-the-thread")
    bare.put_writes(config, [("secret", "another-secret-of-it")], "task")
    bare.delete_thread("one")

    place = database_path(workspace)
    left = b"".join(Path(place + side).read_bytes() for side in ("", "-wal"))
    assert b"secret-of" not in left


def test_a_value_that_stays_the_same_is_kept_once(
    bare: ClewSaver, workspace: clew.Workspace
) -> None:
    for number in range(20):
        put(bare, "one", f"{number:02}", same="x" * 1000, other=number)

    assert count(workspace, "contents") == 21


def test_a_path_becomes_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    place = tmp_path / "fresh"
    place.mkdir()
    with ClewSaver(place) as saver:
        put(saver, "one", "1", words=["a"])

    with ClewSaver(str(place)) as saver:
        found = saver.get_tuple(at("one"))
        assert found is not None
        assert found.checkpoint["channel_values"] == {"words": ["a"]}


def test_workspaces_of_one_store_know_nothing_of_each_others_threads(
    bare: ClewSaver, tmp_path: Path
) -> None:
    put(bare, "one", "1", words=["a"])
    (tmp_path / "other").mkdir()
    with (
        clew.open(tmp_path / "other", store=tmp_path / "store", create=True) as other,
        ClewSaver(other) as saver,
    ):
        assert saver.get_tuple(at("one")) is None


def test_writes_come_back_in_the_order_in_which_they_are_applied(bare: ClewSaver) -> None:
    config = put(bare, "one", "1")
    bare.put_writes(config, [("a", "second")], "task-1", "path-2")
    bare.put_writes(config, [("a", "first"), ("a", "then")], "task-2", "path-1")

    found = bare.get_tuple(config)
    assert found is not None
    assert [value for _, _, value in found.pending_writes or ()] == ["first", "then", "second"]


# Bytes are not trusted


def test_a_kind_that_nobody_knows_is_refused(bare: ClewSaver, workspace: clew.Workspace) -> None:
    put(bare, "one", "1", words=["a"])
    change(workspace, "UPDATE contents SET kind = 'made-up'")

    with pytest.raises(StoreDamaged, match="made-up"):
        bare.get_tuple(at("one"))


def test_what_was_pickled_is_never_read(bare: ClewSaver, workspace: clew.Workspace) -> None:
    put(bare, "one", "1", words=["a"])
    change(workspace, "UPDATE contents SET kind = 'pickle', content = x'80042e'")

    with pytest.raises(StoreDamaged, match="pickle"):
        bare.get_tuple(at("one"))


def test_a_serialiser_that_was_told_to_reads_what_it_pickled(workspace: clew.Workspace) -> None:
    with ClewSaver(workspace, files=False, serde=JsonPlusSerializer(pickle_fallback=True)) as saver:
        put(saver, "one", "1", odd=range(3).__class__)

        found = saver.get_tuple(at("one"))
        assert found is not None
        assert found.checkpoint["channel_values"]["odd"] is range


def test_bytes_that_make_no_sense_are_damage(bare: ClewSaver, workspace: clew.Workspace) -> None:
    put(bare, "one", "1", words=["a"])
    change(workspace, "UPDATE moments SET body = x'c1c1'")

    with pytest.raises(StoreDamaged):
        bare.get_tuple(at("one"))


def test_parents_that_go_round_end_somewhere(bare: ClewSaver, workspace: clew.Workspace) -> None:
    put(bare, "one", "1")
    put(bare, "one", "2", parent="1")
    change(workspace, "UPDATE moments SET parent = '2' WHERE id = '1'")

    found = bare.get_delta_channel_history(config=at("one", "2"), channels=["a"])
    assert found["a"] == {"writes": []}


def test_a_newer_memory_is_refused(workspace: clew.Workspace) -> None:
    ClewSaver(workspace, files=False).close()
    change(workspace, "PRAGMA user_version = 99")

    with pytest.raises(StoreDamaged, match="unknown version"):
        ClewSaver(workspace, files=False)


def test_a_flipped_bit_is_found_by_check(bare: ClewSaver, workspace: clew.Workspace) -> None:
    put(bare, "one", "1", words=["x" * 20_000])
    bare.close()
    place = Path(database_path(workspace))
    content = bytearray(place.read_bytes())
    content[-5000] ^= 4
    place.write_bytes(content)

    found = workspace.store.check()

    assert [damage.location.split(",")[0] for damage in found.damages] == [f"graphs/{place.name}"]


def test_a_rebuild_of_the_catalogue_leaves_what_graphs_remember(
    project: Path, tmp_path: Path
) -> None:
    with (
        clew.open(project, store=tmp_path / "store", create=True) as workspace,
        ClewSaver(workspace) as saver,
    ):
        put(saver, "one", "1", words=["a"])
    clew.check_store(tmp_path / "store", rebuild=True)

    (project / "notes.txt").write_text("changed since")
    with (
        clew.open(project, store=tmp_path / "store") as workspace,
        ClewSaver(workspace) as saver,
    ):
        found = saver.get_tuple(at("one"))
        assert found is not None
        assert found.checkpoint["channel_values"] == {"words": ["a"]}
        saver.go_to(at("one"))
    assert (project / "notes.txt").read_text() == "begin\n"


def test_a_configuration_without_a_thread_is_refused(bare: ClewSaver) -> None:
    with pytest.raises(BadOption, match="thread_id"):
        bare.get_tuple({"configurable": {}})
    with pytest.raises(BadOption, match="checkpoint_id"):
        bare.put_writes(at("one"), [("a", 1)], "task")
    with pytest.raises(BadOption, match="strategy"):
        bare.prune(["one"], strategy="all of them")


# Delta channels


def delta_thread(saver: ClewSaver) -> None:
    """Four moments: the channel is kept whole at the second, and only written to since."""
    put(saver, "one", "1", log=["zero"])
    put(saver, "one", "2", parent="1", log=["seed"])
    for number, parent in (("3", "2"), ("4", "3")):
        saver.put_writes(at("one", parent), [("log", [f"to {number}"])], f"task {number}")
        said = {"counters_since_delta_snapshot": {"log": (1, 1)}}
        put(saver, "one", number, parent=parent, metadata=said)


def test_what_a_delta_channel_holds_is_what_the_library_itself_would_find(bare: ClewSaver) -> None:
    delta_thread(bare)
    asked: dict[str, Any] = {"config": at("one", "4"), "channels": ["log", "none"]}

    found = bare.get_delta_channel_history(**asked)

    assert found["log"]["seed"] == ["seed"]
    assert [value for _, _, value in found["log"]["writes"]] == [["to 3"], ["to 4"]]
    assert found == BaseCheckpointSaver.get_delta_channel_history(bare, **asked)
    assert found == asyncio.run(bare.aget_delta_channel_history(**asked))


def test_pruning_keeps_what_a_delta_channel_is_told_from(bare: ClewSaver) -> None:
    delta_thread(bare)
    asked: dict[str, Any] = {"config": at("one", "4"), "channels": ["log"]}
    known = bare.get_delta_channel_history(**asked)

    bare.prune(["one"])

    assert [found.checkpoint["id"] for found in bare.list(at("one"))] == ["4", "3", "2"]
    assert bare.get_delta_channel_history(**asked) == known


# Several at once


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can."""
    known = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(known)


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize(("files", "steps"), [(True, 4), (False, 40)])
def test_threads_that_put_at_once_lose_nothing(
    workspace: clew.Workspace, files: bool, steps: int
) -> None:
    def work(name: str) -> None:
        parent = None
        for number in range(steps):
            config = put(saver, name, f"{number:02}", parent=parent, words=[name, number])
            saver.put_writes(config, [("words", number)], f"task {number}")
            parent = f"{number:02}"

    names = [f"thread {number}" for number in range(4)]
    with ClewSaver(workspace, files=files) as saver, ThreadPoolExecutor(4) as pool:
        list(pool.map(work, names))

        for name in names:
            found = list(saver.list(at(name)))
            assert [one.checkpoint["channel_values"]["words"] for one in found] == [
                [name, number] for number in reversed(range(steps))
            ]
            assert all(one.pending_writes for one in found)
            assert all((CLEW_CHECKPOINT in one.metadata) == files for one in found)


def test_tasks_that_put_at_once_lose_nothing(saver: ClewSaver) -> None:
    async def work(number: int) -> None:
        config = await saver.aput(at("one"), checkpoint(f"{number:02}", words=[number]), LOOP, {})
        await saver.aput_writes(config, [("words", number)], "task")

    async def all_of_them() -> list[Any]:
        await asyncio.gather(*(work(number) for number in range(20)))
        return [found async for found in saver.alist(at("one"))]

    found = asyncio.run(all_of_them())

    assert [one.checkpoint["channel_values"]["words"] for one in found] == [
        [number] for number in reversed(range(20))
    ]
    assert all(one.pending_writes for one in found)


def test_two_savers_in_one_workspace_see_each_other(
    saver: ClewSaver, workspace: clew.Workspace, project: Path, tmp_path: Path
) -> None:
    with (
        clew.open(project, store=tmp_path / "store") as again,
        ClewSaver(again) as other,
    ):
        put(saver, "one", "1", words=["a"])
        put(other, "one", "2", parent="1", words=["b"])

        assert [one.checkpoint["id"] for one in saver.list(at("one"))] == ["2", "1"]
        assert [one.checkpoint["id"] for one in other.list(at("one"))] == ["2", "1"]


WRITER = """
import sys
import clew
from clew.agents.langgraph import ClewSaver
from tests.agents_libraries.langgraph.graph_checkpoints import put

project, store = sys.argv[1:]
saver = ClewSaver(clew.open(project, store=store))
parent, number = None, 0
while True:
    config = put(saver, "one", f"{number:06}", parent=parent, words=[number])
    print("put", number, flush=True)
    saver.put_writes(config, [("words", number)], "task")
    print("writes", number, flush=True)
    parent, number = f"{number:06}", number + 1
"""


@pytest.mark.parametrize("last", ["put 2", "writes 2"])
def test_what_was_acknowledged_survives_a_kill(
    saver: ClewSaver, project: Path, tmp_path: Path, last: str
) -> None:
    words = [sys.executable, "-c", WRITER, str(project), str(tmp_path / "store")]
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}"}
    acknowledged: list[str] = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None
        for line in child.stdout:
            acknowledged.append(line.strip())
            if acknowledged[-1] == last:
                break
        child.send_signal(signal.SIGKILL)

    found = {one.checkpoint["id"]: one for one in saver.list(at("one"))}
    for line in acknowledged:
        what, number = line.split()
        moment = found[f"{int(number):06}"]
        assert moment.checkpoint["channel_values"] == {"words": [int(number)]}
        assert what == "put" or moment.pending_writes == [("task", "words", int(number))]
    put(saver, "one", "999999", words=["on"])  # and work goes on


# Where it is imported


def test_nothing_else_imports_the_library() -> None:
    script = """
import sys, pkgutil, importlib
import clew, clew.workspace, clew.opening, clew.agents, clew.cli.commands
import clew.store.graphs, clew.store.check, clew.operations.forks.discard
print([name for name in sys.modules if name.split(".")[0] in ("langgraph", "langchain_core")])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip

    assert done.stdout == "[]\n"


def test_a_fork_that_is_discarded_takes_its_graphs_along(
    workspace: clew.Workspace, project: Path, tmp_path: Path
) -> None:
    base = workspace.save("base").checkpoint
    workspace.forks.create(base.id.hex(), name="aside")
    place = Path(tmp_path / "store" / "forks" / "aside")
    with clew.open(place, store=tmp_path / "store") as own, ClewSaver(own, files=False) as saver:
        put(saver, "one", "1", words=["a"])
        memory = Path(database_path(own))
    assert memory.exists()

    workspace.forks.discard("aside")

    assert not memory.exists()
