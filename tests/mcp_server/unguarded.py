"""The HTTP server without its token, for tools that cannot send one; prints where it listens."""

from __future__ import annotations

import os
import socket

import anyio
import uvicorn

from clew import opening
from clew.cli.failure import error_value
from clew.mcp.executor import ToolExecutor
from clew.mcp.server import ClewServer
from clew.mcp.transports import LOOPBACK, PATH, application


def main() -> None:
    server = ClewServer(ToolExecutor(opening.open, os.getcwd(), None), error_value)
    with socket.socket() as door:
        door.bind((LOOPBACK, 0))
        door.listen()
        port = door.getsockname()[1]
        config = uvicorn.Config(application(server, port), log_level="error", access_log=False)
        print(f"http://{LOOPBACK}:{port}{PATH}", flush=True)
        anyio.run(uvicorn.Server(config).serve, [door])


if __name__ == "__main__":
    main()
