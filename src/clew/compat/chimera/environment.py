"""Where an agent's code lives and is tested; what can be saved and given back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from clew.compat.chimera.results import CommandResult, TestResult


class Environment(ABC):
    """A place to work in, with checkpoints that have ids."""

    @abstractmethod
    def setup(self) -> None:
        """Make the place ready."""

    @abstractmethod
    def cleanup(self) -> None:
        """Let go of what `setup` took; the files and the checkpoints stay."""

    @abstractmethod
    def read_file(self, path: str) -> str:
        """Return the text of a file."""

    @abstractmethod
    def write_file(self, path: str, content: str) -> None:
        """Write a file, with the directories above it."""

    @abstractmethod
    def list_files(self, pattern: str = "**/*") -> list[str]:
        """Return the files that a pattern matches, sorted."""

    @abstractmethod
    def run_command(self, cmd: str, timeout: int | None = None) -> CommandResult:
        """Run a shell command in the place."""

    @abstractmethod
    def run_tests(self) -> TestResult:
        """Run the tests and read what they say."""

    @abstractmethod
    def checkpoint(self) -> str:
        """Save what is there and return the checkpoint's id."""

    @abstractmethod
    def restore(self, checkpoint_id: str) -> None:
        """Make the place what a checkpoint holds."""

    @abstractmethod
    def clone(self) -> Environment:
        """Return another place that holds the same, and goes its own way."""

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
