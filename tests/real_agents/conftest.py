"""Real agents, with a home of their own and a scripted model.

Claude Code comes with its SDK; `make test-agents` installs the others, where npm is.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit import background

_SDK = importlib.util.find_spec("claude_agent_sdk")  # found, not imported: that takes a second
_BUNDLED = Path((_SDK and _SDK.origin) or "none").parent / "_bundled" / "claude"
_FROM_NPM = Path(__file__).resolve().parents[2] / ".agents" / "node" / "node_modules" / ".bin"
_LONGEST = 300

RunAgent = Callable[..., str]
"""Runs an agent in a directory, against a model at an address; returns what it prints."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def claude(home: Path) -> RunAgent:
    """Claude Code with permission to write and run."""
    program = claude_program()

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        words = ("-p", *arguments, "--output-format", "json", "--allowedTools", CLAUDE_TOOLS)
        return _run([program, *words], cwd, home, claude_settings(model) | extra)

    return run


CLAUDE_TOOLS = "Bash,Write,Edit,TodoWrite"


def claude_program() -> str:
    """Return the path of Claude Code; skip if it is not installed."""
    if not _BUNDLED.exists():
        pytest.skip("There is no wheel of claude-agent-sdk here with a Claude Code in it")
    return str(_BUNDLED)


def claude_settings(model: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "sk-stub",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


@pytest.fixture
def codex(home: Path) -> RunAgent:
    """`codex exec` with trusted hooks, as approved in its terminal."""
    program = _program("codex")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        (home / ".codex").mkdir(exist_ok=True)
        (home / ".codex" / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "stub"\n[model_providers.stub]\nname = "stub"\n'
            f'base_url = "{model}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
            f'[projects."{cwd}"]\ntrust_level = "trusted"\n'
        )
        words = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        trust = "--dangerously-bypass-hook-trust"
        settings = {"STUB_KEY": "sk-stub", **extra}
        return _run([program, "exec", *words, trust, *arguments], cwd, home, settings)

    return run


@pytest.fixture
def gemini(home: Path) -> RunAgent:
    """Gemini CLI in a trusted folder: in others it runs no hooks."""
    program = _program("gemini")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        own = home / ".gemini" / "settings.json"
        own.parent.mkdir(exist_ok=True)
        own.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        settings = {
            "GOOGLE_GEMINI_BASE_URL": model,
            "GEMINI_API_KEY": "sk-stub",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            **extra,
        }
        # With this model name it does not first ask another model which one to use.
        words = ("-p", *arguments, "--yolo", "--output-format", "json", "-m", "gemini-2.5-flash")
        return _run([program, *words], cwd, home, settings)

    return run


@pytest.fixture
def opencode(home: Path) -> RunAgent:
    """opencode, with the stub as its only provider."""
    program = _program("opencode")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        options = {"baseURL": f"{model}/v1", "apiKey": "sk-stub"}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "stub",
            "options": options,
            "models": {"stub": {"name": "stub", "tool_call": True}},
        }
        config = {"model": "stub/stub", "small_model": "stub/stub", "provider": {"stub": provider}}
        folder = home / ".config" / "opencode"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "opencode.json").write_text(json.dumps(config))
        settings = {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "npm_config_offline": "true",  # otherwise it tries for long to install a library for plugins
            **extra,
        }
        return _run([program, "run", "--format", "json", *arguments], cwd, home, settings)

    return run


@pytest.fixture
def qwen(home: Path) -> RunAgent:
    """qwen-code."""
    program = _program("qwen")

    def run(cwd: Path, model: str, *arguments: str, **extra: str) -> str:
        settings = {
            "OPENAI_BASE_URL": f"{model}/v1",
            "OPENAI_API_KEY": "sk-stub",
            "OPENAI_MODEL": "stub",
            **extra,
        }
        words = ("-p", *arguments, "--yolo", "--auth-type", "openai", "--output-format", "json")
        return _run([program, *words], cwd, home, settings)

    return run


def _program(name: str) -> str:
    if not (_FROM_NPM / name).exists():
        pytest.skip(f"There is no {name} here: `make test-agents` installs it where npm is")
    return str(_FROM_NPM / name)


def clean(home: Path, settings: dict[str, str]) -> dict[str, str]:
    """Return an environment without the variables of the test run."""
    path = {"PATH": os.environ["PATH"]}
    return {**path, "HOME": str(home), "TERM": "dumb", **background.OFF, **settings}


def _run(command: list[str], cwd: Path, home: Path, settings: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean(home, settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LONGEST,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()
