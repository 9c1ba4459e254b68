"""Hooks wait for results that are about to be written down, and not for ever."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from clew.agents.claude_sdk.arrival import Mirrored, TranscriptTail, arrived


def result(call: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def line(call: str) -> str:
    return json.dumps(result(call), separators=(",", ":")) + "\n"


def test_a_result_in_a_transcript_is_seen_when_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text(line("one"))
    tail = TranscriptTail(str(path))
    first = tail.has(["one"]), tail.has(["two"])
    with path.open("a") as file:
        file.write(line("two")[:30])
        file.flush()
        half = tail.has(["two"])
        file.write(line("two")[30:])

    assert first == (True, False)
    assert not half
    assert tail.has(["two"])


def test_a_call_is_no_result(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text('{"type":"assistant","message":{"content":[{"type":"tool_use","id":"one"}]}}\n')

    assert not TranscriptTail(str(path)).has(["one"])


def test_nobody_waits_for_a_transcript_that_is_not_there(tmp_path: Path) -> None:
    assert TranscriptTail(str(tmp_path / "none")).has(["one"])


def test_entries_are_remembered_only_where_somebody_will_ask() -> None:
    mirrored = Mirrored()
    mirrored.add([result("one")])
    mirrored.is_watched = True
    mirrored.add([result("two"), {"type": "title"}, {"type": "user", "message": {"content": "hi"}}])

    assert not mirrored.has(["one"])
    assert mirrored.has(["two"])

    mirrored.forget(["two"])

    assert not mirrored.has(["two"])


def test_waiting_ends() -> None:
    mirrored = Mirrored()
    mirrored.is_watched = True

    async def comes_later() -> bool:
        async def come() -> None:
            mirrored.add([result("one")])

        found, _ = await asyncio.gather(arrived(mirrored, ["one", ""], 60), come())
        return found

    assert not asyncio.run(arrived(mirrored, ["one"], 0.05))
    assert asyncio.run(comes_later())
