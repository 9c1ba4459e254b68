"""What `import clew` gives, exactly, and how little it costs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import clew

SOURCE = Path(__file__).resolve().parents[1] / "src"


def test_the_public_names_are_these_and_no_others() -> None:
    assert sorted(clew.__all__) == [
        "ClewError", "Monitor", "Workspace", "check_store", "init", "open",
    ]  # fmt: skip


@pytest.mark.parametrize("name", clew.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(clew, name).__name__ == name


def test_any_other_name_is_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        clew.nope  # noqa: B018


def test_the_types_are_shipped() -> None:
    assert (SOURCE / "clew" / "py.typed").exists()


def test_the_version_has_one_source() -> None:
    settings = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text())

    assert settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["hatch"]["version"]["path"] == "src/clew/__init__.py"
    assert clew.__version__.count(".") == 2


def test_importing_the_package_loads_nothing_else() -> None:
    """Hooks run on every tool call: what a command does not need, it does not load."""
    program = "import sys, clew; print(*sorted(m for m in sys.modules if m.startswith('clew')))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(SOURCE)!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["clew"]
