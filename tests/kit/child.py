"""A second process that does what it is told, line by line, so that tests control the order."""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType

_LOOP = """
import sys
names = {}
for line in sys.stdin:
    exec(line, names)
    print("done", flush=True)
"""


class Child:
    """Runs statements one by one in another process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _LOOP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def do(self, statement: str) -> None:
        """Run one line and wait until it is done."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(statement + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", "the child died"

    def end(self) -> None:
        """Let it exit and wait for that."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(10)
        if self.process.stdout:
            self.process.stdout.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
