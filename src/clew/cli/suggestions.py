"""Usage errors, with the nearest valid word as the hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import BadOption, UsageError
from clew.policy.redaction.redact import redact_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.cli.declare import Command


ELSEWHERE = {
    "add": "save",
    "annotate": "blame",
    "back": "undo",
    "backup": "save",
    "backups": "log",
    "branch": "fork REF",
    "branches": "forks",
    "changes": "status",
    "checkout": "restore REF",
    "checkpoints": "log",
    "clean": "prune",
    "cleanup": "prune",
    "clone": "fork REF",
    "commit": "save TEXT",
    "create": "save TEXT",
    "df": "stats",
    "du": "stats",
    "forget": "prune",
    "history": "log",
    "hooks": "enable AGENT",
    "info": "show",
    "install": "enable AGENT",
    "list": "log",
    "merge": "adopt FORK",
    "preview": "restore REF --dry-run",
    "reflog": "log",
    "remove": "delete REF",
    "repair": "fsck",
    "reset": "restore REF",
    "revert": "restore REF",
    "rewind": "restore REF",
    "rm": "delete REF",
    "rollback": "restore REF",
    "run": "exec REF -- COMMAND",
    "settings": "config",
    "setup": "enable AGENT",
    "size": "stats",
    "snapshot": "save",
    "snapshots": "log",
    "st": "status",
    "stash": "save",
    "switch": "restore REF",
    "tag": "edit REF --name NAME",
    "test": "verify REF",
    "timeline": "log",
    "uninstall": "disable AGENT",
    "usage": "stats",
    "worktree": "fork REF",
    "worktrees": "forks",
}
"""Commands of other tools (git, restic, borg, jj, Docker), and what clew calls them."""


class BadCommandLine(UsageError):
    """An invalid command line, with its own hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def unknown_command(word: str, verbs: Iterable[str]) -> BadCommandLine:
    meant = ELSEWHERE.get(word.lower())
    hint = f"Did you mean `clew {meant}`?" if meant else nearest(word, verbs)
    return BadCommandLine(
        f"Unknown command: {word!r}", hint or "List the commands with `clew --help`"
    )


def unknown_action(word: str, actions: Iterable[str], verb: str) -> BadCommandLine:
    hint = nearest(word, actions) or f"See {help_of(verb)}"
    return BadCommandLine(f"Unknown action for clew {verb}: {word!r}", hint)


def unknown_option(flag: str, verb: str, flags: Iterable[str]) -> BadCommandLine:
    where = f"for clew {verb}" if verb else "before the command"
    hint = nearest(flag, flags) or f"List the options with {help_of(verb)}"
    return BadCommandLine(f"Unknown option {where}: {_redacted(flag)!r}", hint)


def missing_value(flag: str, noun: str, verb: str) -> BadCommandLine:
    example = f"{flag}={noun}" if flag.startswith("--") else f"{flag} {noun}"
    return BadCommandLine(f"Option requires a value: {flag}", f"Use {example}; see {help_of(verb)}")


def unwanted_value(flag: str, verb: str) -> BadCommandLine:
    return BadCommandLine(f"Option takes no value: {flag}", f"See {help_of(verb)}")


def missing_argument(noun: str, verb: str) -> BadCommandLine:
    return BadCommandLine(f"Missing argument: {noun}", f"See {help_of(verb)}")


def unexpected_argument(word: str, command: Command) -> BadCommandLine:
    hint = f"Quote text with spaces; see {help_of(command.name)}"
    if word == "help":
        hint = f"Show the help with {help_of(command.name)}"
    for positional in command.positionals:
        if positional.after_dashes:
            what = "paths" if positional.noun == "PATH" else positional.noun
            hint = f"Put -- before {what}; see {help_of(command.name)}"
    return BadCommandLine(f"Unexpected argument: {_redacted(word)!r}", hint)


def given_twice(flag: str, noun: str, verb: str) -> BadCommandLine:
    return BadCommandLine(
        f"{flag} cannot be combined with {noun}", f"Give one; see {help_of(verb)}"
    )


def not_a_number(key: str, text: str, least: int) -> BadOption:
    return BadOption(key, f"must be a whole number, {least} or more: {text!r}")


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return "Did you mean …?" for the candidate closest to `word`, or None."""
    from difflib import get_close_matches  # slow to import, and only mistakes need it

    names = {candidate.lstrip("-"): candidate for candidate in candidates}
    found = get_close_matches(word.lstrip("-"), names, n=1, cutoff=0.6)
    return f"Did you mean {names[found[0]]}?" if found else None


def help_of(verb: str) -> str:
    return f"`clew {verb} --help`" if verb else "`clew --help`"


def _redacted(word: str) -> str:
    """Return a word redacted; a pasted command is recognised only without leading dashes."""
    bare = word.lstrip("-")
    return word[: len(word) - len(bare)] + redact_words(bare)
