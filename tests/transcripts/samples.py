"""Sample transcripts in the format of Claude Code 2.1 and Codex 0.166, written by hand."""

from __future__ import annotations

import json

OLD = "11111111-1111-4111-8111-111111111111"
NEW = "22222222-2222-4222-8222-222222222222"
CWD = "/home/me/project"
TIME = "2026-11-16T10:00:00.000Z"


def encoded(*values: object) -> list[bytes]:
    return [json.dumps(value).encode() for value in values]


def claude(
    kind: str, uuid: str, parent: str | None, content: object, **more: object
) -> dict[str, object]:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": uuid,
        "timestamp": TIME,
        "userType": "external",
        "cwd": CWD,
        "sessionId": OLD,
        "version": "2.1.325",
        "gitBranch": "main",
        **more,
    }


def claude_call(name: str, identifier: str, **given: str) -> list[dict[str, object]]:
    return [{"type": "tool_use", "id": identifier, "name": name, "input": given}]


def claude_result(identifier: str, text: str) -> list[dict[str, object]]:
    return [{"type": "tool_result", "tool_use_id": identifier, "content": text}]


CLAUDE = encoded(
    {"type": "queue-operation", "operation": "enqueue", "timestamp": TIME, "sessionId": OLD},
    claude("user", "u1", None, "build it"),
    claude("assistant", "a1", "u1", claude_call("Write", "t1", file_path=f"{CWD}/app.py")),
    claude("user", "u2", "a1", claude_result("t1", "created")),
    {"type": "summary", "summary": "A title", "leafUuid": "u2"},
    claude("assistant", "a2", "u2", claude_call("Bash", "t2", command="make")),
)
"""Its last call has no result yet."""


def codex(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": TIME, "type": kind, "payload": payload}


CODEX = encoded(
    codex("session_meta", id=OLD, timestamp=TIME, cwd=CWD, cli_version="0.166.0"),
    codex("turn_context", cwd=CWD, model="gpt-5.5"),
    codex("response_item", type="message", role="user", content=[{"type": "input_text"}]),
    codex("response_item", type="function_call", name="shell", arguments="{}", call_id="c1"),
    codex("response_item", type="function_call_output", call_id="c1", output="fine"),
    codex("event_msg", type="agent_message", message="half way"),
    codex(
        "response_item",
        type="custom_tool_call",
        name="apply_patch",
        input="*** Begin Patch\n*** Update File: app.py\n*** Move to: main.py\n@@\n*** Add File: new.py\n+x\n*** End Patch",
        call_id="c2",
    ),
)
"""Its last call has no output yet."""
