"""A model that says what a script tells it to, on loopback: what real agents talk to in tests.

Each step is `{"tool": name, "args": {...}}` or `{"text": "..."}`; which one is next follows from the
number of tool results in what is asked, so a retry or a resumed session goes on where it was.
`dialects/` has what it speaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.real_agents.dialects import anthropic, chat, gemini, responses

Step = dict[str, Any]

_DIALECTS = {
    "/messages": anthropic,
    "/responses": responses,
    "/chat/completions": chat,
    ":generateContent": gemini,
    ":streamGenerateContent": gemini,
}
_COUNTED = {"input_tokens": 10, "totalTokens": 10}


class StubModel(ThreadingHTTPServer):
    """The server; `asked` holds the messages of every request for an agent's next turn."""

    daemon_threads = True

    def __init__(self, script: Sequence[Step]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = list(script)
        self.asked: list[list[dict[str, Any]]] = []
        self.tools: list[dict[str, Any]] = []
        """What the model may call, as the newest of these requests says."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def next_step(self, asked: list[dict[str, Any]], results: int) -> Step:
        self.asked.append(asked)
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
        dialect = next((_DIALECTS[end] for end in _DIALECTS if path.endswith(end)), None)
        if dialect is None:
            self._give("application/json", json.dumps(_COUNTED).encode())
            return
        if body.get("tools"):
            self.server.tools = body["tools"]
            asked = dialect.asked(body)
            step = self.server.next_step(asked, dialect.results(asked))
        else:
            step = {"text": "a title"}  # asked beside the conversation
        number = len(self.server.asked)
        if body.get("stream") or "stream" in path:
            self._give("text/event-stream", _sent(dialect.stream(step, number, body)))
        else:
            self._give("application/json", json.dumps(dialect.whole(step, number, body)).encode())

    def _give(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _sent(events: list[dict[str, Any]]) -> bytes:
    """Return events as they are streamed; those of chat completions have no names, and an end."""
    lines = []
    for event in events:
        if "type" in event:
            lines.append(f"event: {event['type']}\n")
        lines.append(f"data: {json.dumps(event)}\n\n")
    if "choices" in events[-1]:
        lines.append("data: [DONE]\n\n")
    return "".join(lines).encode()
