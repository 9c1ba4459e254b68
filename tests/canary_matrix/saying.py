"""Says secrets of every kind to clew, in every text that it takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from clew import opening
from tests.canary_matrix.plants import Plants, kinds_of_line, kinds_of_text
from tests.kit.running import Clew

TYPED = (
    "intent", "description", "metadata", "note", "check command", "task title", "task note", "effect",
    "effect argument", "effect undo", "effect outcome", "process",
)  # fmt: skip
"""Places whose texts are stored redacted; conversation and state are given back as they were."""
_CHECKED = 20
AT_ONCE = 10
"""Kinds in the labels of one checkpoint: a label is limited in length."""


def say_everything(clew: Clew, plants: Plants) -> None:
    """Give the library labels, tasks, effects, checks and a conversation with secrets."""
    with opening.open(clew.workspace, store=str(clew.store)) as ws:
        session = ws.sessions.open(agent="example", native="run 1")
        session.say(
            *(
                {"role": "user", "content": text}
                for _, text in plants.every_text("conversation", kinds_of_text())
            )
        )
        session.set_state(
            {kind.name: text for kind, text in plants.every_text("state", kinds_of_text())}
        )
        kinds = kinds_of_text()
        for at in range(0, len(kinds), AT_ONCE):
            some = kinds[at : at + AT_ONCE]
            (clew.workspace / "work").write_text(str(at))
            ws.save(
                "\n\n".join(plants.text(kind, "intent") for kind in some),
                description="\n\n".join(plants.text(kind, "description") for kind in some),
                meta={kind.name: plants.text(kind, "metadata") for kind in some},
            )
            ws.edit("@", notes=[plants.text(kind, "note") for kind in some])
        for kind in kinds[::3]:
            task = session.add_task(plants.text(kind, "task title"))
            session.fail_task(task.number, plants.text(kind, "task note"))
            effect = session.effect(
                plants.text(kind, "effect"),
                tool="shell",
                arguments={"command": plants.text(kind, "effect argument")},
                undo=plants.text(kind, "effect undo"),
            )
            effect.failed(plants.text(kind, "effect outcome"))


def check_lines(plants: Plants) -> list[tuple[str, ...]]:
    """Return lines that check a state with a command that holds secrets, several at a time."""
    texts = [text for _, text in plants.every_text("check command", kinds_of_line())]
    return [
        ("verify", "start", "--", "\n# ".join(["true", *texts[at : at + _CHECKED]]))
        for at in range(0, len(texts), _CHECKED)
    ]


def hook_events(root: Path, plants: Plants) -> list[str]:
    """Return events of an agent with secrets in its prompt and in its calls."""
    said = [text for _, text in plants.every_text("prompt", kinds_of_text())]
    called = [text for _, text in plants.every_text("tool call", kinds_of_line())]
    place = {"session_id": "s1", "cwd": str(root), "transcript_path": "/nowhere"}
    prompts = [
        {"hook_event_name": "UserPromptSubmit", "prompt": "\n\n".join(said[at : at + 25])}
        for at in range(0, len(said), 25)
    ]
    calls = [
        {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": f"rm -rf dirs # {text}"},
            "tool_use_id": f"c{number}",
        }
        for number, text in enumerate(called[::4])
    ]
    events: list[Mapping[str, object]] = [*prompts, *calls]
    return [json.dumps({**place, **event}) for event in events]
