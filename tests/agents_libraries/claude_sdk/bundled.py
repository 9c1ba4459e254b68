"""The Claude Code that the SDK contains, with its own home and a scripted model."""

from __future__ import annotations

import os
from pathlib import Path

import claude_agent_sdk
import pytest
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from tests.kit import background

_BUNDLED = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


def live_in(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the environment to PATH and a home in `place`."""
    if not _BUNDLED.exists():
        pytest.skip("The SDK came without its Claude Code: it is in the wheels of most platforms")
    (place / "home").mkdir()
    for name in list(os.environ):
        if name not in ("PATH", "PYTEST_CURRENT_TEST", *background.OFF):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place / "home"))
    monkeypatch.setenv("TMPDIR", str(place))


def options_for(project: Path, model: str, **more: object) -> ClaudeAgentOptions:
    """Return options for a run in a project against a model at an address."""
    settings = {
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "sk-stub",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "TERM": "dumb",
    }
    found = ClaudeAgentOptions(
        cwd=project, env=settings, allowed_tools=["Bash", "Write"], setting_sources=[]
    )
    for name, value in more.items():
        setattr(found, name, value)
    return found


async def run(prompt: str, options: ClaudeAgentOptions) -> str:
    """Run a prompt and return the session id."""
    session = ""
    async for message in query(prompt=prompt, options=options):
        if isinstance(message, ResultMessage):
            session = message.session_id
    return session
