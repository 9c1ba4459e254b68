from __future__ import annotations

from pathlib import Path

from clew.cli.reference import lines

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_reference_is_up_to_date() -> None:
    expected = "".join(line + "\n" for line in lines())

    assert PAGE.read_text() == expected, "run `make docs`"
