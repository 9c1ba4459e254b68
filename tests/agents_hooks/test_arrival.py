"""Waiting for results in a transcript, with a time limit."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from threading import Thread

import pytest

from clew.agents.hooks.arrival import has_failed, wait_for_results

LONG = 60.0
AT_ONCE = 0.0


def line(call: str, **more: object) -> str:
    result = {"type": "tool_result", "tool_use_id": call, "content": "x", **more}
    value = {"type": "user", "message": {"role": "user", "content": [result]}}
    return json.dumps(value, separators=(",", ":")) + "\n"


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text(line("one") + line("two"))
    return path


def test_what_is_there_is_not_waited_for(talk: Path) -> None:
    assert wait_for_results(str(talk), ["one", "two", ""], LONG)
    assert wait_for_results(str(talk), [], LONG)


def test_what_comes_late_is_waited_for(talk: Path) -> None:
    def write() -> None:
        with talk.open("a") as file:
            file.write(line("three"))

    thread = Thread(target=write)
    thread.start()
    found = wait_for_results(str(talk), ["one", "three"], LONG)
    thread.join()

    assert found


def test_what_never_comes_is_not_waited_for_long(talk: Path) -> None:
    assert not wait_for_results(str(talk), ["one", "three"], AT_ONCE)
    assert not wait_for_results(str(talk), ["on"], AT_ONCE)


@pytest.mark.parametrize("place", ["talk.jsonl", "project/talk.jsonl"])
def test_a_transcript_that_the_agent_creates_late_is_waited_for(tmp_path: Path, place: str) -> None:
    def write() -> None:
        time.sleep(0.05)  # the transcript is missing when it is first looked for
        path.parent.mkdir(exist_ok=True)
        path.write_text(line("one"))

    path = tmp_path / place
    thread = Thread(target=write)
    thread.start()
    found = wait_for_results(str(path), ["one"], LONG)
    thread.join()

    assert found


def test_a_transcript_that_is_never_created_is_not_waited_for_long(tmp_path: Path) -> None:
    assert not wait_for_results(str(tmp_path / "x.jsonl"), ["one"], AT_ONCE)


@pytest.mark.parametrize("kind", ["directory", "fifo", "in no directory"])
def test_what_is_no_file_is_not_waited_for_at_all(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.jsonl"
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "in no directory":
        path = tmp_path / "x" / "y" / "z.jsonl"
    started = time.monotonic()

    assert not wait_for_results(str(path), ["one"], LONG)
    assert has_failed(str(path), "one", LONG) is None
    assert time.monotonic() - started < LONG


def test_an_id_that_no_text_can_hold_is_never_there(talk: Path) -> None:
    assert not wait_for_results(str(talk), ["\ud83d"], AT_ONCE)


def test_only_the_end_of_a_long_transcript_is_read(talk: Path) -> None:
    recent = talk.read_bytes()
    talk.write_bytes(line("old").encode() + b"x" * (4 << 20) + b"\n" + recent)

    assert wait_for_results(str(talk), ["one"], AT_ONCE)
    assert not wait_for_results(str(talk), ["old"], AT_ONCE)


def test_what_was_refused_is_known_by_its_result(talk: Path) -> None:
    talk.write_text(line("one") + line("two", is_error=True) + line("three", is_error=False))
    found = [has_failed(str(talk), call, AT_ONCE) for call in ("one", "two", "three", "four", "")]

    assert found == [False, True, False, None, None]


def test_the_newest_result_of_a_name_counts(talk: Path) -> None:
    talk.write_text(line("one", is_error=True) + line("one"))

    assert has_failed(str(talk), "one", AT_ONCE) is False


@pytest.mark.parametrize(
    "content",
    [
        '{"tool_use_id":"one"',
        '["tool_use_id":"one"]',
        '"\\"tool_use_id\\":\\"one\\"" "tool_use_id":"one"',
        '{"tool_use_id":"one"}',
        '{"message":{"content":"x"},"tool_use_id":"one"}',
        '{"message":{"content":[7,{"tool_use_id":"one"}]}}',
        '{"message":7,"tool_use_id":"one"}',
        "[" * 100_000 + '"tool_use_id":"one"',
    ],
)
def test_a_result_that_cannot_be_read_tells_nothing(talk: Path, content: str) -> None:
    talk.write_text(content + "\n")

    assert has_failed(str(talk), "one", AT_ONCE) is None
