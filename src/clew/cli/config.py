"""`clew config`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.policy.redaction.redact import redact_words
from clew.render import json, maintenance
from clew.render.safe import safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.workspace import Workspace

COMMAND = Command(
    "config",
    "List or change settings",
    """\
`clew config` lists all settings.
`clew config get KEY` prints one, `clew config set KEY VALUE` changes it, `clew config unset KEY`
goes back to what it is by default.
`verify` is the workspace's own check, a command or an HTTP address: `clew save --check` runs it, and
`good` goes by it.
With `gate` on, acts on the outside world that `gate.rules` name need a yes; where that is empty the
rules that ship are in force, and `clew config get gate.rules` prints them.
`keep-last` and `keep-within` limit how much is kept, see `clew prune --help`; they are empty where
automatic checkpoints are thinned out by age and nothing else goes. `max-bytes` is the store's
budget, over which a save warns; `min-free` is how much disk space a save leaves free, a size or
`auto`, a fiftieth of the disk and 1 GiB at most.
With `restore.unattended` on, an agent may overwrite files by `clew mcp` where nobody is asked.""",
    (
        Positional("ACTION", "`get`, `set` or `unset`; without it all are listed", required=False),
        Positional("KEY", "The setting", required=False),
        Positional("VALUE", "What to set it to", required=False),
    ),
)

_WORDS = {None: (), "get": ("KEY",), "set": ("KEY", "VALUE"), "unset": ("KEY",)}


def run(args: Arguments, context: CommandContext) -> int:
    action = _checked_action(args)
    with context.open() as workspace:
        settings = _act(action, args, workspace)
    if action == "get":
        value = settings[args.one("KEY")]
        context.emit(lambda: json.configured(settings), lambda: map(safe, value.split("\n")))
    else:
        context.emit(lambda: json.configured(settings), lambda: maintenance.settings(settings))
    return ExitCode.DONE


def _checked_action(args: Arguments) -> str | None:
    action = args.maybe("ACTION")
    if action not in _WORDS:
        raise suggestions.unknown_action(action or "", [word for word in _WORDS if word], "config")
    for noun in ("KEY", "VALUE"):
        if noun in _WORDS[action] and args.maybe(noun) is None:
            raise suggestions.missing_argument(noun, "config")
        if noun not in _WORDS[action] and args.maybe(noun) is not None:
            raise suggestions.unexpected_argument(args.one(noun), COMMAND)
    return action


def _shown(key: str, value: str) -> str:
    """Return a setting as it is shown: an older clew may have kept a command with a secret in it."""
    return value if key == "exclude" else redact_words(value)


def _act(action: str | None, args: Arguments, workspace: Workspace) -> Mapping[str, str]:
    """Do what was asked and return the settings that are left to show."""
    match action:
        case "set":
            workspace.settings.set(args.one("KEY"), args.one("VALUE"))
        case "unset":
            workspace.settings.unset(args.one("KEY"))
        case _:
            pass
    settings = {key: _shown(key, value) for key, value in workspace.settings.all().items()}
    if action is None:
        return settings
    key = args.one("KEY")
    if action == "get" and key not in settings:
        raise BadOption(key, "there is no such setting")
    chosen = {name: value for name, value in settings.items() if name == key}
    if action == "get" and chosen == {"gate.rules": ""}:
        from clew.policy.approval.defaults import (
            DEFAULT_RULES,  # the list that ships, to read and edit
        )

        chosen = {"gate.rules": DEFAULT_RULES.rstrip("\n")}
    return chosen
