"""Command options: `-n prod`, `--namespace prod` and `--namespace=prod` are the same option.

`option_table` lists programs with external effects.  For all others the usual conventions are assumed:
a long option takes the next word unless its name is that of a typical switch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from clew.model.named_tuple import NamedTuple
from clew.policy.shell.option_table import ALIASES, KNOWN, OTHERS, Known


class CommandOptions(NamedTuple):
    """The parsed arguments of a command."""

    positionals: tuple[str, ...]
    options: tuple[tuple[str, str | None], ...]
    """Long names without dashes, and their values, in order."""
    directory: str = ""
    """The directory given with an option, as in `git -C`."""

    def has(self, name: str) -> bool:
        return any(
            name == found and value not in ("false", "none") for found, value in self.options
        )

    def value(self, name: str) -> str | None:
        """Return the last value given, which most programs use."""
        return next((value for found, value in reversed(self.options) if name == found), None)


_SWITCHES = frozenset(
    (
        "all", "confirm", "debug", "delete", "detach", "destroy", "draft", "dry-run", "dryrun",
        "force", "global", "help", "interactive", "json", "latest", "live", "local", "now",
        "overwrite", "prod", "production", "public", "private", "purge", "recursive", "replace",
        "staging", "sync", "test", "watch",
    )
)  # fmt: skip
_SWITCH_STARTS = ("no-", "skip-", "allow-", "enable-", "disable-", "without-", "is-", "auto-")
_SHORT_SWITCHES = frozenset("afhiklqrvxyAFR")
_IGNORED = frozenset(
    (
        "verbose", "quiet", "silent", "yes", "assume-yes", "auto-approve", "no-input", "batch",
        "non-interactive", "no-color", "color", "colour", "no-cli-pager", "progress", "no-progress",
        "debug", "timeout", "wait-timeout", "retries", "retry", "max-time", "help", "v", "q", "y",
        "no-wait",
    )
)  # fmt: skip


def read_options(program: str, arguments: Sequence[str]) -> CommandOptions:
    """Parse the arguments of `program` into words and options with long names."""
    known = _known(program, _first_word(arguments))
    reader = _OptionReader(known)
    reader.read(arguments)
    directory = "/".join(reader.directories)
    return CommandOptions(tuple(reader.positionals), tuple(reader.options), directory)


def long_name(program: str, arguments: Sequence[str], option: str) -> str:
    """Return the name that `read_options` uses for `-x` or `--long`."""
    name = option.lstrip("-")
    return _known(program, _first_word(arguments)).long.get(name, name)


def is_incidental(program: str, arguments: Sequence[str], name: str) -> bool:
    """Return whether an option only affects output, prompts or waiting."""
    return name in _IGNORED or name in _known(program, _first_word(arguments)).ignored


def usual_name(program: str) -> str:
    """Return the most common name of a program."""
    return ALIASES.get(program, program)


def is_known_program(name: str) -> bool:
    """Return whether a first word is a known program, not a word of a sentence."""
    return name in KNOWN or name in ALIASES or name in OTHERS


class _Table(NamedTuple):
    """A `Known`, parsed for fast lookup."""

    long: dict[str, str]
    values: frozenset[str]
    switches: frozenset[str]
    ignored: frozenset[str]
    directories: frozenset[str]
    attached: frozenset[str]
    one_dash: bool
    is_known: bool


class _OptionReader:
    def __init__(self, table: _Table) -> None:
        self._table = table
        self.positionals: list[str] = []
        self.options: list[tuple[str, str | None]] = []
        self.directories: list[str] = []

    def read(self, words: Sequence[str]) -> None:
        at = 0
        while at < len(words):
            word = words[at]
            following = words[at + 1] if at + 1 < len(words) else None
            if word == "--":
                self.positionals += words[at + 1 :]
                return
            at += 1
            if not word.startswith("-") or word == "-" or word[1:2].isdigit():
                self.positionals.append(word)
            elif word.startswith("--") or self._table.one_dash:
                at += self._long(word.lstrip("-"), following)
            else:
                at += self._short(word[1:], following)

    def _long(self, text: str, following: str | None) -> bool:
        """Add an option, and return whether its value was the following word."""
        name, sign, value = text.partition("=")
        takes_next = not sign and following is not None and self._takes_value(name, following)
        self._add(name, following if takes_next else value if sign else None)
        return takes_next

    def _short(self, letters: str, following: str | None) -> bool:
        table = self._table
        if not table.is_known:
            return self._unknown_short(letters, following)
        for at, letter in enumerate(letters):
            name = table.long.get(letter, letter)
            rest = letters[at + 1 :].removeprefix("=")
            if name in table.attached:
                self._add(name, rest or None)
                return False
            if name in table.values:
                self._add(name, rest or following)
                return not rest
            self._add(name, None)
        return False

    def _unknown_short(self, letters: str, following: str | None) -> bool:
        name, sign, value = letters.partition("=")
        is_switch = len(name) == 1 and name in _SHORT_SWITCHES
        is_value = following is not None and not following.startswith("-")
        takes_next = not sign and is_value and not is_switch
        self._add(name, following if takes_next else value if sign else None)
        return takes_next

    def _takes_value(self, name: str, following: str) -> bool:
        if name in self._table.values:
            return True
        is_switch = name in self._table.switches or name in _SWITCHES or name in _IGNORED
        return not (is_switch or name.startswith(_SWITCH_STARTS) or following.startswith("-"))

    def _add(self, name: str, value: str | None) -> None:
        if name in self._table.directories and value is not None:
            self.directories.append(value)
        else:
            self.options.append((name, value))


def _first_word(arguments: Iterable[str]) -> str:
    return next((word for word in arguments if not word.startswith("-")), "")


def _known(program: str, following: str) -> _Table:
    program = usual_name(program)
    name = f"{program} {following}"
    return _table(name if name in KNOWN else program if program in KNOWN else "")


@cache
def _table(name: str) -> _Table:
    """Parse one line of the table on first use."""
    known = KNOWN.get(name, Known())
    long: dict[str, str] = {}
    names: dict[str, frozenset[str]] = {}
    for field in ("values", "switches", "attached"):
        spellings = [word.rpartition("=") for word in getattr(known, field).split()]
        long.update((short, full) for short, sign, full in spellings if sign)
        names[field] = frozenset(full for _, _, full in spellings)
    return _Table(
        long,
        names["values"],
        names["switches"],
        frozenset(known.ignored.split()),
        frozenset(known.directories.split()),
        names["attached"],
        known.one_dash,
        is_known=bool(name),
    )
