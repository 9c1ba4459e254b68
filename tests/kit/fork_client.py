"""A process that has a fork server run `clew`, for a program that wants a command to start.

    python -I -S fork_client.py ADDRESS WORD...

It hands over its environment, its directory and its streams, and ends as the command ends.
"""

from __future__ import annotations

import array
import marshal
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence


def request(
    connection: socket.socket,
    words: Sequence[str],
    env: Mapping[str, str],
    cwd: str | os.PathLike[str],
    streams: Sequence[int],
    *,
    stopped: bool = False,
) -> int:
    """Ask a server to run a command on these streams, and return its process id.

    One that is `stopped` waits for a SIGCONT before it begins.
    """
    encoded = {os.fsencode(key): os.fsencode(value) for key, value in env.items()}
    umask = os.umask(0)
    os.umask(umask)
    encoded_words = [os.fsencode(word) for word in words]
    asked = marshal.dumps((encoded_words, encoded, os.fsencode(cwd), umask, stopped))
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))
    connection.sendmsg([asked], [rights])
    return int(connection.recv(64))


def main(address: str, words: list[str]) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(address)
        pid = request(connection, words, os.environ, os.getcwd(), (0, 1, 2))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda caught, _: os.kill(pid, caught))
        return int(connection.recv(64))


if __name__ == "__main__":
    code = main(sys.argv[1], sys.argv[2:])
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
