"""Each library is imported only by its own adapter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_examples import run_example

LIBRARIES = {
    "agents",
    "claude_agent_sdk",
    "deepagents",
    "langgraph",
    "mcp",
    "openai",
    "pydantic",
    "pydantic_ai",
}


@pytest.mark.parametrize(
    "module", ["clew", "clew.app", "clew.agents.watch", "clew.agents.setup", "clew.workspace"]
)
def test_nothing_else_loads_a_library(tmp_path: Path, module: str) -> None:
    done = run_example(
        tmp_path, "-c", f"import sys, {module}; print({LIBRARIES} & set(sys.modules))"
    )

    assert (done.returncode, done.stdout) == (0, "set()\n"), done.stderr


@pytest.mark.parametrize(
    ("module", "library"),
    [
        ("clew.agents.claude_sdk", "claude_agent_sdk"),
        ("clew.agents.deepagents", "deepagents"),
        ("clew.agents.langgraph", "langgraph"),
        ("clew.agents.openai_agents", "agents"),
        ("clew.agents.pydantic_ai", "pydantic_ai"),
        ("clew.mcp.server", "mcp"),
    ],
)
def test_an_adapter_loads_its_own(tmp_path: Path, module: str, library: str) -> None:
    done = run_example(tmp_path, "-c", f"import sys, {module}; print({library!r} in sys.modules)")

    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
