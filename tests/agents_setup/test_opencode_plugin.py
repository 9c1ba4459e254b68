"""The plugin for opencode: what it sends to clew, and how it applies the answer."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clew.agents.setup.texts import plugin, program_in

NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="There is no node here to run the plugin with")

DRIVER = """
import { ClewPlugin } from "./clew.mjs"
const hooks = await ClewPlugin({ directory: process.cwd() })
const said = {}
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s1" } } } })
const parts = { parts: [{ type: "text", text: "build it" }, { type: "file" }] }
await hooks["chat.message"]({ sessionID: "s1" }, parts)
said.prompt = parts.parts[0].text
const call = { tool: "bash", sessionID: "s1", callID: "c1", args: { command: "make" } }
try { await hooks["tool.execute.before"](call, { args: call.args }) } catch (error) { said.thrown = error.message }
const output = { output: "x".repeat(5000), metadata: { exit: 3 } }
await hooks["tool.execute.after"](call, output)
said.output = output.output.slice(5000)
const broken = {}
await hooks["tool.execute.after"](call, broken)
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
console.log(JSON.stringify(said))
"""


def told(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "told.jsonl").read_text().splitlines()]


def run(directory: Path, answer: str | None) -> dict[str, Any]:
    """Run the plugin beside a clew that gives one answer, or none that can be started."""
    (directory / "clew.mjs").write_text(plugin(True))
    (directory / "driver.mjs").write_text(DRIVER)
    if answer is not None:
        program = directory / "bin" / "clew"
        program.parent.mkdir()
        program.write_text(
            f'#!/bin/sh\n[ "$*" = "hook opencode --machine" ] || exit 1\n'
            f"/bin/cat >> told.jsonl; echo >> told.jsonl\n{answer}\n"
        )
        program.chmod(0o755)
    ran = subprocess.run(
        [str(NODE), "driver.mjs"],
        cwd=directory,
        env={"PATH": str(directory / "bin")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_it_tells_everything_that_happens(tmp_path: Path) -> None:
    said = run(tmp_path, "")
    names = [event["hook_event_name"] for event in told(tmp_path)]
    prompt, before, after = told(tmp_path)[1:4]

    assert names == [
        *("session.created", "chat.message", "tool.execute.before"),
        *("tool.execute.after", "tool.execute.after", "session.idle"),
    ]
    assert {event["session_id"] for event in told(tmp_path)} == {"s1"}
    assert {event["cwd"] for event in told(tmp_path)} == {str(tmp_path)}
    assert prompt["prompt"] == "build it"
    assert (before["tool_name"], before["tool_input"]) == ("bash", {"command": "make"})
    assert (after["exit"], len(after["output"]), after["tool_call_id"]) == (3, 2048, "c1")
    assert said == {"prompt": "build it", "output": ""}


def test_a_refusal_stops_the_call_and_words_reach_the_model(tmp_path: Path) -> None:
    said = run(tmp_path, """echo '{"deny": "no", "context": "files went back"}'""")

    assert said["thrown"] == "no"
    assert said["prompt"] == "build it\n\nfiles went back\n\nfiles went back"
    assert said["output"] == "\n\nfiles went back"


@pytest.mark.parametrize("answer", [None, "echo no JSON", "exit 1", "echo null", "kill -9 $$"])
def test_whatever_goes_wrong_opencode_goes_on(tmp_path: Path, answer: str | None) -> None:
    assert run(tmp_path, answer) == {"prompt": "build it", "output": ""}


@pytest.mark.parametrize("path", [".:/nonexistent", ":", "bin"])
def test_no_clew_of_the_project_is_started(tmp_path: Path, path: str) -> None:
    """A relative entry of the PATH leads into whatever directory opencode works in."""
    for program in (tmp_path / "clew", tmp_path / "bin" / "clew"):
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\necho started >> mark\n")
        program.chmod(0o755)
    (tmp_path / "clew.mjs").write_text(plugin(False))
    (tmp_path / "driver.mjs").write_text(DRIVER)
    subprocess.run([str(NODE), "driver.mjs"], cwd=tmp_path, env={"PATH": path}, check=True)

    assert not (tmp_path / "mark").exists()


def test_the_program_of_a_persons_own_plugin_is_named_by_its_path(tmp_path: Path) -> None:
    program = (str(tmp_path / "it's mine" / "clew"),)

    assert program_in(plugin(True, program)) == program
    assert program_in(plugin(False)) == ("clew",)
    assert program_in("const COMMAND = [1\n") == ("clew",)
