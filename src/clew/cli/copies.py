"""Arguments shared by the commands that run in a sandboxed copy."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from clew.cli.declare import Option, Positional
from clew.model.sandbox_results import Command, in_directory
from clew.worktree.http_probe import is_address

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND_WORDS = Positional(
    "CMD", "Command to run (default: the configured check)",
    required=False, many=True, after_dashes=True,
)  # fmt: skip
TIMEOUT = Option(("--timeout",), "Time limit, such as 90s or 5m (default 10m)", "TIME")
NETWORK = Option(
    ("--network",), "`own` for a separate network (default), `host` for the host's", "NETWORK"
)
ALLOW_SOCKET = Option(
    ("--allow-socket",), "Let the command use this live unix socket", "PATH", many=True
)


def where_started(
    command: Command, workspace: WorkspaceProtocol, context: CommandContext
) -> Command:
    """Return a command as it runs in the directory of the workspace in which clew was started.

    The root of a machine is above every directory, also of those that its copy lacks: commands run in it.
    """
    root = os.fsdecode(os.path.realpath(workspace.info.path))
    below = os.path.relpath(os.path.realpath(context.directory or "."), root)
    is_elsewhere = below == "." or below.split("/")[0] == ".." or root == "/"
    if is_elsewhere or (isinstance(command, str) and is_address(command)):
        return command
    return in_directory(command, below)
