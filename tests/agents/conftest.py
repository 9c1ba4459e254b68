"""Real agents, with a home of their own and a scripted model; `make test-agents` installs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_INSTALLED = Path(__file__).resolve().parents[2] / ".agents"
_CLAUDE = _INSTALLED / "python" / "claude_agent_sdk" / "_bundled" / "claude"
_CODEX = _INSTALLED / "node" / "node_modules" / ".bin" / "codex"

RunAgent = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def claude(home: Path) -> RunAgent:
    """Runs Claude Code in a directory, against a model at an address, and returns what it prints."""
    if not _CLAUDE.exists():
        pytest.skip("Claude Code is not installed: `make test-agents` does that")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        settings = {
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "sk-stub",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **extra,
        }
        words = ("-p", *arguments, "--output-format", "json", "--allowedTools", "Bash,Write")
        return _run([str(_CLAUDE), *words], cwd, home, settings)

    return run


@pytest.fixture
def codex(home: Path) -> RunAgent:
    """Runs `codex exec` in the same way."""
    if not _CODEX.exists():
        pytest.skip("Codex is not installed: `make test-agents` does that where npm is")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        (home / ".codex").mkdir(exist_ok=True)
        (home / ".codex" / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "stub"\n[model_providers.stub]\nname = "stub"\n'
            f'base_url = "{model}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
        )
        words = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        settings = {"STUB_KEY": "sk-stub", **extra}
        return _run([str(_CODEX), "exec", *words, *arguments], cwd, home, settings)

    return run


def _run(command: list[str], cwd: Path, home: Path, settings: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "dumb", **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()
