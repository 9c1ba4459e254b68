"""HTTP probe: one GET request to a URL, as a health check.

Redirects are not followed and proxies are not used: the response of this URL is what counts.
One deadline covers the whole request, so a server that sends a byte now and then cannot stall it.
"""

from __future__ import annotations

import io
import time

from clew.model.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse
    from socket import socket
    from urllib.parse import SplitResult

BODY_READ = 64 << 10
BODY_PATIENCE = 2.0
"""Seconds for the body: the status is the result, and some bodies never end."""
TIMED_OUT = "Timed out"


class HttpAnswer(NamedTuple):
    """The result of a request."""

    status: int | None
    """None if there was no response."""
    text: str
    """The beginning of the body, or why there was no response."""

    @property
    def is_well(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def is_address(text: str) -> bool:
    """Return whether a check is a URL to request rather than a command to run."""
    return text.startswith(("http://", "https://")) and not any(map(str.isspace, text))


def require_address(url: str) -> None:
    """Raise ValueError for an invalid URL."""
    _split(url)


def ask(url: str, timeout: float, body_patience: float = BODY_PATIENCE) -> HttpAnswer:
    """Send one GET request to a URL; an error is returned as an answer without a status."""
    from http.client import HTTPException

    try:
        return _ask(_split(url), _Deadline(timeout), body_patience)
    except TimeoutError:
        return HttpAnswer(None, TIMED_OUT)
    except (OSError, HTTPException, ValueError) as error:
        return HttpAnswer(None, str(error) or type(error).__name__)


def _split(url: str) -> SplitResult:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError(f"not an HTTP URL: {url!r}")
    if parts.username is not None:
        raise ValueError("a URL with a user name is not allowed")
    return parts


def _ask(address: SplitResult, deadline: _Deadline, body_patience: float) -> HttpAnswer:
    connection = _connection(address, deadline.left())
    connection.connect()
    with connection.sock as connected:
        connection.sock = _DeadlineSocket(connected, deadline)
        path = (address.path or "/") + (f"?{address.query}" if address.query else "")
        connection.request("GET", path, headers={"User-Agent": "clew", "Connection": "close"})
        with connection.getresponse() as response:
            deadline.shorten(body_patience)
            return HttpAnswer(response.status, _read_body(response).decode("utf-8", "replace"))


def _connection(address: SplitResult, timeout: float) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection

    assert address.hostname is not None
    if address.scheme == "https":
        return HTTPSConnection(address.hostname, address.port, timeout=timeout)
    return HTTPConnection(address.hostname, address.port, timeout=timeout)


def _read_body(response: HTTPResponse) -> bytes:
    from http.client import HTTPException

    body = b""
    try:
        while len(body) < BODY_READ and (piece := response.read1(BODY_READ - len(body))):
            body += piece
    except (OSError, HTTPException, ValueError):
        pass  # what was read so far suffices
    return body


class _Deadline:
    """The deadline of the whole request."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def shorten(self, seconds: float) -> None:
        self._end = min(self._end, time.monotonic() + seconds)


class _DeadlineSocket:
    """A socket whose every operation respects one deadline."""

    def __init__(self, connected: socket, deadline: _Deadline) -> None:
        self._socket = connected
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(self._deadline.left())
        self._socket.sendall(data)

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(_SocketReader(self._socket, self._deadline))

    def close(self) -> None:
        """Leave it open: the body is read after the connection closes its socket."""


class _SocketReader(io.RawIOBase):
    """The received bytes of a socket, as a file."""

    def __init__(self, connected: socket, deadline: _Deadline) -> None:
        self._socket = connected
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what it is given
        self._socket.settimeout(self._deadline.left())
        return self._socket.recv_into(buffer)
