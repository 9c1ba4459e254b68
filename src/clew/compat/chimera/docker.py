"""Docker environment: a checkpoint is an image of the container.

`checkpoint()` commits the container, with its processes paused; `restore()` starts a container from
the image and then removes the previous one.  Images outlive the process; they exclude volumes.
The engine is controlled through its command line, so no library is needed.
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
from clew.compat.chimera.shell import TIMED_OUT
from clew.worktree.interpreter import find_program

REPOSITORY = "clew-chimera"
"""The repository of checkpoint images: `docker image prune` does not remove tagged images."""


class DockerEnvironment(Environment):
    """A container with its own file system."""

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
        """The id of the container, or None."""
        self.records_key = f"docker {name or uuid4().hex}"
        """The key of a manager's records; pass `name` to find them again."""
        self._sandbox = sandbox
        self._network = network
        self._options = ["--host", host] if host else []
        self._host = host

    def setup(self) -> None:
        """Start the container, unless it is running."""
        if self.container is None:
            self.container = self._start(self.image)

    def cleanup(self) -> None:
        """Remove the container; its checkpoints remain."""
        if self.container is not None:
            self._docker("rm", "--force", "--volumes", self.container)
            self.container = None

    def read_file(self, path: str) -> str:
        found = self._exec(["cat", "--", self._full(path)])
        if found.returncode:
            raise FileNotFoundError(f"File not found: {path}")
        return found.stdout.decode("utf-8")

    def write_file(self, path: str, content: str) -> None:
        full = self._full(path)
        quoted, above = shlex.quote(full), shlex.quote(posixpath.dirname(full))
        script = f"mkdir -p -- {above} && cat > {quoted}"
        written = self._exec(["sh", "-c", script], content.encode())
        if written.returncode:
            raise OSError(f"Cannot write: {path!r}: {_text(written.stderr).strip()}")

    def list_files(self, pattern: str = "**/*") -> list[str]:
        found = self._exec(["find", self.workdir, "-type", "f", "-print0"])
        prefix = self.workdir.rstrip("/") + "/"
        names = (_text(name) for name in found.stdout.split(b"\0") if name)
        relative = (name.removeprefix(prefix) for name in names)
        return sorted(name for name in relative if _matches(name, pattern))

    def run_command(
        self, cmd: str, timeout: int | None = None, shell_name: str = "main"
    ) -> CommandResult:
        """Run a shell command in the container; `shell_name` is ignored.

        After a timeout the command keeps running until the container is removed.
        """
        try:
            done = self._exec(["sh", "-c", cmd], timeout=timeout or self.timeout)
        except subprocess.TimeoutExpired:
            return CommandResult("", "Command timed out", TIMED_OUT)
        return CommandResult(_text(done.stdout), _text(done.stderr), done.returncode)

    def run_tests(self) -> TestResult:
        return read_summary(self.run_command(self.test_cmd))

    def checkpoint(self) -> str:
        """Create an image of the container and return its id."""
        identifier = uuid4().hex[:12]
        self._docker("commit", "--pause", self._running(), f"{REPOSITORY}:{identifier}")
        return identifier

    def restore(self, checkpoint_id: str) -> None:
        """Start a container from a checkpoint, then remove the previous one."""
        fresh = self._start(self._image_of(checkpoint_id))
        self.cleanup()
        self.container = fresh

    def clone(self) -> DockerEnvironment:
        """Return a running copy of the container."""
        image = f"{REPOSITORY}:{self.checkpoint()}"
        twin = DockerEnvironment(
            image, self.workdir, self.test_cmd, self._sandbox,
            timeout=self.timeout, network=self._network, host=self._host,
        )  # fmt: skip
        twin.setup()
        return twin

    def forget(self, checkpoint_id: str) -> None:
        """Remove the image of a checkpoint."""
        self._docker("image", "rm", self._image_of(checkpoint_id))

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
        return self._docker("run", "--detach", *options, image, "sleep", "infinity")

    def _running(self) -> str:
        if self.container is None:
            raise RuntimeError("No container: call setup() first")
        return self.container

    def _full(self, path: str) -> str:
        return posixpath.join(self.workdir, path)

    def _exec(
        self, command: list[str], given: bytes | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        words = ["exec", "--workdir", self.workdir]
        words += ["--interactive"] if given is not None else []
        return self._run([*words, self._running(), *command], given, timeout or self.timeout)

    def _docker(self, *words: str) -> str:
        """Run a docker command and return its output, or raise RuntimeError."""
        done = self._run(list(words))
        if done.returncode:
            raise RuntimeError(f"docker {words[0]} failed: {_text(done.stderr).strip()}")
        return _text(done.stdout).strip()

    def _run(
        self, words: list[str], given: bytes | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        docker = find_program("docker")
        if docker is None:
            raise RuntimeError("docker not found on the PATH")
        return subprocess.run(
            [docker, *self._options, *words], input=given if given is not None else b"",
            capture_output=True, timeout=timeout, check=False,
        )  # fmt: skip


def sandbox_options(policy: Any) -> list[str]:
    """Return a sandbox policy as options of `docker run`; what it omits stays at Docker's default."""
    if policy is None:
        return []
    rules = list(getattr(policy, "network_rules", ()) or ())
    options = ["--network", "none"] if rules and not any(rule.allow for rule in rules) else []
    memory = getattr(policy, "max_memory_mb", None)
    processes = getattr(policy, "max_processes", None)
    options += ["--memory", f"{memory}m"] if memory else []
    options += ["--pids-limit", str(processes)] if processes else []
    paths = getattr(policy, "path_rules", None)
    if paths is not None and not any(_may_write(rule) for rule in paths):
        options += ["--read-only", "--tmpfs", "/tmp:size=100m"]  # noqa: S108  the container's own
    return options


def _may_write(rule: Any) -> bool:
    return getattr(rule.access, "value", rule.access) in ("write", "execute")


def _matches(name: str, pattern: str) -> bool:
    if pattern == "**/*":
        return True
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.removeprefix("**/"))


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
