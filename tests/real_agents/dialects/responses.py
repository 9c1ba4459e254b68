"""OpenAI's Responses: Codex."""

from __future__ import annotations

import json
from typing import Any

Body = dict[str, Any]


def asked(body: Body) -> list[Body]:
    items: list[Body] = body["input"]
    return items


def results(items: list[Body]) -> int:
    return sum(str(item.get("type", "")).endswith("_call_output") for item in items)


def whole(step: Body, number: int, body: Body) -> Body:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    item = _item(step, number)
    return _begun(number, body) | {"status": "completed", "output": [item], "usage": usage}


def stream(step: Body, number: int, body: Body) -> list[Body]:
    item = _item(step, number)
    return [
        {"type": "response.created", "response": _begun(number, body)},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole(step, number, body)},
    ]


def _begun(number: int, body: Body) -> Body:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "model": body.get("model"),
        "output": [],
    }


def _item(step: Body, number: int) -> Body:
    if "tool" not in step:
        text = {"type": "output_text", "text": step["text"], "annotations": []}
        return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    call = {"call_id": f"call_{number}", "name": step["tool"], "status": "completed"}
    if isinstance(step["args"], str):  # a tool whose argument is text, as that of apply_patch is
        return {"type": "custom_tool_call", "id": f"ctc_{number}", "input": step["args"], **call}
    arguments = json.dumps(step["args"])
    return {"type": "function_call", "id": f"fc_{number}", "arguments": arguments, **call}
