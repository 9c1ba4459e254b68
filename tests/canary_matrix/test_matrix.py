"""No output of any command, tool, hook or log holds a secret, whatever it is and wherever it was.

The secrets are of all kinds of `tests/policy/redaction/corpus/kinds*.txt`, each with its own value in
each place; any twelve characters of a random value count as shown.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from mcp import Client

from clew.cli.commands import VERBS
from tests.canary_matrix.commands import DOING, ELSEWHERE, EXACT, LOOKING, SAID, TOOLS
from tests.canary_matrix.places import plant_contents, plant_file_names, plant_names
from tests.canary_matrix.plants import (
    Plants,
    kinds_of_file,
    kinds_of_line,
    kinds_of_text,
    kinds_of_token,
)
from tests.canary_matrix.saying import TYPED, check_lines, hook_events, say_everything
from tests.kit.canaries import kept_outside_packs
from tests.kit.running import Clew
from tests.mcp_server.talking import Person, talk

_CALLS = 8
"""Calls of one client, whose time is limited."""


class Matrix:
    """A workspace with secrets everywhere, and all that clew said about it."""

    def __init__(self, clew: Clew) -> None:
        self.clew = clew
        self.plants = Plants()
        self.said: dict[str, str] = {}

    def run(self, *words: str) -> None:
        ran = self.clew.run(*words)
        assert "Traceback" not in ran.err, ran.err
        self.heard(" ".join(words), ran.out + ran.err)

    def run_all(self, lines: dict[str, list[tuple[str, ...]]]) -> None:
        """Run lines as text and as JSON."""
        for line in (line for some in lines.values() for line in some):
            if line[0] != "cat":  # exact, for a file or a pipe
                self.run(*line)
            self.run("--json", *line)

    def heard(self, whence: str, text: str) -> None:
        self.said[whence[:100]] = self.said.get(whence[:100], "") + text

    @property
    def leaks(self) -> dict[str, list[str]]:
        """Which commands showed secrets, of which kinds and from where."""
        found = {whence: self.plants.found_in(text) for whence, text in self.said.items()}
        return {
            whence: sorted(f"{place.kind} ({place.where})" for place in places)
            for whence, places in found.items()
            if places
        }


@pytest.fixture
def matrix(clew: Clew) -> Matrix:
    (clew.workspace / "start").write_text("x")
    (clew.store.parent / "home").mkdir()
    found = Matrix(clew)
    found.run("save", "start", "--name", "start", "--verify", "true")
    return found


@pytest.fixture
def planted(matrix: Matrix) -> Matrix:
    """Contents and names, then others, then others that are not saved."""
    root, plants = matrix.clew.workspace, matrix.plants
    plant_contents(root, plants, "one")
    matrix.run("save", "contents", "--name", "contents")
    plant_names(root, plants, "one")
    matrix.run("save", "names", "--name", "names", "--verify", "cat check.txt; false")
    plant_contents(root, plants, "two")
    plant_names(root, plants, "two")
    matrix.run("save", "rotated", "--name", "rotated", "--verify", "true")
    matrix.run("fork", "rotated", "--name", "other")
    plant_contents(root, plants, "live")
    plant_file_names(root, plants, "live")
    return matrix


@contextmanager
def running(matrix: Matrix) -> Iterator[None]:
    """Have processes in the workspace with secrets in their command lines."""
    line = [sys.executable, "-c", "import time; time.sleep(600)"]
    texts = [text for _, text in matrix.plants.every_text("process", kinds_of_line()[::4])]
    processes = [
        subprocess.Popen([*line, *text.split()], cwd=matrix.clew.workspace) for text in texts
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_every_command_and_every_tool_is_tried(clew: Clew) -> None:
    tools = talk(clew, lambda client: client.list_tools()).tools

    assert {*LOOKING, *DOING, *SAID, *ELSEWHERE} == {*VERBS}
    assert {tool.name for tool in tools} == TOOLS.keys()


def test_no_command_that_looks_shows_a_secret(planted: Matrix) -> None:
    planted.run_all(LOOKING)

    assert planted.leaks == {}
    assert (
        min(map(len, (kinds_of_text(), kinds_of_line(), kinds_of_file(), kinds_of_token()))) >= 60
    )
    places = {place.where.partition(",")[0] for place in planted.plants.places}
    assert len(places) >= 30


def test_whoever_asks_for_a_secret_gets_it(planted: Matrix) -> None:
    for line in EXACT:
        ran = planted.clew.run(*line)
        assert planted.plants.found_in(ran.out + ran.err), line


def test_no_command_that_acts_shows_a_secret(planted: Matrix) -> None:
    planted.run_all(DOING)

    assert planted.leaks == {}


def test_no_tool_shows_a_secret(planted: Matrix) -> None:
    person = Person()
    calls = [(tool, arguments) for tool, given in TOOLS.items() for arguments in given]

    async def body(client: Client) -> None:
        for _ in range(_CALLS):
            if calls:
                tool, arguments = calls.pop(0)
                answer = await client.call_tool(tool, arguments)
                planted.heard(f"{tool} {arguments}", answer.model_dump_json())

    while calls:
        talk(planted.clew, body, person=person)
    planted.heard("questions", "\n".join(person.asked))

    assert planted.leaks == {}


def test_nothing_said_or_done_is_shown_or_stored_with_a_secret(matrix: Matrix) -> None:
    with running(matrix):
        say_everything(matrix.clew, matrix.plants)
    for line in check_lines(matrix.plants):
        matrix.run(*line)
    matrix.run_all(SAID)
    stored = b"\n".join(kept_outside_packs(matrix.clew.store)).decode("utf-8", "replace")
    found = matrix.plants.found_in(stored)

    assert matrix.leaks == {}
    assert sorted(place for place in found if place.where in TYPED) == []


def test_no_hook_answers_or_logs_a_secret(matrix: Matrix) -> None:
    clew = matrix.clew
    for number, event in enumerate(hook_events(clew.workspace, matrix.plants)):
        (clew.workspace / "work").write_text(str(number))
        done = subprocess.run(
            clew.command("hook", "claude-code"),
            input=event.encode(),
            cwd=clew.workspace,
            env=clew.environment(),
            capture_output=True,
        )
        matrix.heard("hook", (done.stdout + done.stderr).decode())
    matrix.run_all({"all": [("log", "-n", "300"), *SAID["session"], *SAID["task"], ("doctor",)]})
    written = [path for path in (clew.store.parent / "home").rglob("*") if path.is_file()]
    matrix.heard("home", "\n".join(path.read_text(errors="replace") for path in written))
    stored = b"\n".join(kept_outside_packs(clew.store)).decode("utf-8", "replace")
    matrix.heard("store", stored)

    assert matrix.leaks == {}
