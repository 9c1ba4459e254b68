"""Any value in any field of an event: the hook exits with 0 and prints nothing or JSON."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from clew.agents.hooks.entry import AGENTS
from tests.agents_hooks.hooking import LONGEST, Hook
from tests.agents_hooks.recorded import odd, recorded
from tests.agents_hooks.test_odd_payloads import RECORDINGS

PROGRAM = """
import io, json, sys
from clew.agents.hooks.entry import run
events, said = sys.stdin.buffer.read().splitlines(), []
for event in events:
    sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(event)), io.StringIO()
    said.append([run(sys.argv[1:]), sys.stdout.getvalue()])
sys.stdout = sys.__stdout__
print(json.dumps(said))
"""
TRIED = 120
NO_DIRECTORY = "The event has no valid directory"
"""The one thing that nothing can be done about."""
MORE: list[object] = [
    "\ud83d",
    "x\0y",
    "9" * 5000,
    {"command": "rm \ud83d"},
    [{"tool_name": "\ud83d"}],
]


def altered(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an event with one field, or one of a call in it, in every odd way."""
    for key, value in payload.items():
        for other in [*odd(value), *MORE]:
            yield payload | {key: other}
    for call in payload.get("tool_calls", ()):
        for key, value in call.items():
            for other in [*odd(value), *MORE]:
                yield payload | {"tool_calls": [call | {key: other}]}


@pytest.mark.parametrize("agent", AGENTS)
def test_whatever_is_in_a_field_the_agent_goes_on(hook: Hook, agent: str) -> None:
    here = {"cwd": str(hook.clew.workspace), "transcript_path": str(hook.transcript)}
    every = [
        event
        for payload in recorded(RECORDINGS[agent])
        for event in altered({**payload, **{key: here[key] for key in here if key in payload}})
    ]
    tried = random.Random(0).sample(every, TRIED)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, agent],
        cwd=hook.clew.workspace,
        env=hook.environment,
        input=b"\n".join(json.dumps(event).encode() for event in tried),
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    said = json.loads(done.stdout)
    (hook.clew.workspace / "made.txt").write_text("made")
    hook.clew.save("by hand")

    assert done.stderr == b""
    assert len(said) == TRIED
    assert {code for code, _ in said} == {0}
    assert all(isinstance(json.loads(text), dict) for _, text in said if text)
    assert {line["message"].partition(":")[0] for line in hook.log} <= {NO_DIRECTORY}
