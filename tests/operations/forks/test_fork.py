"""A fork is exactly what the checkpoint holds, costs nothing in the store, and is all or nothing."""

from __future__ import annotations

import os
from itertools import chain, repeat
from pathlib import Path

import pytest

from clew import opening
from clew.diff.trees import walk
from clew.errors import NoSpaceForCopy, StoreDamaged
from clew.model.restore_results import SkippedPath
from clew.operations.forks.fork import grow_without_directory
from clew.workspace import Workspace
from tests.kit import everything, filesystems, oracle
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look
from tests.operations.copies.copying import fork_rows, saved, small
from tests.operations.forks.forked import NOBODY, cut, cut_short, forked, needs_root


def packs(ws: Workspace) -> dict[str, int]:
    """Return every pack with its size."""
    place = Path(ws.store.path) / "packs"
    return {path.name: path.stat().st_size for path in place.iterdir()}


@needs_root
def test_a_fork_is_exact_to_the_last_attribute(filesystem: Path) -> None:
    project, place = filesystem / "project", filesystem / "fork"
    everything.build(project)
    with opening.open(project, store=filesystem / "store", create=True) as ws:
        saved(ws)
        result = ws.forks.create("@", str(place))

    assert result.problems == ()
    assert oracle.portrait_differences(oracle.portrait(project), oracle.portrait(place)) == []
    assert differences(look(project), look(place)) == []


def test_deep_paths_are_forked(ws: Workspace, project: Path, tmp_path: Path) -> None:
    everything.build_deep(project)
    saved(ws)
    ws.forks.create("@", str(tmp_path / "fork"))

    assert differences(look(project), look(tmp_path / "fork")) == []


def test_a_fork_stores_a_record_and_nothing_else(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    small(project)
    (project / "noise").write_bytes(os.urandom(3_000_000))
    saved(ws)
    before, objects = packs(ws), ws.store.stats()
    ws.forks.create("@", str(tmp_path / "fork"))
    new = {name: size for name, size in packs(ws).items() if name not in before}

    assert len(new) == 1
    assert sum(new.values()) < 2000
    had = {kind: number for kind, number, _ in objects.by_kind}
    grown = {kind: number - had[kind] for kind, number, _ in ws.store.stats().by_kind}
    assert {kind: number for kind, number in grown.items() if number} == {"record": 1}


def test_a_fork_begins_where_the_checkpoint_is(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    ws.settings.set("exclude", "*.log\nbuild")
    ws.settings.set("verify", "make test")
    ws.settings.set("keep-last", "7")
    base = saved(ws, "before auth")
    small(project, "later")
    saved(ws)
    result = ws.forks.create(base.id.hex(), str(tmp_path / "login"))

    with opening.open(tmp_path / "login", store=store) as grown:
        (first,) = grown.log().checkpoints
        assert first.id == result.checkpoint.id
        assert first.record.parent == base.id
        assert (first.record.tree, first.record.state) == (base.record.tree, base.record.state)
        assert first.record.signals is None  # nothing has run there yet
        assert first.labels.intent == f"forked from {base.id.hex()[:8]} (before auth)"
        assert grown.resolve("@~1").id == base.id
        assert grown.status().changes == ()
        assert grown.settings.all()["exclude"] == "*.log\nbuild"
        assert grown.settings.all()["verify"] == "make test"
        assert grown.settings.all()["keep-last"] == ""
        assert grown.info.uuid != ws.info.uuid


def test_work_in_a_fork_leaves_its_source_alone(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    saved(ws)
    before, timeline = look(project), ws.log().checkpoints
    ws.forks.create("@", str(tmp_path / "fork"))
    with opening.open(tmp_path / "fork", store=store) as grown:
        (tmp_path / "fork" / "marker").write_text("another way")
        first = grown.save("in the fork").checkpoint
        grown.restore("@~1")
        grown.undo()

        assert (tmp_path / "fork" / "marker").read_text() == "another way"
        assert first.id in {one.id for one in grown.log().checkpoints}

    assert differences(before, look(project)) == []
    assert ws.log().checkpoints == timeline


def test_what_was_read_back_is_known_to_the_first_save(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    base = saved(ws)
    ws.forks.create("@", str(tmp_path / "fork"))
    with opening.open(tmp_path / "fork", store=store) as grown:
        cache = grown._access.context.open_cache()
        known = {found.tree for found in cache.directories.values()}
        cache.close()

    get = ws._access.store.objects.get
    held = {entry.content for _, entry in walk(base.record.tree, get) if entry.is_directory}
    assert known == held


def test_a_fork_can_be_forked(ws: Workspace, project: Path, store: Path, tmp_path: Path) -> None:
    small(project)
    saved(ws)
    ws.forks.create("@", str(tmp_path / "one"))
    with opening.open(tmp_path / "one", store=store) as one:
        (tmp_path / "one" / "marker").write_text("one")
        one.save("one")
        result = one.forks.create("@", str(tmp_path / "two"))

        assert result.fork.source == one.info.uuid
        assert differences(look(tmp_path / "one"), look(tmp_path / "two")) == []


def test_an_empty_directory_will_do(ws: Workspace, project: Path, tmp_path: Path) -> None:
    small(project)
    saved(ws)
    (tmp_path / "empty").mkdir()
    ws.forks.create("@", str(tmp_path / "empty"))

    assert differences(look(project), look(tmp_path / "empty")) == []
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []


def test_what_is_excluded_is_not_in_a_fork_and_is_no_change(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    ws.settings.set("exclude", "build")
    (project / "build").mkdir()
    (project / "build" / "output").write_text("x")
    saved(ws)
    result = ws.forks.create("@", str(tmp_path / "fork"))

    assert result.problems == ()
    assert not (tmp_path / "fork" / "build").exists()
    with opening.open(tmp_path / "fork", store=store) as grown:
        assert grown.status().changes == ()


# Without a directory


def test_forks_without_a_directory_are_many_and_nobody_stumbles_over_them(
    ws: Workspace, project: Path, store: Path, tmp_path: Path
) -> None:
    small(project)
    base = saved(ws)
    grown = [grow_without_directory(ws._access.context, base, "way") for _ in range(3)]

    assert [standing.fork.name for standing in ws.forks.list()] == ["way-3", "way-2", "way"]
    assert {info.path for info in grown} == {b""}
    assert all(info.here is not None for info in grown)
    assert {standing.directory for standing in ws.forks.list()} == {"none"}
    (tmp_path / "new").mkdir()
    with opening.open(project, store=store) as again:
        assert again.info.uuid == ws.info.uuid
    with opening.open(tmp_path / "new", store=store, create=True) as new:
        assert new.is_new
    assert ws.store.check(read_data=True).whole


# All or nothing


@pytest.mark.parametrize("managed", [False, True])
def test_a_fork_that_fails_leaves_nothing(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost, managed: bool
) -> None:
    small(project)
    saved(ws)
    before, live = fork_rows(ws), sorted(os.listdir(tmp_path))
    for step in ("fork.write", "copy.written", "fork.move", "fork.record"):
        with host.at(step, StoreDamaged("in the middle")), pytest.raises(StoreDamaged):
            ws.forks.create("@", None if managed else str(tmp_path / "fork"), name="mine")

        assert fork_rows(ws) == before, step
        assert sorted(os.listdir(tmp_path)) == live, step
        assert os.listdir(Path(ws.store.path) / "forks") == [], step
        caches = [path.name for path in (Path(ws.store.path) / "cache").glob("*.db")]
        assert caches == [f"{ws.info.text_id}.db"], step


def test_a_fork_without_room_is_refused_with_the_figure(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost
) -> None:
    small(project)
    (project / "big").write_bytes(os.urandom(3_000_000))
    saved(ws)
    host.free[tmp_path] = 1_000_000

    with pytest.raises(NoSpaceForCopy) as refused:
        ws.forks.create("@", str(tmp_path / "fork"))

    assert refused.value.needed > 3_000_000
    assert sorted(os.listdir(tmp_path)) == ["project", "store"]
    assert ws.forks.list() == ()


def test_the_disk_fills_while_a_fork_is_written(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost
) -> None:
    if reason := filesystems.missing_for("tmpfs"):
        pytest.skip(reason)
    small(project)
    (project / "big").write_bytes(os.urandom(9_000_000))
    saved(ws)
    with filesystems.mounted("tmpfs", tmp_path, 4, "little") as little:
        host.free[little] = chain([1 << 40], repeat(1000))
        with pytest.raises(NoSpaceForCopy):
            ws.forks.create("@", str(little / "fork"))

        assert os.listdir(little) == []
    assert ws.forks.list() == ()


@pytest.mark.parametrize("step", ["fork.write", "copy.written", "fork.move", "fork.record"])
def test_what_a_killed_fork_left_is_gone_after_the_next_command(
    ws: Workspace, project: Path, store: Path, tmp_path: Path, host: FakeHost, step: str
) -> None:
    small(project)
    saved(ws)
    before = fork_rows(ws)

    def die() -> None:
        with host.at(step, cut), opening.open(project, store=store, host=host) as own:
            own.forks.create("@", str(tmp_path / "killed"))

    cut_short(die)
    assert fork_rows(ws) == before
    assert ws.forks.list() == ()
    result = ws.forks.create("@", str(tmp_path / "killed"))

    assert sorted(os.listdir(tmp_path)) == ["killed", "project", "store"]
    assert differences(look(project), look(tmp_path / "killed")) == []
    assert [standing.fork for standing in ws.forks.list()] == [result.fork]
    assert os.listdir(store / "forks") == []


@needs_root
def test_an_ordinary_user_forks_what_is_theirs_and_hears_what_is_not(open_place: Path) -> None:
    project = open_place / "project"
    project.mkdir()
    small(project)
    (project / "of root").write_text("readable by all")
    for path in (project, project / "sub", *project.glob("sub/*"), project / "marker"):
        os.chown(path, NOBODY, NOBODY)

    def body() -> tuple[SkippedPath, ...]:
        with opening.open(project, store=open_place / "store", create=True) as ws:
            saved(ws)
            return ws.forks.create("@", str(open_place / "fork")).problems

    problems = forked(body, uid=NOBODY)
    wrong = differences(look(project), look(open_place / "fork"))

    assert problems == (SkippedPath(b"of root", "owner: Operation not permitted"),)
    assert [line.split(":")[0] for line in wrong] == ["b'of root'"]
