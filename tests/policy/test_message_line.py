"""One-line summaries of messages of all agents."""

from __future__ import annotations

import json

import pytest

from clew.policy.message_line import said

CLAUDE = {
    "type": "assistant",
    "uuid": "1",
    "message": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I will look."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        ],
    },
}
CLAUDE_RESULT = {
    "type": "user",
    "message": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a\nb"}],
    },
}
CODEX = {
    "timestamp": "2026-01-05T10:00:00Z",
    "type": "response_item",
    "payload": {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "hello"}],
    },
}
CODEX_CALL = {
    "type": "response_item",
    "payload": {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}'},
}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "user", "content": "hello"}, ("user", "hello")),
        ({"role": "tool", "output": {"text": "done"}}, ("tool", "done")),
        ("just words", ("", "just words")),
        (["a", "b"], ("", "a b")),
        (7, ("", "7")),
        (None, ("", "null")),
        ({}, ("", "{}")),
        ({"a": 1}, ("", '{"a": 1}')),
        (CLAUDE, ("assistant", 'I will look. Bash {"command": "ls"}')),
        (CLAUDE_RESULT, ("user", "a b")),
        (CODEX, ("user", "hello")),
        (CODEX_CALL, ("function_call", 'shell {"command":["ls"]}')),
    ],
)
def test_who_says_what(message: object, expected: tuple[str, str]) -> None:
    assert said(json.dumps(message).encode()) == expected


@pytest.mark.parametrize(
    "line",
    [b"not json", b'{"role": "user", "cont', b"\xff\xfe", b"[" * 100_000],
    ids=["words", "cut short", "bytes", "deep"],
)
def test_what_is_no_json_is_shown_as_it_is(line: bytes) -> None:
    found = said(line)

    assert found.role == ""
    assert found.text.startswith(line[:6].decode("utf-8", "replace"))


@pytest.mark.parametrize(
    "content",
    [
        "the key is api_key=Kq7canary9fX2vB4nM8pL1zT",
        [{"type": "tool_result", "content": "password: Kq7canary9fX2vB4nM8pL1zT"}],
        [{"name": "Bash", "input": {"env": {"SECRET_TOKEN": "Kq7canary9fX2vB4nM8pL1zT"}}}],
        {"db_password": "Kq7canary9fX2vB4nM8pL1zT"},
        "x" * 380 + " ghp_Kq7canary9fX2vB4nM8pL1zTKq7canary9fX2vB4nM8p",
    ],
    ids=["assigned", "in a result", "given to a tool", "a value", "where it is cut"],
)
def test_a_secret_is_not_in_the_line_not_even_half_of_one(content: object) -> None:
    found = said(json.dumps({"role": "user", "content": content}).encode())

    assert "canary" not in found.text
    assert "Kq7" not in found.text


def test_a_long_message_is_cut_and_says_so() -> None:
    found = said(json.dumps({"role": "user" * 100, "content": "word " * 100_000}).encode())

    assert len(found.text) == 400
    assert found.text.endswith("…")
    assert len(found.role) <= 40
