"""What the commands that run something in a private copy are told alike."""

from __future__ import annotations

from clew.cli.declare import Option, Positional

COMMAND_WORDS = Positional(
    "CMD", "What to run; by default the configured check",
    required=False, many=True, after_dashes=True,
)  # fmt: skip
TIMEOUT = Option(("--timeout",), "Give up after so long, like 90s or 5m; by default 10m", "TIME")
NET = Option(("--net",), "`host` to share the network; by default it has its own", "NET")
