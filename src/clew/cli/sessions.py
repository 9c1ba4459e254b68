"""Option shared by the commands about a session."""

from __future__ import annotations

from clew.cli.declare import Option

SESSION = Option(("--session",), "Session: id or name (default: the attached one)", "ID")
