"""Scope of an agent's settings: the project or the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Option
from clew.errors import BadOption

if TYPE_CHECKING:
    from clew.cli.parse import Arguments

PROJECT = Option(("--project",), "Use the settings of this project")
USER = Option(("--user",), "Use your user settings, for every project")


def scope_of(args: Arguments) -> str | None:
    """Return the requested scope, or None."""
    if args.given("--user") and args.given("--project"):
        raise BadOption("--user", "cannot be combined with --project")
    if args.given("--user"):
        return "user"
    return "project" if args.given("--project") else None
