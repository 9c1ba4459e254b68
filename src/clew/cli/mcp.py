"""`clew mcp`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.errors import BadOption, MissingDependency

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.mcp.server import ClewServer

TOKEN = "CLEW_MCP_TOKEN"  # noqa: S105 - the name of a variable
_SHORTEST = 16
_LAST_PORT = 65_535

COMMAND = Command(
    "mcp",
    "Run an MCP server that offers the commands as tools",
    """\
Serves the Model Context Protocol on standard input and output, or with --http on 127.0.0.1.
HTTP requests need the header `Authorization: Bearer TOKEN`, with the token from $CLEW_MCP_TOKEN or
a new one, which is printed once.
Restore, undo and adopt ask the user through the client before they overwrite anything; no answer
means no, unless `restore.unattended` is on.
The server also asks before it runs a command other than the configured check (`clew config set verify
COMMAND`) and before a fork creates a directory; --allow-commands approves these in advance.
Requires `pip install 'clew[mcp]'`.""",
    (),
    (
        Option(("--http",), "Serve HTTP on the loopback interface"),
        Option(("--allow-commands",), "Run commands from the agent without asking"),
        Option(("--port",), "Port for --http (default: any free port)", "N"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    port = args.number("--port")
    if port is not None and not args.given("--http"):
        raise BadOption("--port", "requires --http")
    if port is not None and port > _LAST_PORT:
        raise BadOption("--port", f"must be at most {_LAST_PORT}")
    if args.given("--http"):
        _serve_http(args, context, port or 0)
    else:
        server = _server(args, context)
        from clew.mcp.transports import serve_stdio

        serve_stdio(server)
    return ExitCode.DONE


def _serve_http(args: Arguments, context: CommandContext, port: int) -> None:
    token, is_new = _token()
    server = _server(args, context)
    from clew.mcp.transports import serve_http

    def listening(address: str) -> None:
        context.say(f"Listening on {address}")
        if is_new:
            context.say(f"Token: {token}")

    serve_http(server, token, port, listening)


def _server(args: Arguments, context: CommandContext) -> ClewServer:
    try:
        import mcp  # noqa: F401 - an extra
    except ModuleNotFoundError as error:
        raise MissingDependency("mcp") from error
    from clew.cli.failure import error_value
    from clew.mcp.executor import ToolExecutor
    from clew.mcp.server import ClewServer
    from clew.opening import open as open_workspace  # the server needs all of a workspace

    directory = os.path.abspath(context.directory or ".")
    desk = ToolExecutor(open_workspace, directory, context.store)
    return ClewServer(desk, error_value, allow_commands=args.given("--allow-commands"))


def _token() -> tuple[str, bool]:
    """Return the token, and whether it is new."""
    import secrets

    # Removed from the environment: commands in sandboxed copies must not inherit it.
    given = os.environ.pop(TOKEN, "")
    if not given:
        return secrets.token_urlsafe(32), True
    if len(given) < _SHORTEST or not given.isascii() or not given.isprintable():
        raise BadOption("--http", f"requires {_SHORTEST} or more ASCII characters in {TOKEN}")
    return given, False
