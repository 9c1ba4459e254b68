"""The ten-step agent, written for PraisonAI's checkpoints; only one import is changed.

    python examples/ten_steps_compat.py

It stores its progress in a file and requests checkpoints by step number.  It records its deployment,
which a restore cannot undo, with clew; the rest of it does not depend on clew.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import clew
from clew.compat.praisonai import CheckpointService  # was: from praisonaiagents.checkpoints import
from clew.errors import DuplicateEffect

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the repository

from examples.ten_steps import (
    BEFORE_THE_DEPLOY,
    CRASHED,
    CRASHES_IN,
    DEPLOY,
    STEPS,
    ClaimFailed,
    claim,
    deploys,
    files,
    say,
    title,
    wanted,
)

PROGRESS = "PROGRESS"
"""The agent's own file: the number of the last step that is done."""


class Agent:
    """Works through its steps, with its state in the workspace."""

    def __init__(self, place: Path, *, crashes: bool) -> None:
        self.project = place / "project"
        self.world = place / "world.log"
        self.crashes = crashes
        self.service = service_of(place)

    async def work(self) -> None:
        """Continue after the last completed step."""
        await self.service.initialize()
        done = progress(self.project)
        say(f"agent: continues with step {done + 1}, {STEPS[done][0]!r}")
        if done:
            await self.service.restore(step=done)  # revert the step that was interrupted
        for number in range(done + 1, len(STEPS) + 1):
            self.take(number)
            (self.project / PROGRESS).write_text(str(number))
            await self.service.save(STEPS[number - 1][0], step=number)

    def take(self, number: int) -> None:
        _, name, text = STEPS[number - 1]
        if number == DEPLOY:
            self.deploy()
            return
        if self.crashes and number == CRASHES_IN:
            (self.project / f"{name}.half").write_text(text[: len(text) // 2])
            say(f"agent: crashes during step {number}")
            os._exit(CRASHED)
        (self.project / name).write_text(text)

    def deploy(self) -> None:
        """Deploy, and record it as an effect."""
        store = self.service.config.store_dir
        with clew.open(self.project, store=store) as workspace:
            session = workspace.sessions.open(agent="ten steps", native="compat")
            try:
                with (
                    session.effect(
                        STEPS[DEPLOY - 1][0], tool="deploy", arguments={"version": "1.0"}
                    ),
                    self.world.open("a") as log,
                ):
                    log.write("deployed 1.0\n")
            except DuplicateEffect as refused:
                say(f"agent: refused: {refused}")


def play(place: Path) -> None:
    """Run the agent three times, and check the result of each run."""
    (place / "project").mkdir()
    title("The agent crashes")
    claim("it crashed", run_agent(place, "--crash") == CRASHED)
    claim("three of ten steps are completed", progress(place / "project") == CRASHES_IN - 1)

    title("The agent is restarted")
    claim("it completed", run_agent(place) == 0)
    claim("the interrupted step was reverted and repeated", left(place) == wanted(len(STEPS)))
    claim("there was one deployment", deploys(place) == 1)

    title("A user restores the checkpoint before the deployment")
    asyncio.run(go_back(place))
    claim("the files are restored", left(place) == wanted(BEFORE_THE_DEPLOY))

    title("The agent continues from there")
    claim("it completed", run_agent(place) == 0)
    claim("all files exist again", left(place) == wanted(len(STEPS)))
    claim("there was one deployment, not two", deploys(place) == 1)


async def go_back(place: Path) -> None:
    service = service_of(place)
    await service.initialize()
    result = await service.restore(step=BEFORE_THE_DEPLOY)
    claim("the restore succeeded", result.success)
    steps = {checkpoint.step for checkpoint in await service.list()}
    claim("newer checkpoints are still listed", len(STEPS) in steps)


def service_of(place: Path) -> CheckpointService:
    return CheckpointService(str(place / "project"), storage_dir=str(place / "storage"))


def progress(project: Path) -> int:
    path = project / PROGRESS
    return int(path.read_text()) if path.exists() else 0


def left(place: Path) -> dict[str, str]:
    return {name: text for name, text in files(place).items() if name != PROGRESS}


def run_agent(place: Path, *options: str) -> int:
    command = [sys.executable, __file__, "--agent", str(place), *options]
    return subprocess.run(command, check=False).returncode


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--agent"]:
        asyncio.run(Agent(Path(arguments[1]), crashes="--crash" in arguments).work())
        return 0
    with tempfile.TemporaryDirectory(prefix="clew-ten-steps-") as place:
        try:
            play(Path(place))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
