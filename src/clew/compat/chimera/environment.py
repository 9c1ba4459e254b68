"""Environment interface: files, commands, tests and checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from clew.compat.chimera.results import CommandResult, TestResult


class Environment(ABC):
    """A working directory with commands and checkpoints."""

    @abstractmethod
    def setup(self) -> None:
        """Prepare the environment."""

    @abstractmethod
    def cleanup(self) -> None:
        """Release the resources of `setup`; files and checkpoints remain."""

    @abstractmethod
    def read_file(self, path: str) -> str:
        """Return the text of a file."""

    @abstractmethod
    def write_file(self, path: str, content: str) -> None:
        """Write a file and create its parent directories."""

    @abstractmethod
    def list_files(self, pattern: str = "**/*") -> list[str]:
        """Return the files that a pattern matches, sorted."""

    @abstractmethod
    def run_command(self, cmd: str, timeout: int | None = None) -> CommandResult:
        """Run a shell command in the environment."""

    @abstractmethod
    def run_tests(self) -> TestResult:
        """Run the tests and parse their summary."""

    @abstractmethod
    def checkpoint(self) -> str:
        """Save the state and return the checkpoint's id."""

    @abstractmethod
    def restore(self, checkpoint_id: str) -> None:
        """Restore a checkpoint."""

    def clone(self) -> Environment:
        """Return an independent copy of the environment, if it supports that."""
        raise NotImplementedError(f"{type(self).__name__} does not support clone()")

    def __enter__(self) -> Self:
        self.setup()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cleanup()
