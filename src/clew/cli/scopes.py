"""Where an agent's settings are meant: in the project, or in the home directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Option
from clew.errors import BadOption

if TYPE_CHECKING:
    from clew.cli.parse import Arguments

PROJECT = Option(("--project",), "In the settings of this project")
USER = Option(("--user",), "In your own settings, for every project")


def scope_of(args: Arguments) -> str | None:
    """Return the scope that was asked for, or None."""
    if args.given("--user") and args.given("--project"):
        raise BadOption("--user", "cannot be combined with --project")
    if args.given("--user"):
        return "user"
    return "project" if args.given("--project") else None
