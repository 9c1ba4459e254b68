"""`clew config`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.model.settings import SETTINGS, Setting
from clew.model.user_settings import USER_SETTINGS
from clew.policy.redaction.redact import redact_words
from clew.render import json, maintenance
from clew.render.safe import safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.exclude_effects import ExcludeEffects
    from clew.workspace.protocol import WorkspaceProtocol


def described(setting: Setting) -> str:
    """Return the sentence of a setting, with its default."""
    default = f"`{setting.default}`" if setting.default else "none"
    return f"{setting.meaning} (default: {default})"


COMMAND = Command(
    "config",
    "Show or change settings",
    """\
`clew config` lists all settings, `clew config get KEY` prints one, `clew config set KEY VALUE`
changes it, `clew config unset KEY` resets it to its default.
With --user, the same for your own settings, in $XDG_CONFIG_HOME/clew/config.toml or
~/.config/clew/config.toml, which may also be edited by hand (TOML).""",
    (
        Positional(
            "ACTION", "`get`, `set` or `unset` (default: list all settings)", required=False
        ),
        Positional("KEY", "Name of the setting", required=False),
        Positional("VALUE", "New value", required=False),
    ),
    (Option(("--user",), "Your own settings of the command line, for all workspaces"),),
    pages=True,
    tables=(
        (
            "Settings of a workspace",
            tuple((setting.key, described(setting)) for setting in SETTINGS),
        ),
        (
            "Settings of a user",
            tuple((setting.key, described(setting)) for setting in USER_SETTINGS),
        ),
    ),
)

EXCLUDE = "exclude"

_WORDS = {None: (), "get": ("KEY",), "set": ("KEY", "VALUE"), "unset": ("KEY",)}


def run(args: Arguments, context: CommandContext) -> int:
    action = _checked_action(args)
    if args.given("--user"):
        from clew.cli.user_config import run_user  # no workspace is needed

        return run_user(action, args.maybe("KEY") or "", args.maybe("VALUE") or "", context)
    with context.open() as workspace:
        settings = _act(action, args, workspace)
        own = workspace.settings.own() & settings.keys()
        if action == "set" and args.one("KEY") == EXCLUDE:
            return _show_excludes(settings, own, workspace.settings.exclude_effects(), context)
    look = context.look()
    if action == "get":
        value = settings[args.one("KEY")]
        context.emit(lambda: json.configured(settings, own), lambda: map(safe, value.split("\n")))
    else:
        context.emit(
            lambda: json.configured(settings, own),
            lambda: maintenance.settings(settings, own, look),
        )
    return ExitCode.DONE


def _show_excludes(
    settings: Mapping[str, str],
    own: frozenset[str],
    effects: ExcludeEffects,
    context: CommandContext,
) -> int:
    """Print the exclude patterns, what they match, and what may not be meant."""
    look = context.look()
    configured = json.configured(settings, own)
    context.emit(
        lambda: configured | {"exclude_effects": json.exclude_effects(effects)},
        lambda: [
            *maintenance.settings(settings, own, look),
            *maintenance.excluded(effects, look),
        ],
    )
    for warning in maintenance.pattern_warnings(effects):
        context.say(warning)
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
    return value if key == EXCLUDE else redact_words(value)


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
