"""Shell commands in a directory, and named shells with persistent state.

A named shell is not a running process: each command starts a new one, with the directory and the
exported variables of the previous command.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import suppress

from clew.compat.chimera.results import CommandResult

TIMED_OUT = 124
_SAVE_STATE = """\
trap 'export -p >"$CLEW_SHELL/variables"; pwd >"$CLEW_SHELL/directory"' EXIT
"""


def run(cmd: str, directory: str, timeout: float) -> CommandResult:
    """Run a shell command; after a timeout, kill it and its process group."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", cmd],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _stop(process)
        return CommandResult("", "Command timed out", TIMED_OUT)
    except BaseException:
        _stop(process)
        raise
    return CommandResult(_text(stdout), _text(stderr), process.returncode)


class Shells:
    """The shells of one environment, by name."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._state_dir = tempfile.TemporaryDirectory(prefix="clew-shells-")

    def run(self, name: str, cmd: str, timeout: float) -> CommandResult:
        """Run a command in the last state of a shell."""
        place = os.path.join(self._state_dir.name, name.encode().hex())
        os.makedirs(place, exist_ok=True)
        script = f"export CLEW_SHELL={place}\n{_SAVE_STATE}"
        if os.path.exists(os.path.join(place, "variables")):
            script += '. "$CLEW_SHELL/variables"\n'
        return run(script + cmd, self._last_directory(place), timeout)

    def close(self) -> None:
        self._state_dir.cleanup()

    def _last_directory(self, place: str) -> str:
        with suppress(OSError), open(os.path.join(place, "directory"), "rb") as file:
            found = os.fsdecode(file.read().removesuffix(b"\n"))
            if os.path.isdir(found):  # a restore may have removed it
                return found
        return self._directory


def _stop(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
