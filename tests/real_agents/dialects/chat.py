"""OpenAI's Chat completions: opencode and qwen-code."""

from __future__ import annotations

import json
from typing import Any

Body = dict[str, Any]

_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def asked(body: Body) -> list[Body]:
    messages: list[Body] = body["messages"]
    return messages


def results(messages: list[Body]) -> int:
    return sum(message["role"] == "tool" for message in messages)


def whole(step: Body, number: int, body: Body) -> Body:
    message = {"content": None, **_said(step, number)}
    choice = {"index": 0, "message": message, "finish_reason": _ending(step)}
    answer = _answer("chat.completion", number, body)
    return answer | {"choices": [choice], "usage": _USAGE}


def stream(step: Body, number: int, body: Body) -> list[Body]:
    answer = _answer("chat.completion.chunk", number, body)
    said = {"index": 0, "delta": _said(step, number), "finish_reason": None}
    ended = {"index": 0, "delta": {}, "finish_reason": _ending(step)}
    return [
        answer | {"choices": [said]},
        answer | {"choices": [ended]},
        answer | {"choices": [], "usage": _USAGE},
    ]


def _answer(kind: str, number: int, body: Body) -> Body:
    return {"id": f"chat_{number}", "object": kind, "created": 0, "model": body.get("model")}


def _ending(step: Body) -> str:
    return "tool_calls" if "tool" in step else "stop"


def _said(step: Body, number: int) -> Body:
    if "tool" not in step:
        return {"role": "assistant", "content": step["text"]}
    function = {"name": step["tool"], "arguments": json.dumps(step["args"])}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "tool_calls": [call]}
