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
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "config",
    "Show or change settings",
    """\
`clew config` lists all settings, `clew config get KEY` prints one, `clew config set KEY VALUE`
changes it, `clew config unset KEY` resets it to its default.
`verify`: the check of the workspace, a command or an HTTP URL. `clew save --check` runs it; the
reference `good` depends on it.
`exclude`: patterns of paths that are not captured, one per line, as in `.gitignore`.
`exclude-larger-than`: size above which files are not captured, such as 100MB. A restore leaves excluded
files alone.
`gate`: if on, external actions that match `gate.rules` need approval. If `gate.rules` is empty, the
built-in rules apply; `clew config get gate.rules` prints them.
`keep-last`, `keep-within`: retention limits, see `clew prune --help`. If both are empty, only automatic
checkpoints are thinned out by age.
`drill.every`: period of restore drills in the background, such as 7d, or `off`; see `clew drill --help`.
`max-bytes`: size of the store above which a save warns.
`min-free`: disk space that a save leaves free, a size or `auto` (2 % of the disk, at most 1 GiB).
`restore.ask`: when `clew restore`, `undo`, `redo` and `adopt` ask on a terminal: `unsaved` (if they would
overwrite what the current checkpoint does not hold, or files that programs have open), `always`, or
`never`. Without a terminal, --yes is required whatever it says.
`restore.unattended`: if on, an agent may overwrite files through `clew mcp` without confirmation.
`story.background`: if on, a background process describes checkpoints that hooks have saved; if off,
`clew log` and `clew show` describe them each time.
`story.live-databases`: if on, the background process asks PostgreSQL, MySQL and MariaDB servers that
run in the workspace for their tables after each checkpoint (without a password, read-only).""",
    (
        Positional(
            "ACTION", "`get`, `set` or `unset` (default: list all settings)", required=False
        ),
        Positional("KEY", "Name of the setting", required=False),
        Positional("VALUE", "New value", required=False),
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
    """Return a setting for display; older versions stored commands with secrets in them."""
    return value if key == "exclude" else redact_words(value)


def _act(action: str | None, args: Arguments, workspace: WorkspaceProtocol) -> Mapping[str, str]:
    """Apply the action and return the settings to show."""
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
        raise BadOption(key, "no such setting")
    chosen = {name: value for name, value in settings.items() if name == key}
    if action == "get" and chosen == {"gate.rules": ""}:
        from clew.policy.approval.defaults import (
            DEFAULT_RULES,  # only here
        )

        chosen = {"gate.rules": DEFAULT_RULES.rstrip("\n")}
    return chosen
