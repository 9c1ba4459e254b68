"""A ten-step agent that crashes, resumes, is taken back past a deploy, and does not deploy twice.

    python examples/ten_steps.py

Everything happens in a temporary directory with a store of its own; the world outside is a log file
beside it.  Each claim (✓) is checked, and one that does not hold ends the example with exit code 1.
The agent runs as a process of its own, so that its crash is one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import clew
from clew.errors import EffectRepeats
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
"""The exit code of an agent that was cut short."""


class ClaimFailed(Exception):
    """What the example promises does not hold."""


# The agent


class Agent:
    """It works through its tasks and remembers nothing but what clew keeps."""

    def __init__(self, place: Path, *, crashes: bool) -> None:
        self.project = place / "project"
        self.world = place / "world.log"
        self.crashes = crashes
        self.workspace = clew.open(self.project, store=str(place / "store"), create=True)
        self.session = begin(self.workspace)

    def work(self) -> None:
        """Go on at the first incomplete task, until all are done."""
        self.come_to()
        while (task := self.session.resume().task) is not None:
            self.take(task)

    def come_to(self) -> None:
        """Find out where the last run ended; a step that it did half is taken back."""
        if not self.session.tasks():
            for title, _, _ in STEPS:
                self.session.add_task(title)
            self.session.save("the plan")
        found = self.session.resume()
        assert found.task is not None
        assert found.checkpoint is not None
        say(f"agent: goes on with task {found.task.number}, {found.task.title!r}")
        if found.task.status == TaskStatus.IN_PROGRESS:
            self.workspace.restore(found.checkpoint.id.hex())

    def take(self, task: Task) -> None:
        """Do one task, and make a checkpoint of its end."""
        self.session.start_task(task.number)
        self.session.say({"role": "assistant", "content": f"Now I {task.title}"})
        note = self.deploy() if task.number == DEPLOY else self.write(task.number)
        self.session.complete_task(task.number, note)
        self.session.save(task.title)

    def write(self, number: int) -> str:
        _, name, text = STEPS[number - 1]
        if self.crashes and number == CRASHES_IN:
            (self.project / f"{name}.half").write_text(text[: len(text) // 2])
            say(f"agent: crashes in the middle of task {number}")
            os._exit(CRASHED)
        (self.project / name).write_text(text)
        return ""

    def deploy(self) -> str:
        """Act on the world: written down before, and not done again if it was done already."""
        act = {"version": "1.0", "to": "production"}
        try:
            with (
                self.session.effect(STEPS[DEPLOY - 1][0], tool="deploy", arguments=act),
                self.world.open("a") as log,
            ):
                log.write("deployed 1.0\n")
        except EffectRepeats as refused:
            say(f"agent: is refused: {refused}")
            return "was done before"
        say("agent: deploys")
        return ""


def begin(workspace: clew.Workspace) -> Session:
    """Return the session of this agent; one of the same name goes on."""
    return workspace.sessions.open(agent="ten steps", version="1.0", native="the only run")


# What happens to it


def play(place: Path) -> None:
    """Run the agent three times, and look at what is left after each."""
    (place / "project").mkdir()
    title("The agent is cut short")
    claim("it crashed", run_agent(place, "--crash") == CRASHED)
    claim("three of ten tasks are done", completed(place) == [1, 2, 3])

    title("It is started again")
    claim("it ran to its end", run_agent(place) == 0)
    claim("all ten tasks are done", completed(place) == list(range(1, len(STEPS) + 1)))
    claim("what was half done is gone, and done whole", files(place) == wanted(len(STEPS)))
    claim("the world has seen one deploy", deploys(place) == 1)

    title("Somebody goes back to before the deploy")
    go_back(place)
    claim("the files are those of then", files(place) == wanted(BEFORE_THE_DEPLOY))
    claim("the tasks are those of then", completed(place) == [1, 2, 3, 4, 5])
    claim("the world has still seen a deploy", deploys(place) == 1)

    title("The agent goes on from there")
    claim("it ran to its end", run_agent(place) == 0)
    claim("all ten tasks are done again", completed(place) == list(range(1, len(STEPS) + 1)))
    claim("all files are there again", files(place) == wanted(len(STEPS)))
    claim("the world has seen one deploy, not two", deploys(place) == 1)


def go_back(place: Path) -> None:
    """Restore the checkpoint that was made before the deploy."""
    wanted_title = STEPS[BEFORE_THE_DEPLOY - 1][0]
    with opened(place) as workspace:
        found = [one for one in workspace.log().checkpoints if one.labels.intent == wanted_title]
        result = workspace.restore(found[0].id.hex())
    standing = [effect.act.what for effect in result.effects]
    say(f"clew: this happened since, and stands: {', '.join(standing)}")
    claim("the deploy is named", standing == [STEPS[DEPLOY - 1][0]])


def run_agent(place: Path, *options: str) -> int:
    return subprocess.run(
        [sys.executable, __file__, "--agent", str(place), *options], check=False
    ).returncode


# What is looked at


def opened(place: Path) -> clew.Workspace:
    return clew.open(place / "project", store=str(place / "store"))


def completed(place: Path) -> list[int]:
    """Return the numbers of the tasks that are done."""
    with opened(place) as workspace:
        tasks = begin(workspace).tasks()
    return [task.number for task in tasks if task.status == TaskStatus.COMPLETED]


def files(place: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (place / "project").iterdir()}


def wanted(steps: int) -> dict[str, str]:
    """Return the files as they are after so many steps."""
    return {name: text for _, name, text in STEPS[:steps] if name}


def deploys(place: Path) -> int:
    return (place / "world.log").read_text().count("deployed")


# What is said


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
