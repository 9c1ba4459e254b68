"""Arguments shared by the commands that run in a sandboxed copy."""

from __future__ import annotations

from clew.cli.declare import Option, Positional

COMMAND_WORDS = Positional(
    "CMD", "Command to run (default: the configured check)",
    required=False, many=True, after_dashes=True,
)  # fmt: skip
TIMEOUT = Option(("--timeout",), "Time limit, such as 90s or 5m (default 10m)", "TIME")
NETWORK = Option(
    ("--network",), "`own` for a separate network (default), `host` for the host's", "NETWORK"
)
