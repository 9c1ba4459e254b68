"""The hook as agents run it: one process for each event."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.agents_hooks.recorded import recorded
from tests.kit.running import Clew, Ran

LONGEST = 120


class Hook:
    """`clew hook claude-code`, in one workspace."""

    def __init__(self, clew: Clew) -> None:
        self.clew = clew
        self.transcript = clew.store.parent / "talk.jsonl"
        self.transcript.touch()
        Path(self.environment["HOME"]).mkdir(exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        return self.clew.environment()

    def payload(self, name: str, **fields: object) -> dict[str, Any]:
        """Return a recorded event with the paths of this workspace."""
        found: dict[str, Any] = recorded("claude-code-2.1.325", name)[0]
        here = {"cwd": str(self.clew.workspace), "transcript_path": str(self.transcript)}
        return {**found, **here, **fields}

    def start(self, *words: str, cwd: Path | None = None, **extra: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.clew.command("hook", *(words or ("claude-code",))),
            cwd=cwd or self.clew.workspace,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **extra,
        )

    def run(self, content: bytes, *words: str, cwd: Path | None = None, **extra: Any) -> Ran:
        process = self.start(*words, cwd=cwd, **extra)
        out, err = process.communicate(content, timeout=LONGEST)
        return Ran(process.returncode, out.decode(), err.decode())

    def tell(self, name: str, **fields: object) -> Any:
        """Send an event that must succeed; return the answer."""
        ran = self.run(json.dumps(self.payload(name, **fields)).encode())
        assert (ran.code, ran.err) == (0, ""), ran
        assert self.log == []
        return json.loads(ran.out) if ran.out else None

    def after(self, line: str, **fields: object) -> Any:
        """Send a batch of one command, with its result in the transcript."""
        with self.transcript.open("a") as file:
            file.write('{"message":{"content":[{"tool_use_id":"c1"}]}}\n')
        call = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": "c1"}
        return self.tell("PostToolBatch", tool_calls=[call], **fields)

    @property
    def log_path(self) -> Path:
        return Path(self.environment["HOME"]) / ".local" / "state" / "clew" / "hooks.jsonl"

    @property
    def log(self) -> list[dict[str, Any]]:
        """The log of failed hooks, oldest first."""
        if not self.log_path.exists():
            return []
        return [json.loads(line) for line in self.log_path.read_text().splitlines()]

    def everything(self) -> bytes:
        """Return all bytes written outside the workspace."""
        root = self.clew.store.parent
        files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
        kept = [path for path in files if not path.is_relative_to(self.clew.workspace)]
        return b"\n".join(os.fsencode(path) + path.read_bytes() for path in kept)


def batch(hook: Hook) -> bytes:
    """Return the event at which most checkpoints are taken."""
    return json.dumps(hook.payload("PostToolBatch")).encode()
