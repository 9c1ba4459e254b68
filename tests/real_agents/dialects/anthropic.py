"""Anthropic's Messages: Claude Code."""

from __future__ import annotations

import json
from typing import Any

Body = dict[str, Any]


def asked(body: Body) -> list[Body]:
    messages: list[Body] = body["messages"]
    return messages


def results(messages: list[Body]) -> int:
    blocks = [block for message in messages for block in _blocks(message)]
    return sum(block.get("type") == "tool_result" for block in blocks)


def whole(step: Body, number: int, body: Body) -> Body:
    stop = "tool_use" if "tool" in step else "end_turn"
    return _message(number, body) | {"content": [_block(step, number)], "stop_reason": stop}


def stream(step: Body, number: int, body: Body) -> list[Body]:
    block = _block(step, number)
    if "tool" in step:
        begun = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step["args"])}
    else:
        begun = block | {"text": ""}
        delta = {"type": "text_delta", "text": step["text"]}
    ending = {"stop_reason": whole(step, number, body)["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": _message(number, body)},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def _blocks(message: Body) -> list[Body]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _message(number: int, body: Body) -> Body:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _block(step: Body, number: int) -> Body:
    if "tool" in step:
        identifier = f"toolu_{number}"
        return {"type": "tool_use", "id": identifier, "name": step["tool"], "input": step["args"]}
    return {"type": "text", "text": step["text"]}
