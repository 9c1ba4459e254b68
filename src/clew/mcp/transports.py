"""Transports: standard input and output, and HTTP on loopback with a token."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from clew.mcp.server import ClewServer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
_SHUTDOWN_TIMEOUT = 3
"""Seconds that open connections have at shutdown; streams would never end."""
PATH = "/mcp"


def serve_stdio(server: ClewServer) -> None:
    """Serve until standard input ends.  Only the protocol is written to standard output."""
    anyio.run(server.run_stdio_async)


def serve_http(server: ClewServer, token: str, port: int, listening: Callable[[str], None]) -> None:
    """Serve on loopback until interrupted; call `listening` with the address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(128)
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            require_token(application(server, port), token),
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
        )
        listening(f"http://{LOOPBACK}:{port}{PATH}")
        anyio.run(uvicorn.Server(config).serve, [listener])


def application(server: ClewServer, port: int) -> ASGIApp:
    """Return the server as an application that accepts only its own host names and origins."""
    names = [f"{name}:{port}" for name in (LOOPBACK, "localhost")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    return server.streamable_http_app(streamable_http_path=PATH, transport_security=security)


def require_token(inner: ASGIApp, token: str) -> ASGIApp:
    """Return an application that rejects requests without the token."""
    expected = f"Bearer {token}".encode()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or _has_token(scope, expected):
            await inner(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return app


def _has_token(scope: Scope, expected: bytes) -> bool:
    given = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
    return len(given) == 1 and hmac.compare_digest(given[0], expected)
