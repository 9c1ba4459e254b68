"""A container of the Docker engine: a checkpoint is an image made of it.

`checkpoint()` commits the container, processes paused; `restore()` starts a container from the image
and only then lets go of the one before.  Images outlive the process, volumes are not part of them.
The engine is asked through its own command line, so no library is needed.
"""

from __future__ import annotations

import posixpath
import re
import shlex
import subprocess
from fnmatch import fnmatchcase
from typing import Any
from uuid import uuid4

from clew.compat.chimera.environment import Environment
from clew.compat.chimera.results import CommandResult, TestResult, read_summary
from clew.compat.chimera.sandbox import sandbox_options
from clew.compat.chimera.shell import TIMED_OUT
from clew.worktree.interpreter import find_program

REPOSITORY = "clew-chimera"
"""Images of checkpoints are tagged in it, so that `docker image prune` leaves them alone."""


class DockerEnvironment(Environment):
    """A container to work in, alone in its own file system."""

    def __init__(
        self,
        image: str = "python:3.11-slim",
        workdir: str = "/workspace",
        test_cmd: str = "python -m pytest",
        sandbox: Any = None,
        *,
        working_dir: str | None = None,
        timeout: int = 300,
        network: str | None = None,
        host: str | None = None,
        name: str | None = None,
    ) -> None:
        self.image = image
        self.workdir = working_dir if working_dir is not None else workdir
        self.test_cmd = test_cmd
        self.timeout = timeout
        self.container: str | None = None
        """The id of the container, while there is one."""
        self.records_key = f"docker {name or uuid4().hex}"
        """What a manager's records are known by: `name`, if they are to be found again."""
        self._sandbox = sandbox
        self._network = network
        self._options = ["--host", host] if host else []
        self._host = host

    def setup(self) -> None:
        """Start the container, unless it runs already."""
        if self.container is None:
            self.container = self._start(self.image)

    def cleanup(self) -> None:
        """Remove the container; its checkpoints stay."""
        if self.container is not None:
            self._ask("rm", "--force", "--volumes", self.container)
            self.container = None

    def read_file(self, path: str) -> str:
        found = self._inside(["cat", "--", self._full(path)])
        if found.returncode:
            raise FileNotFoundError(f"File not found: {path}")
        return found.stdout.decode("utf-8")

    def write_file(self, path: str, content: str) -> None:
        full = self._full(path)
        quoted, above = shlex.quote(full), shlex.quote(posixpath.dirname(full))
        script = f"mkdir -p -- {above} && cat > {quoted}"
        written = self._inside(["sh", "-c", script], content.encode())
        if written.returncode:
            raise OSError(f"Cannot write: {path!r}: {_text(written.stderr).strip()}")

    def list_files(self, pattern: str = "**/*") -> list[str]:
        found = self._inside(["find", self.workdir, "-type", "f", "-print0"])
        prefix = self.workdir.rstrip("/") + "/"
        names = (_text(name) for name in found.stdout.split(b"\0") if name)
        relative = (name.removeprefix(prefix) for name in names)
        return sorted(name for name in relative if _matches(name, pattern))

    def run_command(
        self, cmd: str, timeout: int | None = None, shell_name: str = "main"
    ) -> CommandResult:
        """Run a shell command in the container; `shell_name` is taken and makes no difference.

        One that takes too long is not waited for; it runs on until the container goes.
        """
        try:
            done = self._inside(["sh", "-c", cmd], timeout=timeout or self.timeout)
        except subprocess.TimeoutExpired:
            return CommandResult("", "Command timed out", TIMED_OUT)
        return CommandResult(_text(done.stdout), _text(done.stderr), done.returncode)

    def run_tests(self) -> TestResult:
        return read_summary(self.run_command(self.test_cmd))

    def checkpoint(self) -> str:
        """Make an image of the container and return its id."""
        identifier = uuid4().hex[:12]
        self._ask("commit", "--pause", self._running(), f"{REPOSITORY}:{identifier}")
        return identifier

    def restore(self, checkpoint_id: str) -> None:
        """Go on in a container made from a checkpoint; the one before is removed then."""
        fresh = self._start(self._image_of(checkpoint_id))
        self.cleanup()
        self.container = fresh

    def clone(self) -> DockerEnvironment:
        """Return a running container that holds the same."""
        image = f"{REPOSITORY}:{self.checkpoint()}"
        twin = DockerEnvironment(
            image, self.workdir, self.test_cmd, self._sandbox,
            timeout=self.timeout, network=self._network, host=self._host,
        )  # fmt: skip
        twin.setup()
        return twin

    def forget(self, checkpoint_id: str) -> None:
        """Remove the image of a checkpoint."""
        self._ask("image", "rm", self._image_of(checkpoint_id))

    def _image_of(self, checkpoint_id: str) -> str:
        image = f"{REPOSITORY}:{checkpoint_id}"
        if re.fullmatch("[0-9a-f]{12}", checkpoint_id):
            if self._run(["image", "inspect", image]).returncode == 0:
                return image
        raise ValueError(f"Checkpoint {checkpoint_id} not found")

    def _start(self, image: str) -> str:
        options = ["--workdir", self.workdir, *sandbox_options(self._sandbox)]
        if self._network is not None:
            options += ["--network", self._network]
        return self._ask("run", "--detach", *options, image, "sleep", "infinity")

    def _running(self) -> str:
        if self.container is None:
            raise RuntimeError("There is no container yet: call setup() first")
        return self.container

    def _full(self, path: str) -> str:
        return posixpath.join(self.workdir, path)

    def _inside(
        self, command: list[str], given: bytes | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        words = ["exec", "--workdir", self.workdir]
        words += ["--interactive"] if given is not None else []
        return self._run([*words, self._running(), *command], given, timeout or self.timeout)

    def _ask(self, *words: str) -> str:
        """Have the engine do something, and return what it says."""
        done = self._run(list(words))
        if done.returncode:
            raise RuntimeError(f"docker {words[0]} failed: {_text(done.stderr).strip()}")
        return _text(done.stdout).strip()

    def _run(
        self, words: list[str], given: bytes | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        docker = find_program("docker")
        if docker is None:
            raise RuntimeError("There is no docker command on this machine")
        return subprocess.run(
            [docker, *self._options, *words], input=given if given is not None else b"",
            capture_output=True, timeout=timeout, check=False,
        )  # fmt: skip


def _matches(name: str, pattern: str) -> bool:
    if pattern == "**/*":
        return True
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.removeprefix("**/"))


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
