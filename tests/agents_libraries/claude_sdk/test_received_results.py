"""Waiting for results in the session store, with a time limit."""

from __future__ import annotations

import asyncio

from clew.agents.claude_sdk.received_results import ReceivedResults, wait_for_results


def result(call: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def test_entries_are_remembered_only_where_somebody_will_ask() -> None:
    received = ReceivedResults()
    received.add([result("one")])
    received.is_enabled = True
    received.add([result("two"), {"type": "title"}, {"type": "user", "message": {"content": "hi"}}])

    assert not received.has(["one"])
    assert received.has(["two"])

    received.forget(["two"])

    assert not received.has(["two"])


def test_waiting_ends() -> None:
    received = ReceivedResults()
    received.is_enabled = True

    async def comes_later() -> bool:
        async def come() -> None:
            received.add([result("one")])

        found, _ = await asyncio.gather(wait_for_results(received, ["one", ""], 60), come())
        return found

    assert not asyncio.run(wait_for_results(received, ["one"], 0.05))
    assert asyncio.run(comes_later())
