"""`clew mcp` tested with the protocol's own tools: the inspector and the conformance suite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.kit.running import Clew

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
"""Those that ask nothing of a server but the protocol; the others want tools of a reference."""


@pytest.fixture
def saved(clew: Clew) -> Clew:
    (clew.workspace / "file").write_text("one")
    clew.save("first")
    return clew


def program(name: str) -> str:
    found = ROOT / ".agents" / "node" / "node_modules" / ".bin" / name
    if not found.exists():
        pytest.skip(f"There is no {name} here: `make test-agents` installs it where npm is")
    return str(found)


def run(clew: Clew, *words: str) -> str:
    done = subprocess.run(
        words, cwd=clew.workspace, env=clew.environment(), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=300, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def inspect(clew: Clew, *words: str) -> Any:
    """Have the inspector start our server and make one request of it."""
    kept = [f"{key}={value}" for key, value in clew.environment().items()]
    given = [word for pair in kept for word in ("-e", pair)]
    inspector = program("mcp-inspector")
    return json.loads(run(clew, inspector, *given, "--cli", *clew.command("mcp"), *words))


@contextmanager
def unguarded(clew: Clew) -> Iterator[str]:
    """Serve without the token, which the conformance suite has no way to send."""
    environment = clew.environment()
    environment["PYTHONPATH"] += os.pathsep + str(ROOT)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp_server.unguarded"], cwd=clew.workspace, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def test_the_inspector_lists_the_tools(saved: Clew) -> None:
    tools = {tool["name"]: tool for tool in inspect(saved, "--method", "tools/list")["tools"]}

    assert {"save", "log", "restore", "try", "settle_effect"} <= tools.keys()
    assert tools["log"]["annotations"]["readOnlyHint"] is True
    assert tools["restore"]["_meta"] == {"anthropic/alwaysLoad": True}


def test_the_inspector_calls_one(saved: Clew) -> None:
    words = ("--method", "tools/call", "--tool-name", "log", "--tool-arg", "detail=true")
    answer = inspect(saved, *words)["structuredContent"]

    assert answer == saved.json("log")


def test_the_inspector_cannot_say_yes(saved: Clew) -> None:
    (saved.workspace / "file").write_text("two")
    words = ("--method", "tools/call", "--tool-name", "restore", "--tool-arg", "ref=@")
    answer = inspect(saved, *words)

    assert answer["isError"] is True
    assert json.loads(answer["content"][0]["text"])["error"]["kind"] == "needs-confirmation"
    assert (saved.workspace / "file").read_text() == "two"


@pytest.fixture(scope="module")
def suite() -> str:
    """The conformance suite, where it runs."""
    found = program("conformance")
    if subprocess.run([found, "list"], capture_output=True, check=False).returncode:
        pytest.skip("The conformance suite wants a newer Node than there is here")
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_of_the_conformance_suite_passes(saved: Clew, suite: str, scenario: str) -> None:
    with unguarded(saved) as address:
        said = run(saved, suite, "server", "--url", address, "--scenario", scenario)

    assert "0 failed" in said
