"""Hooks wait for results that are about to be written down, and not for ever."""

from __future__ import annotations

import asyncio

from clew.agents.claude_sdk.arrival import Mirrored, arrived


def result(call: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


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
