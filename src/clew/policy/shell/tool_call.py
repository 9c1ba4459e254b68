"""Command lines in calls of shell tools."""

from __future__ import annotations

from collections.abc import Mapping

from clew.policy.effects.keys import key_words

_SHELL_WORDS = frozenset(("bash", "shell", "sh", "terminal", "command", "cmd", "exec", "execute"))
_LINE_KEYS = ("command", "cmd", "script")
_DIRECTORY_KEYS = ("cwd", "workdir", "working_directory", "directory")


def is_shell(tool: str) -> bool:
    """Return whether a tool runs command lines, by its name."""
    return bool(_SHELL_WORDS & frozenset(key_words(tool)))


def shell_line(tool: str, arguments: object) -> tuple[str, str] | None:
    """Return the command line and the directory in the call of a shell tool; None for other tools.

    A string without a tool is a command line.
    """
    if tool and not is_shell(tool):
        return None
    if isinstance(arguments, str):
        return arguments, ""
    if not tool or not isinstance(arguments, Mapping):
        return None
    line = next((arguments[key] for key in _LINE_KEYS if key in arguments), None)
    where = next((str(arguments[key]) for key in _DIRECTORY_KEYS if arguments.get(key)), "")
    if isinstance(line, str):
        return line, where
    if isinstance(line, (list, tuple)) and line:
        return " ".join(_quoted(str(word)) for word in line), where
    return None


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"
