"""Runs the command line as people do: a process and an environment of its own for each command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.kit import background, fork_server

SOURCE = fork_server.SOURCE


class Ran(NamedTuple):
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def talk(self) -> list[str]:
        """The lines on stderr."""
        return [line for line in self.err.splitlines() if line.strip()]


class Clew:
    """The command line, bound to one workspace and one store."""

    def __init__(
        self,
        workspace: Path,
        store: Path,
        *,
        prefix: Sequence[str] = (),
        extra: Mapping[str, str] | None = None,
    ) -> None:
        self.workspace = workspace
        self.store = store
        self.prefix = list(prefix)
        self.extra = dict(extra or {})

    def command(self, *arguments: str) -> list[str]:
        return [*self.prefix, sys.executable, "-m", "clew", *arguments]

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        timeout: float = 120,
        store: Path | None = None,
    ) -> Ran:
        """Run one command and return what happened, whatever that is."""
        cwd = cwd or (self.workspace if self.workspace.exists() else self.workspace.parent)
        env = self.environment(store)
        if not self.prefix and fork_server.usable(env):
            return run_in_fork(arguments, env, cwd, timeout)
        done = subprocess.run(
            self.command(*arguments),
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
        )
        return _ran(done.returncode, done.stdout, done.stderr)

    def ok(self, *arguments: str, cwd: Path | None = None) -> Ran:
        """Run one command that must work."""
        ran = self.run(*arguments, cwd=cwd)
        assert ran.code == 0, f"clew {' '.join(arguments)} gave {ran.code}: {ran.out}{ran.err}"
        return ran

    def json(self, *arguments: str, cwd: Path | None = None) -> Any:
        """Run one command that must work, and return what it says as JSON."""
        return json.loads(self.ok("--json", *arguments, cwd=cwd).out)

    def error(self, *arguments: str, cwd: Path | None = None) -> tuple[int, dict[str, str]]:
        """Run one command that must fail, and return its exit code and its error as JSON."""
        ran = self.run("--json", *arguments, cwd=cwd)
        assert ran.code != 0, f"clew {' '.join(arguments)} should have failed: {ran.out}"
        assert "Traceback" not in ran.err, ran.err
        found: dict[str, str] = json.loads(ran.out or ran.err)["error"]
        return ran.code, found

    def save(self, intent: str = "", *arguments: str, cwd: Path | None = None) -> str:
        """Save, and return the new checkpoint's id."""
        found: str = self.json("save", intent, *arguments, cwd=cwd)["checkpoint"]["id"]
        return found

    def restore(self, reference: str, *arguments: str) -> Any:
        return self.json("restore", reference, *arguments, "--yes")

    def ids(self) -> list[str]:
        """Return the ids of the whole timeline, newest first."""
        return [found["id"] for found in self.json("log", "-n", "100000")["checkpoints"]]

    def environment(self, store: Path | None = None) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "TMPDIR", "LD_LIBRARY_PATH")}
        return {
            **kept,
            **fork_server.environment(),
            **background.OFF,
            "CLEW_HOME": str(store or self.store),
            "HOME": str(self.store.parent / "home"),
            "TZ": "UTC",
            "NO_COLOR": "1",
            "COLUMNS": "200",
            **self.extra,
        }


def run_in_fork(
    arguments: Sequence[str],
    env: Mapping[str, str],
    cwd: Path,
    timeout: float,
    tracer: Sequence[str] = (),
) -> Ran:
    """Run a command in a fork of the server, if it is `usable`."""
    with (
        open(os.devnull, "rb") as nothing,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        code = fork_server.fork_server().run(
            arguments, env, cwd,
            stdin=nothing.fileno(), stdout=out.fileno(), stderr=err.fileno(), timeout=timeout,
            tracer=tracer,
        )  # fmt: skip
        out.seek(0)
        err.seek(0)
        return _ran(code, out.read(), err.read())


def _ran(code: int, out: bytes, err: bytes) -> Ran:
    return Ran(code, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))
