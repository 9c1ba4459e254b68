"""`with_clew` adds clew and preserves existing options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, InMemorySessionStore, query

from clew.agents.claude_sdk import ClewSessionStore, with_clew


async def theirs(payload: Any, tool_use_id: str | None, context: Any) -> Any:
    return {}


def test_hooks_that_were_there_come_first(tmp_path: Path) -> None:
    matcher = HookMatcher(matcher="Bash", hooks=[theirs])
    before = ClaudeAgentOptions(cwd=tmp_path, hooks={"PreToolUse": [matcher], "PreCompact": []})
    hooks = with_clew(before).hooks

    assert hooks is not None
    assert [one.matcher for one in hooks["PreToolUse"]] == ["Bash", None]
    assert len(hooks["Stop"]) == 1
    assert before.hooks == {"PreToolUse": [matcher], "PreCompact": []}


def test_what_was_said_is_told_at_once(tmp_path: Path) -> None:
    found = with_clew(ClaudeAgentOptions(cwd=tmp_path))

    assert isinstance(found.session_store, ClewSessionStore)
    assert found.session_store_flush == "eager"


def test_another_session_store_stays(tmp_path: Path) -> None:
    store = InMemorySessionStore()
    found = with_clew(ClaudeAgentOptions(cwd=tmp_path, session_store=store))

    assert found.session_store is store
    assert found.session_store_flush == "batched"


def test_claudes_own_checkpoints_leave_no_room_for_a_session_store(tmp_path: Path) -> None:
    found = with_clew(ClaudeAgentOptions(cwd=tmp_path, enable_file_checkpointing=True))
    both = ClaudeAgentOptions(
        cwd=tmp_path,
        enable_file_checkpointing=True,
        session_store=ClewSessionStore(tmp_path),
    )

    assert found.session_store is None
    assert found.hooks
    with pytest.raises(ValueError, match="cannot be combined"):
        anext(query(prompt="", options=both)).send(None)  # type: ignore[attr-defined]
