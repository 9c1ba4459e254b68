"""What a client gives a tool reaches neither an answer nor the store with a secret in it."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from tests.kit.canaries import Canaries, kept_outside_packs
from tests.kit.running import Clew
from tests.mcp_server.talking import MODES, talk


def calls(canaries: Canaries) -> list[tuple[str, dict[str, Any]]]:
    say = canaries.typed
    return [
        ("save", {"intent": say("save"), "description": say("description"),
                  "meta": {"why": say("meta"), say("meta key"): "x"}}),
        ("save", {"intent": "x", "name": say("save name")}),
        ("save", {"intent": "x", "verify": f"false # {say('verify')}"}),
        ("show", {"ref": say("show")}),
        ("diff", {"a": say("diff")}),
        ("blame", {"subject": say("blame")}),
        ("cat", {"ref": "@", "path": say("cat")}),
        ("log", {"grep": say("grep")}),
        ("restore", {"ref": say("restore")}),
        ("verify", {"ref": "@", "command": f"true # {say('command')}"}),
        ("try", {"ref": "@", "attempts": {"one": f"echo 1 > made # {say('way')}"},
                 "verify": f"true # {say('try verify')}"}),
        ("try", {"ref": "@", "attempts": {say("way name"): "true"}}),
        ("bisect", {"command": f"true # {say('bisect')}"}),
        ("fork", {"ref": "@", "name": say("fork name")}),
        ("adopt", {"fork": say("adopt")}),
        ("add_task", {"title": say("title")}),
        ("mark_task", {"number": 1, "status": "failed", "note": say("note")}),
        ("record_effect", {"action": say("what"), "tool": say("tool"), "undo": say("undo"),
                           "arguments": {"line": say("arguments"), "token": say("by its name")}}),
        ("settle_effect", {"number": 1, "status": "failed", "outcome": say("outcome")}),
        (say("an unknown tool"), {}),
        ("save", {say("an unknown argument"): 1}),
        ("mark_task", {"number": say("no number"), "status": "x"}),
        ("log", {}), ("show", {"ref": "@"}), ("status", {}), ("tasks", {}), ("effects", {}),
    ]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_no_answer_holds_a_secret(clew: Clew, mode: str) -> None:
    (clew.workspace / "app.txt").write_text("x")
    clew.save("start")
    canaries = Canaries()
    answers: list[str] = []

    async def body(client: Client) -> None:
        for number, (tool, arguments) in enumerate(calls(canaries)):
            (clew.workspace / "app.txt").write_text(str(number))
            try:
                answers.append((await client.call_tool(tool, arguments)).model_dump_json())
            except Exception as error:  # noqa: BLE001 - what the client is told is looked at, too
                answers.append(str(error))

    talk(clew, body, mode=mode)

    assert len(answers) == len(calls(Canaries()))
    assert canaries.found_in(*answers) == {}
    assert canaries.found_in(*kept_outside_packs(clew.store)) == {}
