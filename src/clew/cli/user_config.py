"""`clew config --user`: the user's settings, listed and changed in the user's file."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

from clew.atomic_write import replace_file
from clew.cli import toml_edit
from clew.cli.exits import ExitCode
from clew.cli.user_settings import read_text
from clew.errors import BadOption
from clew.model.settings import Kind
from clew.model.user_settings import DEFAULTS, USER_SETTINGS
from clew.render import json, maintenance
from clew.render.safe import safe, safe_line

if TYPE_CHECKING:
    from clew.cli.context import CommandContext

_OPTION = "--user"


def run_user(action: str | None, key: str, value: str, context: CommandContext) -> int:
    """Run one action on the user's settings."""
    path = context.user.path
    if action is not None and key not in DEFAULTS:
        raise BadOption(key, f"no such setting of a user; there are {', '.join(DEFAULTS)}")
    if action == "set":
        _change(path, key, _checked(key, value))
        context.forget_user()
    elif action == "unset":
        _change(path, key, None)
        context.forget_user()
    user = context.user
    keys = [key] if action is not None else list(DEFAULTS)
    settings = {one: user[one] for one in keys}
    own = user.chosen.keys() & settings.keys()
    look = context.look()
    if action == "get":
        context.emit(lambda: json.configured(settings, own), lambda: [safe(settings[key])])
        return ExitCode.DONE
    context.emit(
        lambda: json.configured(settings, own), lambda: maintenance.settings(settings, own, look)
    )
    if action is None:
        is_there = "" if os.path.exists(path) else " (not there yet)"
        context.say(f"File: {safe_line(path, 1000)}{is_there}")
    for problem in user.problems[1:]:  # the first is reported where the file is read
        context.say(f"Ignored: {safe_line(problem)}")
    return ExitCode.DONE


def _checked(key: str, value: str) -> str | int:
    """Return a value as it is written to the file; raise `BadOption` if it is not valid."""
    from clew.operations.maintenance.change_setting import check_value  # only here

    setting = next(one for one in USER_SETTINGS if one.key == key)
    check_value(setting, value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadOption(key, "not valid text") from None
    return int(value) if setting.kind == Kind.COUNT else value


def _change(path: str, key: str, value: str | int | None) -> None:
    """Write the file with one value changed; None removes it."""
    target = os.path.realpath(path)  # a link to a file elsewhere stays a link
    try:
        text = read_text(target)
        if value is None:
            changed = toml_edit.unset_value(text, key)
        else:
            changed = toml_edit.set_value(text, key, value)
    except tomllib.TOMLDecodeError as error:
        raise BadOption(_OPTION, f"{path} is not TOML: {error}") from error
    except toml_edit.CannotEdit:
        raise BadOption(_OPTION, f"{path} sets {key} in a way that needs an editor") from None
    except ValueError as error:
        raise BadOption(_OPTION, f"{path} {error}") from error
    if changed == text:
        return
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o600
    replace_file(target, [changed.encode()], mode)
