from __future__ import annotations

import pytest

from clew.detectors.files.housekeeping import Housekeeping
from tests.kit.moments import Moment, evidence, file, findings, story


def _claimed(old: Moment, new: Moment) -> list[str]:
    return [path for one in findings(Housekeeping(), evidence(old, new)) for path in one.claims]


@pytest.mark.parametrize(
    "path",
    [
        "var/lib/systemd/random-seed", "etc/machine-id", "run/x/y.sock", "etc/ld.so.cache",
        "var/log/wtmp", "var/log/btmp.1", "var/log/lastlog", "root/.viminfo", "home/a/.lesshst",
        "home/a/.zcompdump-host-5.9", "var/lib/man-db/auto-update", "app/server.pid",
        "var/lib/systemd/timers/stamp-apt-daily.timer", "usr/share/icons/hicolor/icon-theme.cache",
    ],
)  # fmt: skip
def test_what_a_machine_writes_for_itself_is_put_aside(path: str) -> None:
    assert _claimed({path: b"1"}, {path: b"2"}) == [path]


def test_it_is_one_quiet_line() -> None:
    result = story([], {"etc/machine-id": b"1"}, {"etc/machine-id": b"2"}, [Housekeeping()])

    assert [line.text for line in result.lines] == ["housekeeping of the system"]
    assert result.facts == ()
    assert result.headline == "housekeeping of the system"


def test_a_lock_is_empty_and_a_lock_file_of_packages_is_not() -> None:
    new: Moment = {"a/x.lock": b"", "yarn.lock": b"react@1", "a/.lock": b"42"}

    assert _claimed({}, new) == ["a/.lock", "a/x.lock"]


@pytest.mark.parametrize("mode", [0o755, 0o4644, 0o2644])
def test_nothing_that_can_be_executed_hides_there(mode: int) -> None:
    assert _claimed({}, {"run/evil": file(b"#!/bin/sh", mode=mode)}) == []


@pytest.mark.parametrize(
    "path",
    ["etc/passwd", "etc/hosts", "src/running/x", "web/run/x", "var/log/syslog", "a/etc/machine-id"],
)
def test_everything_else_is_left_alone(path: str) -> None:
    assert _claimed({}, {path: b"1"}) == []
