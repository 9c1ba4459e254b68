"""The user's settings: `$XDG_CONFIG_HOME/clew/config.toml`, read when a command first needs one.

What is wrong in the file is reported and ignored: a mistake in it must not keep anyone from a restore.
A file that another user owns or can write is ignored, because a pager is a program.
"""

from __future__ import annotations

import os

from clew.model.settings import Kind, Setting
from clew.model.user_settings import DEFAULTS, USER_SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_KEY = {setting.key: setting for setting in USER_SETTINGS}
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_LARGEST = 1 << 20


class UserSettings:
    """What the user's file says, and what is wrong in it."""

    def __init__(self, path: str, chosen: dict[str, str], problems: list[str]) -> None:
        self.path = path
        self.chosen = chosen
        """The valid values, as text."""
        self.problems = problems
        """One sentence each."""

    def __getitem__(self, key: str) -> str:
        """Return the value in force."""
        return self.chosen.get(key, DEFAULTS[key])


def user_file(environ: Mapping[str, str]) -> str:
    """Return the path of the user's settings."""
    config = environ.get("XDG_CONFIG_HOME", "")
    if not config.startswith("/"):  # a relative path would mean another file in each directory
        config = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    return os.path.join(config, "clew", "config.toml")


def read_user_settings(environ: Mapping[str, str]) -> UserSettings:
    """Read the user's settings; a file that does not exist is an empty one."""
    path = user_file(environ)
    chosen: dict[str, str] = {}
    problems: list[str] = []
    try:
        text = read_text(path)
    except OSError as error:
        return UserSettings(path, chosen, [f"cannot be read: {error.strerror}"])
    except ValueError as error:
        return UserSettings(path, chosen, [str(error)])
    if text:
        _parse(text, chosen, problems)
    return UserSettings(path, chosen, problems)


def read_text(path: str) -> str:
    """Return the text of the file, empty if it does not exist; ValueError if it must be ignored."""
    try:
        descriptor = os.open(path, _READ)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    with os.fdopen(descriptor, "rb") as file:
        import stat

        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("is not a file")
        if status.st_uid not in (0, os.geteuid()):
            raise ValueError("belongs to another user")
        if status.st_mode & stat.S_IWOTH:
            raise ValueError("can be changed by every user; run `chmod o-w` on it")
        if status.st_size > _LARGEST:
            raise ValueError("is too large")
        content = file.read(_LARGEST + 1)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None


def _parse(text: str, chosen: dict[str, str], problems: list[str]) -> None:
    import tomllib  # only if there is a file

    from clew.cli.toml_edit import flat, line_of

    try:
        values = flat(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        problems.append(f"is not TOML: {error}")
        return
    for key, value in values.items():
        problem = _problem(key, value)
        if problem:
            line = line_of(text, key)
            problems.append(f"line {line}: {problem}" if line else problem)
        else:
            chosen[key] = str(value)


def _problem(key: str, value: object) -> str:
    """Return what is wrong with an entry; empty if nothing is."""
    setting = _BY_KEY.get(key)
    if setting is None:
        return _unknown(key)
    if setting.kind == Kind.COUNT:
        is_right = type(value) is int and value >= 0
        return "" if is_right else f"{key} must be a whole number"
    if not isinstance(value, str):
        return f"{key} must be text in quotes"
    if setting.kind == Kind.WORDS and value not in setting.words:
        return f"{key} must be {_listed(setting)}"
    return ""


def _listed(setting: Setting) -> str:
    *others, last = setting.words
    return f"{', '.join(others)} or {last}"


def _unknown(key: str) -> str:
    from clew.model.settings import SETTINGS

    if key in {setting.key for setting in SETTINGS}:
        return f"{key} belongs to a workspace: use `clew config set {key}` there"
    if key == "store":
        return "store is not read from here, because hooks read no file: set $CLEW_HOME"
    return f"no such setting: {key!r}; there are {', '.join(_BY_KEY)}"
