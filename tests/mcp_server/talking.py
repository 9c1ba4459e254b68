"""Clients of `clew mcp`, as a real process, in both generations of the protocol."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult

from tests.kit import fork_server
from tests.kit.running import Clew

T = TypeVar("T")

MODES = ("auto", "legacy")
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
TOKEN = "a token for the tests"
_PATIENCE = 120.0


class Person:
    """Whom the client asks: answers always the same, and remembers the questions."""

    def __init__(self, action: str = "accept") -> None:
        self.action = action
        self.asked: list[str] = []

    async def __call__(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult.model_validate({"action": self.action})


class Served(NamedTuple):
    """A server that listens on loopback."""

    address: str
    said: str
    pid: int


def server_command(clew: Clew, *words: str) -> list[str]:
    """Return the command that starts a server: where that is the same, in a fork, to import less."""
    if clew.prefix or not fork_server.usable(clew.environment()):
        return clew.command("mcp", *words)
    return fork_server.fork_server(fork_server.SERVER).command("mcp", *words)


def stdio(clew: Clew, cwd: Path | None = None) -> StdioServerParameters:
    command, *words = server_command(clew)
    return StdioServerParameters(
        command=command, args=words, env=clew.environment(), cwd=cwd or clew.workspace
    )


def talk(
    clew: Clew,
    body: Callable[[Client], Awaitable[T]],
    *,
    mode: str = "auto",
    person: Person | None = None,
    cwd: Path | None = None,
) -> T:
    """Start a server, have a client talk to it, and stop it."""

    async def run() -> T:
        async with Client(stdio(clew, cwd), mode=mode, elicitation_callback=person) as client:
            return await body(client)

    return asyncio.run(asyncio.wait_for(run(), _PATIENCE))


def call(
    clew: Clew,
    tool: str,
    arguments: dict[str, Any] | None = None,
    *,
    mode: str = "auto",
    person: Person | None = None,
    cwd: Path | None = None,
) -> CallToolResult:
    """Call one tool and return the whole of what it answers."""
    return talk(
        clew,
        lambda client: client.call_tool(tool, arguments or {}),
        mode=mode,
        person=person,
        cwd=cwd,
    )


def ok(result: CallToolResult) -> Any:
    """Return what a call that must work answers."""
    assert not result.is_error, result.content
    return result.structured_content


def error(result: CallToolResult) -> dict[str, str]:
    """Return the error object of a call that must fail."""
    found: dict[str, str] = whole_error(result)["error"]
    assert found.keys() == {"kind", "message", "hint"}
    return found


def whole_error(result: CallToolResult) -> Any:
    """Return the error object and what stands beside it."""
    assert result.is_error, result.content
    assert result.structured_content is None
    (block,) = result.content
    assert block.type == "text"
    return json.loads(block.text)


@contextmanager
def http_server(clew: Clew, *words: str, token: str | None = TOKEN) -> Iterator[Served]:
    """Serve HTTP in a process of its own until the end of the block."""
    environment = clew.environment() | ({} if token is None else {"CLEW_MCP_TOKEN": token})
    process = subprocess.Popen(
        server_command(clew, "--http", *words),
        cwd=clew.workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        lines = [process.stderr.readline()]
        if token is None:
            lines.append(process.stderr.readline())
        yield Served(lines[0].split()[-1], "".join(lines), process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
    assert (process.returncode, out) == (130, "")


def talk_http(
    served: Served,
    body: Callable[[Client], Awaitable[T]],
    *,
    mode: str = "auto",
    token: str = TOKEN,
    person: Person | None = None,
) -> T:
    """Have a client talk to a server that listens."""

    async def run() -> T:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=_PATIENCE, trust_env=False) as http:
            transport = streamable_http_client(served.address, http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=person) as client:
                return await body(client)

    return asyncio.run(asyncio.wait_for(run(), _PATIENCE))


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens elsewhere."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


PYTHON = sys.executable
