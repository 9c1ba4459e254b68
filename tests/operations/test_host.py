"""The host: what operations take from the machine, and the fake one of tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.operations.host import Host
from clew.workspace import Workspace
from tests.kit.fake_host import DAY, FakeHost


class ManyCpus(Host):
    def cpus(self) -> int:
        return 64


def test_there_is_work_for_four_at_most() -> None:
    assert ManyCpus().processors() == 4
    assert 1 <= Host().processors() <= 4


def test_free_space_is_what_the_filesystem_says(tmp_path: Path) -> None:
    found = os.statvfs(tmp_path)

    assert Host().free_bytes(str(tmp_path)) == pytest.approx(
        found.f_bavail * found.f_frsize, rel=0.1
    )


def test_every_time_in_the_store_is_that_of_the_host(
    project: Path, store: Path, host: FakeHost
) -> None:
    host.shift_ns = -400 * DAY
    with opening.open(project, store=store, create=True, host=host) as ws:
        session = ws.sessions.open(agent="example")
        session.add_task("write")
        checkpoint = ws.save("first", verify="true").checkpoint
        fork = ws.forks.create("@").fork
        now = host.now_ns()

        for time_ns in (
            checkpoint.record.time_ns,
            session.info.started_ns,
            session.info.seen_ns,
            ws.show("@").verdicts[0].time_ns,
        ):
            assert abs(now - time_ns) < DAY
        assert ws.resolve("@") is not None
        assert fork.name


def test_the_environment_and_the_store_of_the_machine_are_those_of_the_host(
    project: Path, tmp_path: Path
) -> None:
    here = FakeHost(environ={b"HOME": os.fsencode(tmp_path / "somebody")})
    machine = FakeHost(environ={}, machine_store=str(tmp_path / "machine"))
    with opening.open(project, create=True, host=here) as ws:
        assert ws.store.path == str(tmp_path / "somebody/.local/share/clew")
    with opening.init(project, machine=True, host=machine)[0] as ws:
        assert ws.store.path == str(tmp_path / "machine")


def test_a_fail_point_that_is_not_reached_is_an_error(ws: Workspace, host: FakeHost) -> None:
    with pytest.raises(AssertionError, match="was not reached"), host.at("no.such", ValueError()):
        ws.save("first")
