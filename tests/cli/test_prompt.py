"""`clew prompt`: one line for a shell prompt or a status line, and never an error."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clew import opening
from clew.cli.exits import ExitCode
from clew.model.overview import AgentSeen
from clew.render.prompt import Prompt, fields, status_line
from clew.render.style import Style
from clew.worktree.agent_process import own_process
from tests.cli import samples
from tests.cli.fakes import FakeClew
from tests.kit.running import Clew

LOOK = Style(samples.NOW, lambda _: 0, 80, False)


def test_it_names_here_its_verdict_and_the_agent(fake: FakeClew) -> None:
    ran = fake.run("prompt")

    assert (ran.code, ran.out, ran.err) == (ExitCode.DONE, "04040404✘ claude-code\n", "")
    assert fake.workspace.asked == [("overview",)]  # no scan


def test_a_scan_adds_a_star(fake: FakeClew) -> None:
    assert fake.run("prompt", "--scan").out == "04040404*✘ claude-code\n"


def test_a_format_chooses_what_is_shown(fake: FakeClew) -> None:
    assert fake.run("prompt", "--format", "<{good}|{id}{dirty}>").out == "<-2|04040404>\n"
    assert fake.run("prompt", "--format", "").out == "\n"


@pytest.mark.parametrize("form", ["{intent}", "{id", "}", "{ID}"])
def test_a_field_that_does_not_exist_is_refused(fake: FakeClew, form: str) -> None:
    ran = fake.run("prompt", "--format", form)

    assert ran.code == ExitCode.USAGE
    assert "is not one of {id}, {dirty}, {verdict}, {agent}, {good}" in ran.err


def test_nothing_is_free_text() -> None:
    named = AgentSeen("$(touch x)%F{red}", "n", 1, True)
    found = Prompt(samples.OVERVIEW._replace(agents=(named,)), False, None)

    assert fields(found)["agent"] == " agent"
    text = "".join(fields(found).values()) + status_line(found, LOOK)
    assert not set(text) & set("$`%\\{}\x1b\n")


def test_a_scan_that_did_not_finish_is_a_question(fake: FakeClew) -> None:
    found = Prompt(samples.OVERVIEW, True, None)

    assert fields(found)["dirty"] == "?"
    assert fields(found._replace(is_changed=False))["dirty"] == ""


def test_outside_a_workspace_and_after_an_error_there_is_nothing(
    clew: Clew, fake: FakeClew
) -> None:
    for words in (["prompt"], ["prompt", "--scan"], ["prompt", "--status-line"]):
        assert clew.run(*words) == (ExitCode.DONE, "", "")
    assert clew.json("prompt")["current"] is None
    assert not clew.store.exists()
    fake.workspace.error = OSError(5, "Input/output error")
    assert fake.run("prompt") == (ExitCode.DONE, "", "")


def test_it_follows_the_workspace(clew: Clew) -> None:
    (clew.workspace / "app").write_text("1")
    first = clew.json("save", "a", "--verify", "true")["checkpoint"]["short_id"]
    clean = clew.ok("prompt", "--scan").out
    (clew.workspace / "app").write_text("2")

    assert clean == f"{first}✔\n"
    assert clew.ok("prompt").out == f"{first}✔\n"
    assert clew.json("prompt", "--scan")["is_changed"] in (True, None)


def test_an_agent_is_named_while_its_process_runs(clew: Clew) -> None:
    (clew.workspace / "app").write_text("1")
    with opening.open(clew.workspace, store=str(clew.store), create=True) as ws:
        saved = ws.save("one").checkpoint.id.hex()[:8]
        ws.sessions.open(agent="claude-code", native="s1", process=own_process())

        assert [one.is_at_work for one in ws.overview().agents] == [True]
    assert clew.ok("prompt").out == f"{saved} claude-code\n"
    with opening.open(clew.workspace, store=str(clew.store)) as ws:
        ws.sessions.open(agent="claude-code", native="s2", process="1:999999:1")
        assert sorted(one.is_at_work for one in ws.overview().agents) == [False, False]
    assert clew.ok("prompt").out == f"{saved}\n"


def status(clew: Clew, text: str, cwd: Path) -> str:
    """Return what a status line shows for Claude Code's JSON; nothing else may be said."""
    done = subprocess.run(
        clew.command("prompt", "--status-line"), input=text.encode(), cwd=cwd,
        env=clew.environment(), capture_output=True, check=True,
    )  # fmt: skip
    assert done.stderr == b""
    return done.stdout.decode()


def test_a_status_line_says_whether_hooks_of_the_session_have_run(
    clew: Clew, tmp_path: Path
) -> None:
    (clew.workspace / "app").write_text("1")
    clew.ok("save", "one")
    place = {"current_dir": str(clew.workspace / "src"), "project_dir": str(clew.workspace)}
    sent = {"session_id": "s1", "cwd": "/", "workspace": place, "model": {"id": "x"}}
    before = status(clew, json.dumps(sent), tmp_path)
    event = {
        "session_id": "s1", "transcript_path": "", "cwd": str(clew.workspace),
        "hook_event_name": "SessionStart", "source": "startup",
    }  # fmt: skip
    subprocess.run(
        clew.command("hook", "claude-code"), input=json.dumps(event).encode(),
        cwd=clew.workspace, env=clew.environment(), capture_output=True, check=True,
    )  # fmt: skip
    after = status(clew, json.dumps(sent), tmp_path)

    assert before.endswith(" · hooks ✘ none ran in this session\n")
    assert " · hooks ✔ " in after
    assert after.startswith("clew ")
    assert "✘ none" in status(clew, json.dumps({**sent, "session_id": "s2"}), tmp_path)


@pytest.mark.parametrize("text", ["", "garbage", "[]", "3", "[" * 100_000, '{"cwd": 3}', "\udcff"])
def test_input_that_is_not_as_expected_is_no_error(clew: Clew, tmp_path: Path, text: str) -> None:
    done = subprocess.run(
        clew.command("prompt", "--status-line"), cwd=tmp_path, capture_output=True, check=True,
        input=text.encode(errors="surrogateescape"), env=clew.environment(),
    )  # fmt: skip

    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "PS1='$(clew prompt)> '; echo \"${PS1@P}\""),
        ("zsh", "setopt prompt_subst; PROMPT='$(clew prompt)> '; print -P \"$PROMPT\""),
        ("fish", "function fish_right_prompt; clew prompt; end; echo (fish_right_prompt)'> '"),
    ],
)
def test_the_snippets_of_the_documentation_work(
    clew: Clew, tmp_path: Path, shell: str, line: str
) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    saved = clew.save("one")[:8]
    (tmp_path / "clew").write_text(f'#!/bin/sh\nexec {sys.executable} -m clew "$@"\n')
    (tmp_path / "clew").chmod(0o755)
    environment = clew.environment()
    environment |= {"PATH": f"{tmp_path}{os.pathsep}{environment['PATH']}", "LC_ALL": "C.UTF-8"}
    options = {"zsh": ["-f"], "fish": ["--no-config"]}.get(shell, [])
    done = subprocess.run(
        [found, *options, "-c", line], cwd=clew.workspace, env=environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout.rstrip() == f"{saved}>"
    assert done.stderr == ""
