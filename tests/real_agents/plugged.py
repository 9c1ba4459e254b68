"""Agents with clew's hooks, and the names of their tools."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.kit.running import SOURCE, Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.stub_model import Step, StubModel, stub_model

FAILING = "ls nothing-there; exit 3"


class Words(NamedTuple):
    """The names of one agent's tools."""

    edit: str
    path: str
    shell: str
    line: str = "command"
    more: tuple[tuple[str, object], ...] = ()

    def make(self, path: Path, content: str) -> Step:
        """Return a step that creates a file with the edit tool."""
        if self.edit == "apply_patch":
            patch = f"*** Begin Patch\n*** Add File: {path.name}\n+{content}\n*** End Patch\n"
            return {"tool": self.edit, "args": patch}
        return {"tool": self.edit, "args": {self.path: str(path), "content": content}}

    def run(self, line: str) -> Step:
        """Return a step that runs a command line."""
        return {"tool": self.shell, "args": {self.line: line, **dict(self.more)}}


WORDS = {
    "claude-code": Words("Write", "file_path", "Bash"),
    "codex": Words("apply_patch", "", "exec_command", "cmd"),
    "gemini": Words("write_file", "file_path", "run_shell_command"),
    "opencode": Words("write", "filePath", "bash", more=(("description", "a command"),)),
    "qwen": Words("write_file", "file_path", "run_shell_command", more=(("is_background", False),)),
}


class Plugged(NamedTuple):
    """An agent with clew's hooks in one workspace."""

    name: str
    clew: Clew
    home: Path
    program: RunAgent

    @property
    def words(self) -> Words:
        return WORDS[self.name]

    @property
    def bin(self) -> Path:
        """A directory that is first on the agent's PATH."""
        return self.home / "bin"

    def enable(self, *options: str) -> None:
        """Enable clew for the agent, as a user would."""
        self.bin.mkdir()
        self.put("clew", f'exec {shlex.quote(sys.executable)} -m clew "$@"')
        self.clew.extra |= {"HOME": str(self.home), "PATH": self.path}
        self.clew.ok("enable", self.name, *options)

    def put(self, name: str, line: str) -> None:
        """Create a one-line program that is first on the agent's PATH."""
        (self.bin / name).write_text(f"#!/bin/sh\n{line}\n")
        (self.bin / name).chmod(0o755)

    @property
    def path(self) -> str:
        return f"{self.bin}:{os.environ['PATH']}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "CLEW_HOME": str(self.clew.store),
            "PYTHONPATH": str(SOURCE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": self.path,
        }

    def work(self, script: list[Step], *arguments: str) -> StubModel:
        """Run the agent with a scripted model; return the model with its requests."""
        with stub_model(script) as model:
            place = self.clew.workspace
            self.program(place, model.address, *(arguments or ("build it",)), **self.environment)
        return model

    def everything(self) -> list[Step]:
        """Create a file with the edit tool, create and delete one in a shell, fail a command."""
        made = self.words.make(self.clew.workspace / "made.txt", "made")
        both = self.words.run("echo other > other.txt; rm gone.txt")
        return [made, both, self.words.run(FAILING), {"text": "all is done"}]

    def timeline(self) -> list[dict[str, Any]]:
        """Return every checkpoint, oldest first."""
        found: list[dict[str, Any]] = self.clew.json("log", "-n", "1000")["checkpoints"]
        return found[::-1]

    @property
    def complaints(self) -> str:
        """The log of failed hooks; empty if none failed."""
        log = self.home / ".local" / "state" / "clew" / "hooks.jsonl"
        return log.read_text() if log.exists() else ""
