"""A simulated agent with a watch."""

from __future__ import annotations

import json
from pathlib import Path

from clew.agents.calls import Call, EndedCall
from clew.agents.watch import Watch
from clew.model.checkpoint import Checkpoint
from clew.model.session import Format
from clew.workspace import Workspace


class Watched:
    """One session; another instance with the same transcript simulates another process."""

    def __init__(self, ws: Workspace, project: Path, transcript: Path, name: str = "one") -> None:
        self.ws = ws
        self.project = project
        self.transcript = transcript
        transcript.touch()
        self.watch = Watch.begin(
            ws, agent="example", native=name, transcript=str(transcript), kind=Format.JSONL
        )

    @property
    def session(self) -> bytes:
        return bytes.fromhex(self.watch.session.id)

    @property
    def scratch(self) -> bytes:
        """The stored scratch of its session."""
        with self.ws.sessions.scratch(self.watch.session.id) as (content, _):
            return content

    def say(self, text: str) -> None:
        with self.transcript.open("a") as file:
            file.write(json.dumps({"text": text}) + "\n")

    def change(self, name: str = "made.txt", content: str = "made") -> Path:
        (self.project / name).write_text(content)
        return self.project / name

    def run(self, line: str = "make", *, id: str = "", failed: str | None = None) -> str:  # noqa: A002
        """Send a batch of one ended call."""
        return self.watch.after(EndedCall(bash(line, id), failed))

    def work(self, name: str) -> Checkpoint:
        """Create a file in a call, and take the checkpoint after it."""
        self.change(name)
        self.run(f"touch {name}")
        return self.here

    @property
    def timeline(self) -> list[Checkpoint]:
        """Newest first."""
        return list(self.ws.log(limit=1000).checkpoints)

    @property
    def here(self) -> Checkpoint:
        found = self.ws.here()
        assert found is not None
        return found

    @property
    def failed(self) -> str:
        """The failures recorded in the current checkpoint."""
        return dict(self.here.labels.meta).get("failed", "")


def bash(line: str, id: str = "") -> Call:  # noqa: A002
    return Call("Bash", {"command": line}, id)
