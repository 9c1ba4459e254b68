"""A server that answers one connection on loopback, as a test wants it to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PATIENCE = 60.0

Answering = Callable[[socket.socket], None]


@contextmanager
def answering(answer: Answering) -> Iterator[str]:
    """Answer whoever comes first, and yield the address to ask."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        thread = threading.Thread(target=_serve, args=(listening, answer))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/health"
        finally:
            thread.join()


def saying(text: bytes) -> Answering:
    """Return an answer that is always the same."""
    return lambda connection: connection.sendall(text)


def _serve(listening: socket.socket, answer: Answering) -> None:
    connection, _ = listening.accept()
    with connection, suppress(OSError):  # whoever asked may have heard enough
        connection.settimeout(PATIENCE)
        asked = b""
        while b"\r\n\r\n" not in asked and (piece := connection.recv(4096)):
            asked += piece
        answer(connection)
