"""MCP exercise: start the server that an agent's settings register, and list its tools.

The server starts as the agent starts it: the registered command and environment, in the project's
directory.  The exchange is the one every client begins with: initialize, initialized, tools/list.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import IO, NamedTuple

from clew.agents.setup import files, parts, server_entry
from clew.agents.setup.catalogue import AGENTS, SCOPES, USER, Agent
from clew.agents.setup.json_spans import NotJson, read
from clew.agents.setup.paths import bounds, own_programs, parts_of
from clew.errors import BadAgentSettings
from clew.model.setup_results import Feature
from clew.worktree.interpreter import find_program

TIMEOUT_SECONDS = 60.0
_GRACE_SECONDS = 5.0
_PROTOCOL = "2025-06-18"
_MAX_CHARS = 300
_MAX_ERROR_BYTES = 1 << 16
_CODEX_VARIABLES = (
    "HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
)  # fmt: skip
"""Codex passes nothing else to a server; a store in CLEW_HOME is then not the server's."""


class RegisteredServer(NamedTuple):
    """A server of clew in an agent's settings."""

    agent: Agent
    path: str
    """The file that registers it."""
    scope: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    is_ours: bool
    """Whether it may be started: as `enable` writes it, or in the user's own settings."""


class ServerAnswer(NamedTuple):
    """What a server answered."""

    tools: int = 0
    error: str = ""
    hint: str = ""
    """The remedy that the server printed itself."""


class _Failed(Exception):
    """The exchange failed."""


def registered_servers(roots: list[str]) -> Iterator[RegisteredServer]:
    """Yield the servers of clew that agents would start here."""
    seen: set[tuple[str, str]] = set()
    for root in roots:
        for agent in AGENTS.values():
            for scope in SCOPES:
                for part in parts_of(agent, scope, root):
                    if part.what != Feature.MCP or (agent.name, part.path) in seen:
                        continue
                    seen.add((agent.name, part.path))
                    entry = _entry(agent, part.path, bounds(scope, root))
                    server = None if entry is None else _server(agent, part.path, scope, entry)
                    if server is not None:
                        yield server


def list_tools(
    server: RegisteredServer, directory: str, timeout: float = TIMEOUT_SECONDS
) -> ServerAnswer:
    """Start a server in a directory and list its tools."""
    with tempfile.TemporaryFile() as errors:
        program, *words = server.command
        try:
            process = subprocess.Popen(
                [program if "/" in program else find_program(program) or program, *words],
                cwd=directory,
                env=_environment(server),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            return ServerAnswer(error=f"{error.strerror}: {server.command[0]}")
        try:
            return ServerAnswer(_exchange(process, time.monotonic() + timeout))
        except (_Failed, OSError) as error:
            _stop(process)  # what it prints at its end is read too
            errors.seek(0)
            return _failure(str(error), errors.read(_MAX_ERROR_BYTES))
        finally:
            _stop(process)


def _entry(agent: Agent, path: str, within: str | None) -> Mapping[str, object] | None:
    """Return our entry in a file; None if there is none."""
    try:
        text = files.read(path, within).text
        if text is None or not parts.contains(path, Feature.MCP, text, agent):
            return None
        value: object = read(text).value if agent.mcp_path else tomllib.loads(text)
    except (BadAgentSettings, NotJson, OSError, ValueError):
        return None
    for key in (*(agent.mcp_path or ("mcp_servers",)), server_entry.NAME):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _server(
    agent: Agent, path: str, scope: str, entry: Mapping[str, object]
) -> RegisteredServer | None:
    command, args = entry.get("command"), entry.get("args", [])
    words = command if isinstance(command, list) else [command, *_items(args)]
    variables = entry.get("env", entry.get("environment"))
    if not words or not all(isinstance(word, str) and word for word in words):
        return None
    given = variables.items() if isinstance(variables, dict) else ()
    environment = tuple((str(key), str(value)) for key, value in given)
    is_ours = scope == USER or entry in [_written(agent, program) for program in own_programs()]
    return RegisteredServer(agent, path, scope, tuple(map(str, words)), environment, is_ours)


def _written(agent: Agent, program: tuple[str, ...]) -> object:
    """Return the entry that `enable` writes."""
    if agent.mcp_path:
        return server_entry.entry(agent, program)
    return tomllib.loads(server_entry.toml_block(program))["mcp_servers"][server_entry.NAME]


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _environment(server: RegisteredServer) -> dict[str, str]:
    inherited = dict(os.environ)
    if server.agent.name == "codex":
        inherited = {key: value for key, value in inherited.items() if key in _CODEX_VARIABLES}
    return {**inherited, **dict(server.environment)}


def _exchange(process: subprocess.Popen[bytes], deadline: float) -> int:
    """Return the number of tools."""
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"name": "clew-doctor", "version": "1"}
    begin = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        answers = _Answers(process.stdout, selector, deadline)
        _send(process.stdin, {"id": 1, "method": "initialize", "params": begin})
        answers.result(1)
        _send(process.stdin, {"method": "notifications/initialized"})
        _send(process.stdin, {"id": 2, "method": "tools/list", "params": {}})
        tools = answers.result(2).get("tools")
    if not isinstance(tools, list) or not tools:
        raise _Failed("it offers no tools")
    return len(tools)


class _Answers:
    """The messages of a server, one JSON value a line."""

    def __init__(
        self, stream: IO[bytes], selector: selectors.BaseSelector, deadline: float
    ) -> None:
        self._stream = stream
        self._selector = selector
        self._deadline = deadline
        self._pending = b""

    def result(self, number: int) -> Mapping[str, object]:
        """Return the result of a request, skipping other messages."""
        while True:
            line = self._line()
            try:
                message = json.loads(line)
            except ValueError:
                raise _Failed(f"it prints something else than messages: {_short(line)}") from None
            if not isinstance(message, dict) or message.get("id") != number:
                continue
            result = message.get("result")
            if not isinstance(result, dict):
                raise _Failed(f"it answers with an error: {_short(line)}")
            return result

    def _line(self) -> bytes:
        while b"\n" not in self._pending:
            left = self._deadline - time.monotonic()
            if left <= 0 or not self._selector.select(left):
                raise _Failed("it does not answer in time")
            piece = os.read(self._stream.fileno(), 1 << 16)
            if not piece:
                raise _Failed("it ends without an answer")
            self._pending += piece
        line, _, self._pending = self._pending.partition(b"\n")
        return line


def _send(stream: IO[bytes], message: Mapping[str, object]) -> None:
    with suppress(BrokenPipeError):  # it has ended, as its answer will show
        stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        stream.flush()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a server: by the end of its input, as clients do, else by a signal."""
    assert process.stdin is not None
    assert process.stdout is not None
    if process.returncode is not None:
        return
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    process.stdout.close()


def _failure(problem: str, printed: bytes) -> ServerAnswer:
    """Return a failure with the error and the hint that the server printed, if any."""
    lines = [line.strip() for line in printed.decode(errors="replace").splitlines() if line.strip()]
    hint = next((line for line in lines if line.startswith(_HINT)), "").removeprefix(_HINT).strip()
    said = next((line for line in lines if line.startswith(_ERROR)), lines[-1] if lines else "")
    said = said.removeprefix(_ERROR).strip()[:_MAX_CHARS]
    return ServerAnswer(error=f"{problem}: {said}" if said else problem, hint=hint[:_MAX_CHARS])


def _short(line: bytes) -> str:
    return line.decode(errors="replace").strip()[:_MAX_CHARS]


_ERROR, _HINT = "Error:", "Hint:"
"""How `clew mcp` begins its lines if it cannot start."""
