"""Google's generateContent: Gemini CLI."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]


def asked(body: Body) -> list[Body]:
    contents: list[Body] = body["contents"]
    return contents


def results(contents: list[Body]) -> int:
    parts = [part for content in contents for part in content.get("parts", [])]
    return sum("functionResponse" in part for part in parts)


def whole(step: Body, _number: int, _body: Body) -> Body:
    if "tool" in step:
        part = {"functionCall": {"name": step["tool"], "args": step["args"]}}
    else:
        part = {"text": step["text"]}
    said = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [said], "usageMetadata": usage, "modelVersion": "stub"}


def stream(step: Body, number: int, body: Body) -> list[Body]:
    return [whole(step, number, body)]
