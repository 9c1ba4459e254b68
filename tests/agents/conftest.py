"""The real Claude Code, with a home of its own and a scripted model; `make test-agents` installs it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_INSTALLED = Path(__file__).resolve().parents[2] / ".agents"
_CLAUDE = _INSTALLED / "python" / "claude_agent_sdk" / "_bundled" / "claude"

RunClaude = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def claude(home: Path) -> RunClaude:
    """Runs Claude Code in a directory, against a model at an address, and returns what it prints."""
    if not _CLAUDE.exists():
        pytest.skip("Claude Code is not installed: `make test-agents` does that")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TERM": "dumb",
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "sk-stub",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **extra,
        }
        done = subprocess.run(
            [_CLAUDE, "-p", *arguments, "--output-format", "json", "--allowedTools", "Bash,Write"],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        return done.stdout.decode()

    return run
