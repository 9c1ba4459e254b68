"""The log of failed hooks: bounded, private, without secrets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.agents.hooks.log import MAX_BYTES, clear, log_path, recent, write

SECRET = "hunter2hunter2hunter2"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return log_path({"HOME": str(tmp_path)})


def fail(path: str, message: str = "it broke") -> None:
    write(path, "claude-code", "Stop", "/w", message)


def test_it_is_where_state_is_kept(tmp_path: Path) -> None:
    home = str(tmp_path)

    assert log_path({"HOME": home}) == f"{home}/.local/state/clew/hooks.jsonl"
    assert log_path({"HOME": home, "XDG_STATE_HOME": "/s"}) == "/s/clew/hooks.jsonl"
    assert log_path({"HOME": home, "XDG_STATE_HOME": "s"}) == log_path({"HOME": home})


def test_the_newest_comes_first(path: str) -> None:
    for number in range(30):
        fail(path, f"number {number}")
    found = recent(path, 3)

    assert [one.message for one in found] == ["number 29", "number 28", "number 27"]
    assert (found[0].agent, found[0].event, found[0].directory) == ("claude-code", "Stop", "/w")


def test_it_never_grows_beyond_its_size_and_keeps_the_newest(path: str) -> None:
    sizes = []
    for number in range(500):
        fail(path, f"number {number} " + "x" * 900)
        sizes.append(os.path.getsize(path))

    assert MAX_BYTES / 2 < max(sizes) <= MAX_BYTES
    assert recent(path, 1)[0].message.startswith("number 499 ")
    assert len(recent(path, 1000)) > 40
    assert os.listdir(os.path.dirname(path)) == ["hooks.jsonl"]


def test_a_line_that_the_kernel_takes_in_parts_is_whole(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda number, view: real(number, view[:7]))
    for number in range(200):
        fail(path, f"{number} " + "x" * 900)

    assert {len(one.message) > 900 for one in recent(path, 1000)} == {True}


def test_a_line_cut_by_a_full_disk_does_not_take_the_next_one_with_it(path: str) -> None:
    fail(path, "whole")
    with open(path, "ab") as file:
        file.write(b'{"time_ns": 17')
    fail(path, "later")

    assert [one.message for one in recent(path)] == ["later", "whole"]


def test_a_long_message_is_cut(path: str) -> None:
    write(path, "a" * 10_000, "e" * 10_000, "/" * 10_000, "m" * 1_000_000)

    assert os.path.getsize(path) < 5_000


def test_it_is_its_owners_alone(path: str) -> None:
    for number in range(500):
        fail(path, f"{number} " + "x" * 900)

    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700


def test_secrets_are_left_out(path: str) -> None:
    fail(path, f"cannot reach https://bob:{SECRET}@example.org with TOKEN={SECRET}")

    assert SECRET not in Path(path).read_text()


def test_a_link_in_its_place_is_not_followed(path: str, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    fail(path)
    os.unlink(path)
    os.symlink(precious, path)
    with pytest.raises(OSError, match="symbolic links"):
        fail(path)

    assert precious.read_text() == "precious"


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"7", b"null", b"\xff", b'{"time_ns": "x"}', b"[" * 100_000]
)
def test_lines_that_cannot_be_read_are_left_out(path: str, line: bytes) -> None:
    fail(path, "first")
    with open(path, "ab") as file:
        file.write(line + b"\n")
    fail(path, "second")

    assert [one.message for one in recent(path)] == ["second", "first"]


def test_text_that_no_file_can_hold_is_logged_all_the_same(path: str) -> None:
    write(path, "\ud83d", "\0", "/\udcff", "\ud83d\n\x1b[2J")

    assert len(recent(path)) == 1


def test_it_can_be_forgotten(path: str) -> None:
    fail(path)
    clear(path)
    clear(path)

    assert recent(path) == []
