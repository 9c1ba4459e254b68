"""Our session compared with the SDK's own, operation by operation."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from agents import SQLiteSession
from agents.memory import Session, SessionSettings

from clew.agents.openai_agents import ClewHooks, ClewSession
from clew.workspace import Workspace


def item(text: str) -> Any:
    return {"role": "user", "content": text}


def test_it_is_a_session_of_the_sdk(ws: Workspace) -> None:
    assert isinstance(ClewSession("talk", ws), Session)


@pytest.mark.parametrize("seed", range(6))
def test_random_operations_give_what_the_sdks_own_session_gives(ws: Workspace, seed: int) -> None:
    chance = random.Random(seed)

    async def compare() -> None:
        ours, theirs = ClewSession("talk", ws), SQLiteSession("talk")
        for step in range(40):
            match chance.randrange(6):
                case 0 | 1 | 2:
                    added = [item(f"{step}.{n} é\ud800") for n in range(chance.randrange(4))]
                    await ours.add_items(added)
                    await theirs.add_items(added)
                case 3:
                    assert await ours.pop_item() == await theirs.pop_item()
                case 4 if chance.random() < 0.2:
                    await ours.clear_session()
                    await theirs.clear_session()
                case _:
                    ws.save(f"step {step}")
            limit = chance.choice([None, -1, 0, 1, 2, 5, 100])

            assert await ours.get_items(limit) == await theirs.get_items(limit)
        theirs.close()

    asyncio.run(compare())


def test_the_limit_of_the_settings_is_used(ws: Workspace) -> None:
    async def latest() -> list[Any]:
        session = ClewSession("talk", ws, session_settings=SessionSettings(limit=2))
        await session.add_items([item("a"), item("b"), item("c")])
        return await session.get_items()

    assert asyncio.run(latest()) == [item("b"), item("c")]


def test_a_session_is_found_again_by_its_name(ws: Workspace) -> None:
    async def talk() -> list[Any]:
        await ClewSession("talk", ws).add_items([item("a")])
        await ClewSession("another", ws).add_items([item("b")])
        return await ClewSession("talk", ws).get_items()

    assert asyncio.run(talk()) == [item("a")]


def test_a_restore_brings_items_back(ws: Workspace, project: Path) -> None:
    async def talk() -> list[list[Any]]:
        session = ClewSession("talk", ws)
        await session.add_items([item("a"), item("b")])
        (project / "file").write_text("1")
        ws.save("two items", name="two")
        await session.pop_item()
        await session.add_items([item("c"), item("d")])
        (project / "file").write_text("2")
        ws.save("three items")
        ws.restore("two")
        back = await session.get_items()
        ws.undo()
        return [back, await session.get_items()]

    back, forth = asyncio.run(talk())

    assert back == [item("a"), item("b")]
    assert forth == [item("a"), item("c"), item("d")]


def test_many_at_once_lose_nothing(ws: Workspace) -> None:
    async def talk() -> list[Any]:
        session = ClewSession("talk", ws)
        await asyncio.gather(*(session.add_items([item(str(n))]) for n in range(30)))
        return await session.get_items()

    found = asyncio.run(talk())

    assert sorted(int(one["content"]) for one in found) == [*range(30)]


def test_hooks_and_session_of_one_name_are_one_session(ws: Workspace) -> None:
    hooks = ClewHooks(ws, session_id="talk")
    session = ClewSession("talk", ws)

    assert session.session.id == hooks.watch.session.id == hooks.conversation.session.id
