"""What a check said is not lost, whatever becomes of the catalogue at that moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.verdict import Verdict
from clew.store.database import Database
from clew.store.limits import StoreLimits
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.forks.forked import cut, cut_short


class Hurried(StoreLimits):
    """Nobody waits a minute for a catalogue that is busy."""

    busy_ms = 50
    impatient_ms = 50


def spool_of(ws: Workspace) -> list[Path]:
    return list((Path(ws.store.path) / "spool").iterdir())


def verdicts_of(ws: Workspace, checkpoint: Checkpoint) -> list[tuple[str, int | None, str]]:
    found = ws.show(checkpoint.id.hex()).verdicts
    return [(one.command, one.exit_code, one.output) for one in found]


def test_a_verdict_that_was_kept_leaves_nothing_behind(ws: Workspace) -> None:
    saved = ws.save("one", verify="echo yes")

    assert spool_of(ws) == []
    assert verdicts_of(ws, saved.checkpoint) == [("echo yes", 0, "yes\n")]


def test_what_a_busy_catalogue_cannot_take_is_written_later(project: Path, tmp_path: Path) -> None:
    host = FakeHost(store_limits=Hurried())
    with opening.open(project, store=str(tmp_path / "busy"), create=True, host=host) as ws:
        other = Database(str(tmp_path / "busy" / "catalog.db"))
        ws.on("saved", lambda _: other.execute("BEGIN IMMEDIATE"))
        saved = ws.save("one", verify="echo yes")
        assert saved.verdict is not None
        meanwhile = verdicts_of(ws, saved.checkpoint)
        waiting = spool_of(ws)
        other.execute("ROLLBACK")
        other.close()

        assert saved.created
        assert saved.verdict.exit_code == 0
        assert any("will be recorded by a later command" in notice for notice in saved.notices)
        assert (meanwhile, len(waiting)) == ([], 1)
        assert verdicts_of(ws, saved.checkpoint) == [("echo yes", 0, "yes\n")]
        assert spool_of(ws) == []


def test_what_a_full_catalogue_cannot_take_is_written_later(ws: Workspace) -> None:
    def fill(_: object) -> None:
        with ws.reading_context() as context:
            (pages,) = context.store.database.execute("PRAGMA page_count")
            context.store.database.execute(f"PRAGMA max_page_count = {pages[0]}")

    stop = ws.on("saved", fill)
    saved = ws.save("one", verify="seq 10000; false")
    stop()
    assert len(spool_of(ws)) == 1
    with ws.reading_context() as context:
        context.store.database.execute("PRAGMA max_page_count = 1000000")
    found = verdicts_of(ws, saved.checkpoint)

    assert [(command, code) for command, code, _ in found] == [("seq 10000; false", 1)]
    assert found[0][2].endswith("9999\n10000\n")
    assert spool_of(ws) == []


@pytest.mark.parametrize(
    "point", ["verdict.spooled", "verdict.stored"], ids=["before the row", "after the row"]
)
def test_whoever_dies_after_a_check_leaves_its_verdict_once(
    project: Path, tmp_path: Path, host: FakeHost, point: str
) -> None:
    store = tmp_path / "store of the dead"
    opening.open(project, store=str(store), create=True).close()

    def die() -> None:
        with host.at(point, cut), opening.open(project, store=str(store), host=host) as ws:
            ws.save("checked", verify="echo all is well")

    cut_short(die)
    assert len(list((store / "spool").iterdir())) == 1
    with opening.open(project, store=str(store)) as ws:
        (checkpoint,) = ws.log().checkpoints

        assert verdicts_of(ws, checkpoint) == [("echo all is well", 0, "all is well\n")]
        assert spool_of(ws) == []


def spooled(ws: Workspace) -> Path:
    saved = ws.save("one", verify="echo yes")
    assert saved.verdict is not None
    put(ws, saved.checkpoint.id, saved.verdict)
    (path,) = spool_of(ws)
    return path


def put(ws: Workspace, checkpoint: CheckpointId, verdict: Verdict) -> None:
    with ws.reading_context() as context:
        context.store.spool.put(checkpoint, verdict)


@pytest.mark.parametrize("keep", [0, 5, 15, -1])
def test_a_damaged_file_is_set_aside_and_harms_nobody(ws: Workspace, keep: int) -> None:
    path = spooled(ws)
    path.write_bytes(path.read_bytes()[:keep])

    assert len(ws.log().checkpoints) == 1
    assert spool_of(ws) == []
    aside = Path(ws.store.path) / "quarantine" / f"{path.name}.spool"
    assert aside.exists()


def test_a_flipped_bit_is_no_verdict(ws: Workspace) -> None:
    path = spooled(ws)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"yes", b"Yes"))
    (checkpoint,) = ws.log().checkpoints

    assert verdicts_of(ws, checkpoint) == [("echo yes", 0, "yes\n")]


def test_a_verdict_on_a_moment_that_is_gone_goes_too(ws: Workspace) -> None:
    saved = ws.save("one", verify="echo yes")
    assert saved.verdict is not None
    (Path(os.fsdecode(ws.info.path)) / "another").touch()
    ws.save("two")
    ws.delete([saved.checkpoint.id.hex()])
    put(ws, saved.checkpoint.id, saved.verdict._replace(time_ns=1))
    with ws.reading_context() as context:
        found = context.store.verdicts.of_state(saved.verdict.state)

    assert 1 not in [verdict.time_ns for verdict in found]
    assert spool_of(ws) == []


def test_an_unknown_exit_code_survives_the_spool(ws: Workspace) -> None:
    saved = ws.save("one", verify="kill -9 $$")
    assert saved.verdict is not None
    unknown = saved.verdict._replace(exit_code=None, output="\udcff half", time_ns=1)
    put(ws, saved.checkpoint.id, unknown)
    found = verdicts_of(ws, saved.checkpoint)

    assert (found[0][1], found[0][2]) == (None, "? half")
