"""Start-up is a feature: hooks run clew on every tool call.

What is loaded is compared, not time: a module that creeps in fails on every machine alike.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.running import Clew

SOURCE = Path(__file__).resolve().parents[2] / "src"

PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
import clew
before = set(sys.modules)
from clew.app import main
code = main(sys.argv[2:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*words: str) -> set[str]:
    """Return the modules that a command loads beyond those of `import clew`."""
    command = [sys.executable, "-I", "-c", PROBE, str(SOURCE), *words]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return set(done.stderr.split())


def test_help_loads_neither_the_model_nor_anything_slow() -> None:
    loaded = loaded_by("--help")

    assert "clew.cli.help" in loaded
    assert not loaded & {"typing", "re", "json", "collections", "enum", "datetime", "argparse"}
    assert not {name for name in loaded if name.startswith(("clew.model", "clew.render"))}


def test_a_command_loads_no_other_command() -> None:
    loaded = loaded_by("log", "--help")

    assert "clew.cli.log" in loaded
    assert "clew.cli.save" not in loaded
    assert not loaded & {"json", "datetime", "argparse", "subprocess", "difflib", "dataclasses"}
    assert not {
        name for name in loaded if name.startswith(("clew.opening", "clew.workspace", "clew.store"))
    }


@pytest.mark.parametrize("words", [("prompt",), ("offer", "zsh", "checkpoint", "--", "")])
def test_what_runs_between_two_keys_loads_no_scan_and_no_story(
    clew: Clew, words: tuple[str, ...]
) -> None:
    clew.save("one", "--verify", "true")
    loaded = loaded_by("-C", str(clew.workspace), "--store", str(clew.store), *words)

    assert "clew.workspace.workspace" in loaded
    assert not loaded & {"json", "datetime", "argparse", "subprocess", "signal", "multiprocessing"}
    assert not {
        name
        for name in loaded
        if name.startswith(("clew.detectors", "clew.worktree.scan", "clew.operations.save"))
    }
