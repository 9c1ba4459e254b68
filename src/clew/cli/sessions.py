"""What commands about a session have in common."""

from __future__ import annotations

from clew.cli.declare import Option

SESSION = Option(("--session",), "Another session than the one attached: its id or name", "ID")
