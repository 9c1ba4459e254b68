"""Payloads with missing fields or fields of other types are parsed."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from clew.agents.hooks.entry import AGENTS
from clew.agents.hooks.events import Event, EventKind, HookAnswer
from tests.agents_hooks.recorded import odd, recorded

RECORDINGS = {
    "claude-code": "claude-code-2.1.325",
    "codex": "codex-0.166.0",
    "gemini": "gemini-0.61.0",
    "opencode": "opencode-1.18.33",
    "qwen": "qwen-0.15.10",
}


@pytest.mark.parametrize("agent", AGENTS)
def test_every_field_may_be_anything(agent: str) -> None:
    translator = import_module(f"clew.agents.hooks.{AGENTS[agent]}")
    full = HookAnswer(context="c", refusal="r", question="q", notice="n")
    for payload in recorded(RECORDINGS[agent]):
        for key in payload:
            for value in odd(payload[key]):
                event = translator.read(payload | {key: value})
                said = translator.reply(event, full)

                assert isinstance(event, Event)
                assert said is None or json.dumps(said)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_event_of_a_newer_version_is_nothing_to_us(agent: str) -> None:
    translator = import_module(f"clew.agents.hooks.{AGENTS[agent]}")

    assert translator.read({}).kind == EventKind.OTHER
    assert translator.read({"hook_event_name": "BrandNew"}).kind == EventKind.OTHER


@pytest.mark.parametrize("agent", AGENTS)
def test_a_transcript_that_is_no_file_of_lines_is_not_read(agent: str) -> None:
    translator = import_module(f"clew.agents.hooks.{AGENTS[agent]}")
    for path in ("/dev/zero", "relative.jsonl", "/a\0b.jsonl", "/etc/shadow", ""):
        payload = recorded(RECORDINGS[agent])[0] | {"transcript_path": path}

        assert translator.read(payload).transcript is None
