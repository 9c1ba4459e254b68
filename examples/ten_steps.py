"""A ten-step agent that crashes, resumes, is restored past a deployment, and does not deploy twice.

    python examples/ten_steps.py

It runs in a temporary directory with its own store; a log file beside it stands for the outside
world.  Each claim (✓) is checked, and a failed claim ends the example with exit code 1.
The agent runs in a separate process, so that it really crashes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import clew
from clew.errors import DuplicateEffect
from clew.model.task import Task, TaskStatus
from clew.workspace.session import Session

STEPS = (
    ("sketch the model", "model.py", "class Order: ...\n"),
    ("write the shop", "shop.py", "from model import Order\n"),
    ("write its tests", "test_shop.py", "import shop\n"),
    ("write the settings", "settings.ini", "[shop]\ncurrency = EUR\n"),
    ("write the changelog", "CHANGELOG", "1.0: orders\n"),
    ("deploy version 1.0", "", ""),
    ("note the deploy", "DEPLOYED", "1.0\n"),
    ("tidy the model", "model.py", "class Order:\n    total = 0\n"),
    ("write the manual", "MANUAL", "Order something.\n"),
    ("write the report", "REPORT", "All done.\n"),
)
CRASHES_IN = 4
BEFORE_THE_DEPLOY = 5
DEPLOY = 6
CRASHED = 9
"""The exit code of an agent that crashed."""


class ClaimFailed(Exception):
    """A claim of the example does not hold."""


# The agent


class Agent:
    """Works through its tasks, with all of its state in clew."""

    def __init__(self, place: Path, *, crashes: bool) -> None:
        self.project = place / "project"
        self.world = place / "world.log"
        self.crashes = crashes
        self.workspace = clew.open(self.project, store=str(place / "store"), create=True)
        self.session = begin(self.workspace)

    def work(self) -> None:
        """Continue at the first incomplete task, until all are completed."""
        self.recover()
        while (task := self.session.resume().task) is not None:
            self.take(task)

    def recover(self) -> None:
        """Find where the last run ended, and revert a task that was interrupted."""
        if not self.session.tasks():
            for title, _, _ in STEPS:
                self.session.add_task(title)
            self.session.save("the plan")
        found = self.session.resume()
        assert found.task is not None
        assert found.checkpoint is not None
        say(f"agent: continues with task {found.task.number}, {found.task.title!r}")
        if found.task.status == TaskStatus.IN_PROGRESS:
            self.workspace.restore(found.checkpoint.id.hex())

    def take(self, task: Task) -> None:
        """Do one task, and take a checkpoint at its end."""
        self.session.start_task(task.number)
        self.session.say({"role": "assistant", "content": f"Now I {task.title}"})
        note = self.deploy() if task.number == DEPLOY else self.write(task.number)
        self.session.complete_task(task.number, note)
        self.session.save(task.title)

    def write(self, number: int) -> str:
        _, name, text = STEPS[number - 1]
        if self.crashes and number == CRASHES_IN:
            (self.project / f"{name}.half").write_text(text[: len(text) // 2])
            say(f"agent: crashes during task {number}")
            os._exit(CRASHED)
        (self.project / name).write_text(text)
        return ""

    def deploy(self) -> str:
        """Deploy: record the effect before, and do not repeat it."""
        act = {"version": "1.0", "to": "production"}
        try:
            with (
                self.session.effect(STEPS[DEPLOY - 1][0], tool="deploy", arguments=act),
                self.world.open("a") as log,
            ):
                log.write("deployed 1.0\n")
        except DuplicateEffect as refused:
            say(f"agent: refused: {refused}")
            return "was done before"
        say("agent: deploys")
        return ""


def begin(workspace: clew.Workspace) -> Session:
    """Start the session of this agent, or continue the one with the same name."""
    return workspace.sessions.open(agent="ten steps", version="1.0", native="the only run")


# The scenario


def play(place: Path) -> None:
    """Run the agent three times, and check the result of each run."""
    (place / "project").mkdir()
    title("The agent crashes")
    claim("it crashed", run_agent(place, "--crash") == CRASHED)
    claim("three of ten tasks are completed", completed(place) == [1, 2, 3])

    title("The agent is restarted")
    claim("it completed", run_agent(place) == 0)
    claim("all ten tasks are completed", completed(place) == list(range(1, len(STEPS) + 1)))
    claim("the interrupted task was reverted and repeated", files(place) == wanted(len(STEPS)))
    claim("there was one deployment", deploys(place) == 1)

    title("A user restores the checkpoint before the deployment")
    go_back(place)
    claim("the files are restored", files(place) == wanted(BEFORE_THE_DEPLOY))
    claim("the tasks are restored", completed(place) == [1, 2, 3, 4, 5])
    claim("the deployment still exists", deploys(place) == 1)

    title("The agent continues from there")
    claim("it completed", run_agent(place) == 0)
    claim("all ten tasks are completed again", completed(place) == list(range(1, len(STEPS) + 1)))
    claim("all files exist again", files(place) == wanted(len(STEPS)))
    claim("there was one deployment, not two", deploys(place) == 1)


def go_back(place: Path) -> None:
    """Restore the checkpoint before the deployment."""
    wanted_title = STEPS[BEFORE_THE_DEPLOY - 1][0]
    with opened(place) as workspace:
        found = [one for one in workspace.log().checkpoints if one.labels.intent == wanted_title]
        result = workspace.restore(found[0].id.hex())
    standing = [effect.act.what for effect in result.effects]
    say(f"clew: not undone by the restore: {', '.join(standing)}")
    claim("the deployment is listed", standing == [STEPS[DEPLOY - 1][0]])


def run_agent(place: Path, *options: str) -> int:
    return subprocess.run(
        [sys.executable, __file__, "--agent", str(place), *options], check=False
    ).returncode


# Checks


def opened(place: Path) -> clew.Workspace:
    return clew.open(place / "project", store=str(place / "store"))


def completed(place: Path) -> list[int]:
    """Return the numbers of the completed tasks."""
    with opened(place) as workspace:
        tasks = begin(workspace).tasks()
    return [task.number for task in tasks if task.status == TaskStatus.COMPLETED]


def files(place: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (place / "project").iterdir()}


def wanted(steps: int) -> dict[str, str]:
    """Return the expected files after a number of steps."""
    return {name: text for _, name, text in STEPS[:steps] if name}


def deploys(place: Path) -> int:
    return (place / "world.log").read_text().count("deployed")


# Output


def title(text: str) -> None:
    say(f"\n{text}")


def claim(text: str, holds: bool) -> None:
    if not holds:
        raise ClaimFailed(text)
    say(f"  ✓ {text}")


def say(text: str) -> None:
    print(text, flush=True)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--agent"]:
        agent = Agent(Path(arguments[1]), crashes="--crash" in arguments)
        with agent.workspace:
            agent.work()
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
