"""A model that says what a script tells it to, on loopback: what real agents talk to in tests.

It speaks Anthropic's Messages, for Claude Code, and OpenAI's Responses, for Codex, both streamed.
Each step is `{"tool": name, "args": {...}}` or `{"text": "..."}`; which one is next follows from the
number of tool results in what is asked, so a retry or a resumed session goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Step = dict[str, Any]


class StubModel(ThreadingHTTPServer):
    """The server; `asked` holds the messages of every request for an agent's next turn."""

    daemon_threads = True

    def __init__(self, script: Sequence[Step]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = list(script)
        self.asked: list[list[dict[str, Any]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, body: dict[str, Any]) -> Step:
        if not body.get("tools"):
            return {"text": "a title"}  # asked beside the conversation
        asked = body["messages"] if "messages" in body else body["input"]
        self.asked.append(asked)
        results = sum(_results(message) for message in asked)
        return self.script[results] if results < len(self.script) else {"text": "done"}


@contextmanager
def stub_model(script: Sequence[Step]) -> Iterator[StubModel]:
    """Serve a script until the end of the block."""
    with StubModel(script) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(10)


class _Handler(BaseHTTPRequestHandler):
    server: StubModel

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._give("application/json", b"")

    def do_GET(self) -> None:
        self._give("application/json", b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/responses"):
            step = self.server.answer(body)
            events = responses(step, len(self.server.asked), body)
            self._give("text/event-stream", b"".join(map(_event, events)))
            return
        if not path.endswith("/messages"):
            self._give("application/json", b'{"input_tokens": 10}')
            return
        step = self.server.answer(body)
        number = len(self.server.asked)
        if body.get("stream"):
            self._give("text/event-stream", b"".join(_events(step, number, body)))
        else:
            message = _message(number, body) | {"content": [_block(step, number)]}
            self._give("application/json", json.dumps(message).encode())

    def _give(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _message(number: int, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _block(step: Step, number: int) -> dict[str, Any]:
    if "tool" in step:
        identifier = f"toolu_{number}"
        return {"type": "tool_use", "id": identifier, "name": step["tool"], "input": step["args"]}
    return {"type": "text", "text": step["text"]}


def _events(step: Step, number: int, body: dict[str, Any]) -> Iterator[bytes]:
    block = _block(step, number)
    if "tool" in step:
        begun = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step["args"])}
        stop = "tool_use"
    else:
        begun = block | {"text": ""}
        delta = {"type": "text_delta", "text": step["text"]}
        stop = "end_turn"
    message = _message(number, body) | {"stop_reason": None}
    ending = {"stop_reason": stop, "stop_sequence": None}
    for event in (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ):
        yield _event(event)


def _event(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _results(message: dict[str, Any]) -> int:
    """Count the tool results in one message of either kind."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    found = [block for block in blocks if block.get("type") == "tool_result"]
    return len(found) + str(message.get("type", "")).endswith("_call_output")


def responses(step: Step, number: int, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of OpenAI's Responses that say a step."""
    if "tool" in step:
        item: dict[str, Any] = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": step["tool"],
            "arguments": json.dumps(step["args"]),
            "status": "completed",
        }
    else:
        text = {"type": "output_text", "text": step["text"], "annotations": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    response: dict[str, Any] = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "model": body.get("model"),
        "output": [],
    }
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    done = response | {"status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
