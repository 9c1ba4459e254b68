"""The session store fulfils the SDK's contracts, and a restore resets its sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import SessionStore, project_key_for_directory
from claude_agent_sdk.testing import run_session_store_conformance

import clew
from clew.agents.claude_sdk import ClewSessionStore
from clew.workspace import Workspace

SESSION = "11111111-1111-4111-8111-111111111111"
HELPER = "subagents/agent-1"


@pytest.fixture
def store(workspace: Workspace) -> Iterator[ClewSessionStore]:
    opened = ClewSessionStore(workspace)
    yield opened
    opened.close()


def key(workspace: Workspace, **more: str) -> Any:
    path = workspace.info.path.decode()
    return {"project_key": project_key_for_directory(path), "session_id": SESSION, **more}


def entry(uuid: str, **more: object) -> Any:
    return {"type": "user", "uuid": uuid, **more}


def test_all_contracts_of_the_sdk_hold(tmp_path: Path) -> None:
    made: list[ClewSessionStore] = []

    def fresh() -> SessionStore:
        place = tmp_path / str(len(made))
        (place / "project").mkdir(parents=True)
        with clew.open(place / "project", place / "store", create=True) as opened:
            made.append(ClewSessionStore(opened))
        return made[-1]

    asyncio.run(run_session_store_conformance(fresh))
    for one in made:
        one.close()

    assert len(made) == 15  # one to look at, and one for each contract


def test_no_optional_method_is_left_out() -> None:
    optional = ("list_sessions", "list_session_summaries", "delete", "list_subkeys")

    assert all(getattr(ClewSessionStore, one) is not getattr(SessionStore, one) for one in optional)


def test_entries_go_back_with_the_files_those_of_helpers_too(
    workspace: Workspace, store: ClewSessionStore
) -> None:
    main, helper = key(workspace), key(workspace, subpath=HELPER)
    late = key(workspace, subpath="subagents/agent-2")
    asyncio.run(store.append(main, [entry("a")]))
    asyncio.run(store.append(helper, [entry("b")]))
    workspace.sessions.attach(SESSION)
    workspace.save("half way", name="half-way")
    asyncio.run(store.append(main, [entry("c")]))
    asyncio.run(store.append(helper, [entry("d")]))
    asyncio.run(store.append(late, [entry("e")]))
    workspace.save("later")
    workspace.restore("half-way")

    assert asyncio.run(store.load(main)) == [entry("a")]
    assert asyncio.run(store.load(helper)) == [entry("b")]
    assert asyncio.run(store.list_subkeys(main)) == [HELPER]

    workspace.undo()

    assert asyncio.run(store.load(main)) == [entry("a"), entry("c")]
    assert asyncio.run(store.list_subkeys(main)) == [HELPER, "subagents/agent-2"]


def test_a_batch_that_is_handed_over_again_is_there_once(
    workspace: Workspace, store: ClewSessionStore
) -> None:
    batch = [entry("a"), {"type": "title"}]
    asyncio.run(store.append(key(workspace), batch))
    asyncio.run(store.append(key(workspace), [*batch, entry("b")]))

    assert asyncio.run(store.load(key(workspace))) == [*batch, {"type": "title"}, entry("b")]


def test_an_entry_that_looks_like_one_of_ours_is_given_back_as_it_was(
    workspace: Workspace, store: ClewSessionStore
) -> None:
    strange = entry("a", clew=HELPER, payload={"type": "user"}, deleted=True)
    asyncio.run(store.append(key(workspace), [strange]))

    assert asyncio.run(store.load(key(workspace))) == [strange]
    assert asyncio.run(store.list_subkeys(key(workspace))) == []


def test_many_append_at_once_and_nothing_is_lost(
    workspace: Workspace, store: ClewSessionStore
) -> None:
    other = ClewSessionStore(workspace)

    async def all_at_once() -> None:
        stores = [store, other] * 10
        batches = [one.append(key(workspace), [entry(f"{at}")]) for at, one in enumerate(stores)]
        await asyncio.gather(*batches)

    asyncio.run(all_at_once())
    other.close()
    found = asyncio.run(store.load(key(workspace)))

    assert found is not None
    assert sorted(int(one["uuid"]) for one in found) == list(range(20))
    assert len(workspace.sessions.all()) == 1


def test_a_summary_is_right_after_a_restore(workspace: Workspace, store: ClewSessionStore) -> None:
    main = key(workspace)
    asyncio.run(store.append(main, [entry("a", customTitle="first")]))
    workspace.sessions.attach(SESSION)
    workspace.save(name="then")
    asyncio.run(store.append(main, [entry("b", customTitle="second")]))
    workspace.save("later")
    workspace.restore("then")
    [summary] = asyncio.run(store.list_session_summaries(main["project_key"]))

    assert summary["data"]["custom_title"] == "first"


def test_a_deleted_session_can_begin_anew_and_its_checkpoints_stay(
    workspace: Workspace, store: ClewSessionStore
) -> None:
    asyncio.run(store.append(key(workspace), [entry("a")]))
    workspace.sessions.attach(SESSION)
    workspace.save("with words", name="then")
    asyncio.run(store.delete(key(workspace)))
    asyncio.run(store.append(key(workspace), [entry("b")]))

    assert asyncio.run(store.load(key(workspace))) == [entry("b")]
    assert workspace.show("then").checkpoint.record.position.length > 0
