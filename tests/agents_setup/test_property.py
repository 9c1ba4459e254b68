"""Entries are added to and removed from arbitrary settings without a trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from clew.agents.setup import blocks, hook_entries, server_entry
from clew.agents.setup.catalogue import AGENTS, USER, Agent, hook_command, hooks_of
from clew.agents.setup.json_spans import NotJson, read

AGENT = AGENTS["claude-code"]
COMMAND = hook_command(AGENT, USER, ("/opt/my tools/clew",), False)
HOOKED = [agent for agent in AGENTS.values() if agent.events]

SLOWLY = settings(suppress_health_check=[HealthCheck.too_slow])
"""The machine may be busy."""

_KEYS = st.text(max_size=6) | st.sampled_from(
    ["permissions", "env", "mcpServers", 'a"b', "é\ud7ff"]
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10)
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.just([{"type": "command", "command": "make lint"}])},
        optional={"matcher": st.just("Bash")},
    )
    | _SCALARS,
    max_size=2,
)
_HOOKS = st.dictionaries(
    st.sampled_from(["PreToolUse", "Stop", "Notification", "SessionStart"]), _GROUPS, max_size=3
)


@st.composite
def _settings(draw: st.DrawFn) -> dict[str, Any]:
    value: dict[str, Any] = draw(st.dictionaries(_KEYS, _VALUES, max_size=4))
    value.pop("hooks", None)
    value.pop("mcpServers", None)
    if draw(st.booleans()):
        value["hooks"] = draw(_HOOKS)
    if draw(st.booleans()):
        value["mcpServers"] = draw(
            st.dictionaries(st.sampled_from(["a", "b"]), _VALUES, max_size=2)
        )
    return value


@st.composite
def _laid_out(draw: st.DrawFn) -> str:
    """Return settings as somebody may have written them: neatly, or with any blanks anywhere."""
    value = draw(_settings())
    end = draw(st.sampled_from(["", "\n", "\r\n", "\n\n "]))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
        text = json.dumps(value, indent=indent, ensure_ascii=draw(st.booleans()))
        return mark + (text.replace("\n", "\r\n") if draw(st.booleans()) else text) + end
    blank = st.sampled_from(["", "", " ", "\n", "\t", "\r\n", "\n    "])
    return mark + _scattered(value, lambda: draw(blank)) + end


def _scattered(value: object, blank: Any) -> str:
    if isinstance(value, dict):
        parts = [
            f"{blank()}{json.dumps(key)}{blank()}:{blank()}{_scattered(one, blank)}{blank()}"
            for key, one in value.items()
        ]
        return "{" + (",".join(parts) or blank()) + "}"
    if isinstance(value, list):
        parts = [f"{blank()}{_scattered(one, blank)}{blank()}" for one in value]
        return "[" + (",".join(parts) or blank()) + "]"
    return json.dumps(value)


@SLOWLY
@given(_laid_out(), st.sampled_from(HOOKED))
def test_hooks_go_in_and_come_out_without_a_trace(text: str, agent: Agent) -> None:
    command = hook_command(agent, USER, ("/opt/my tools/clew",), False)

    written = hook_entries.add(text, agent, command)
    again = hook_entries.add(written.text, agent, command, written.traces)
    back = hook_entries.remove(written.text, agent, written.traces)

    assert again == written
    assert _parsed(written.text) == _with_ours(_parsed(text), hooks_of(agent, command))
    assert back == text


@SLOWLY
@given(_laid_out())
def test_hooks_and_server_come_out_in_either_order(text: str) -> None:
    agent = AGENTS["gemini"]
    first = hook_entries.add(text, agent, "clew hook gemini")
    both = server_entry.add(first.text, agent, first.traces)

    hooks_last = hook_entries.remove(
        server_entry.remove(both.text, agent, both.traces), agent, both.traces
    )

    assert server_entry.contains(both.text, agent)
    assert hooks_last == text


@SLOWLY
@given(_laid_out())
def test_without_a_receipt_what_is_left_means_the_same(text: str) -> None:
    written = hook_entries.add(text, AGENT, COMMAND)
    back = _parsed(hook_entries.remove(written.text, AGENT))
    before = _parsed(text)

    assert _without_empty_hooks(back) == _without_empty_hooks(before)


@SLOWLY
@given(st.text(max_size=60), st.sampled_from([blocks.MARKDOWN, blocks.TOML]))
def test_a_block_goes_in_and_comes_out_without_a_trace(
    text: str, marks: blocks.BlockMarkers
) -> None:
    assume(not blocks.contains(text, marks))  # Hypothesis draws constants of the source, too

    written = blocks.add(text, "one\n\ntwo\n", marks)

    assert blocks.add(written, "one\n\ntwo\n", marks) == written
    assert blocks.remove(written, marks) == text


@SLOWLY
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from([blocks.MARKDOWN, blocks.TOML]))
@example("", "", blocks.MARKDOWN)
def test_a_text_with_half_a_block_is_refused(
    before: str, after: str, marks: blocks.BlockMarkers
) -> None:
    assume(not blocks.contains(before, marks) and not blocks.contains(after, marks))

    for marker in marks:
        text = before + marker + after
        with pytest.raises(blocks.BrokenBlock):
            blocks.add(text, "one\n", marks)
        with pytest.raises(blocks.BrokenBlock):
            blocks.remove(text, marks)


@SLOWLY
@given(_laid_out(), st.data())
def test_what_json_refuses_is_refused(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    broken = (
        text[:at]
        + data.draw(st.sampled_from(["//", ",", "}", '"', "\x00", "'", "NaN"]))
        + text[at:]
    )
    try:
        json.loads(
            broken.removeprefix("\ufeff"), parse_constant=_refuse, object_pairs_hook=_no_twice
        )
    except ValueError:
        with pytest.raises(NotJson):
            read(broken)
    else:
        assert read(broken).value == _parsed(broken)


def _refuse(word: str) -> None:
    raise ValueError(word)


def _no_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def _parsed(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return value


def _with_ours(value: dict[str, Any], ours: dict[str, list[object]]) -> dict[str, Any]:
    hooks = dict(value.get("hooks", {}))
    for event, groups in ours.items():
        hooks[event] = [*hooks.get(event, []), *groups]
    return {**value, "hooks": hooks}


def _without_empty_hooks(value: dict[str, Any]) -> dict[str, Any]:
    hooks = {event: groups for event, groups in value.get("hooks", {}).items() if groups}
    rest = {key: one for key, one in value.items() if key != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest
