"""Hook exercise: send test events through the hook command that an agent's settings contain.

The command runs as the agent runs it: in its shell, with its variables, in the project's directory.

1. A test event, in the real workspace: the hook answers with the workspace and the store that it would
   use, and writes nothing (`clew.agents.hooks.probe_event`).  An older clew ignores the event.
2. The end of a turn, in a temporary workspace in which a file was written: the hook must save it.
   Sessions and errors are recorded in the temporary store and state directory.
"""

from __future__ import annotations

import json
import os
import pwd
import shlex
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from clew.agents.hooks import log
from clew.agents.hooks.probe_event import ANSWER_KEY, EVENT_NAME, NONCE_KEY, SESSION
from clew.agents.setup.catalogue import Agent
from clew.agents.setup.exercise_space import ExerciseSpace
from clew.worktree.interpreter import BACKGROUND, find_program

TIMEOUT_SECONDS = 60.0
_MAX_CHARS = 300
_SHELLS = ("bash", "sh", "zsh")


class HookAnswer(NamedTuple):
    """What a hook answered to a test event."""

    workspace: str = ""
    store: str = ""
    error: str = ""
    """Why it could not be exercised; empty if it worked."""
    is_silent: bool = False
    """Whether it printed nothing: no clew was started, or one that does not know the event."""


class _Ran(NamedTuple):
    code: int | None
    out: bytes
    err: bytes


def send_test_event(
    agent: Agent, command: str, directory: str, timeout: float = TIMEOUT_SECONDS
) -> HookAnswer:
    """Send a test event through a hook command, in the directory of the project."""
    nonce = os.urandom(8).hex()
    payload = {
        "hook_event_name": EVENT_NAME,
        "session_id": SESSION,
        "cwd": directory,
        NONCE_KEY: nonce,
    }
    ran = _run(agent, command, payload, directory, {}, timeout)
    problem = _problem(ran, timeout)
    if problem:
        return HookAnswer(error=problem)
    if not ran.out.strip():
        return HookAnswer(error="it prints nothing", is_silent=True)
    try:
        answer = json.loads(ran.out)[ANSWER_KEY]
        if answer[NONCE_KEY] != nonce:
            raise ValueError("another answer")
        found = {key: str(answer[key]) for key in ("workspace", "store", "error")}
        return HookAnswer(found["workspace"], found["store"], found["error"])
    except (ValueError, KeyError, TypeError):
        return HookAnswer(error=f"it prints something else than an answer: {_line(ran.out)}")


def save_through_hook(
    agent: Agent, command: str, space: ExerciseSpace, timeout: float = TIMEOUT_SECONDS
) -> str:
    """Report the end of a turn in a temporary workspace; return the problem, empty if it was saved."""
    name = f"written-{os.urandom(4).hex()}"
    with space.open() as workspace:
        workspace.save("before the hook", skip_unchanged=True)
    with open(os.path.join(space.workspace, name), "w", encoding="ascii") as file:
        file.write("by the exercise of a hook\n")
    payload = {
        "hook_event_name": agent.stop_event,
        "session_id": SESSION,
        "cwd": space.workspace,
    }
    environment = {
        "CLEW_HOME": space.store,
        "XDG_STATE_HOME": space.state,
        BACKGROUND: "off",
    }
    ran = _run(agent, command, payload, space.workspace, environment, timeout)
    problem = _problem(ran, timeout)
    if problem:
        return problem
    failures = log.recent(log.log_path(environment), 1)
    if failures:
        return failures[0].message
    with space.open() as workspace:
        entries = workspace.ls("@").entries
    is_saved = name.encode() in [entry.name for entry in entries]
    return "" if is_saved else "it took no checkpoint of a changed file"


def _words(agent: Agent, command: str) -> list[str]:
    if not agent.hook_shell:  # a plugin starts the program itself
        program, *more = shlex.split(command)
        return [find_program(program) or program, *more]
    shell, *options = agent.hook_shell
    return [shell or _user_shell(), *options, command]


def _user_shell() -> str:
    try:
        shell = pwd.getpwuid(os.geteuid()).pw_shell
    except KeyError:
        shell = ""
    return shell if os.path.basename(shell) in _SHELLS else "/bin/sh"


def _run(
    agent: Agent,
    command: str,
    payload: Mapping[str, object],
    directory: str,
    environment: Mapping[str, str],
    timeout: float,
) -> _Ran:
    project = dict.fromkeys(agent.variables, directory)
    no_path = {} if agent.hook_shell else {"PYTHONPATH": ""}
    try:
        process = subprocess.Popen(
            _words(agent, command),
            cwd=directory,
            env={**os.environ, **no_path, **project, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return _Ran(127, b"", str(error).encode())
    try:
        out, err = process.communicate(json.dumps(payload).encode(), timeout)
    except BaseException as error:  # also Ctrl-C, which does not reach another session
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return _Ran(None, b"", b"")
    return _Ran(process.returncode, out, err)


def _problem(ran: _Ran, timeout: float) -> str:
    if ran.code is None:
        return f"it does not end within {timeout:.0f} seconds"
    if ran.code != 0:
        said = _line(ran.err)
        return f"it exits with {ran.code}" + (f": {said}" if said else "")
    return ""


def _line(output: bytes) -> str:
    """Return the last line of an output, shortened."""
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1].strip()[:_MAX_CHARS] if lines else ""
