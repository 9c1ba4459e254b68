"""Bounded socket: a connection with a deadline, from which only so much is read."""

from __future__ import annotations

import socket
import time

_MOST_BYTES = 4 << 20


class ServerRefused(Exception):
    """A server does not answer; the message gives the reason."""


class BoundedSocket:
    """A connection to a server that may be slow, endless or hostile."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        """`deadline` is of the monotonic clock."""
        self._socket = connection
        self._deadline = deadline
        self._left = _MOST_BYTES

    def send(self, content: bytes) -> None:
        self._socket.settimeout(self._remaining())
        self._socket.sendall(content)

    def receive(self, size: int) -> bytes:
        """Return so many bytes; raise `ServerRefused` if there are fewer, or too many in all."""
        self._left -= size
        if self._left < 0:
            raise ServerRefused("its answer is too long")
        found = bytearray()
        while len(found) < size:
            self._socket.settimeout(self._remaining())
            piece = self._socket.recv(size - len(found))
            if not piece:
                raise ServerRefused("it closed the connection")
            found += piece
        return bytes(found)

    def _remaining(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise ServerRefused("it took too long")
        return left
