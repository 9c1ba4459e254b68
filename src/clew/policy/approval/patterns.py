"""Pattern grammar of approval rules.

    command WORDS [with CONDITION [or CONDITION]...] [unless CONDITION [or CONDITION]...]
    tool    WORDS [with CONDITION [or CONDITION]...] [unless CONDITION [or CONDITION]...]

WORDS of a command are its program and the words that follow, without options.  WORDS of a tool occur
anywhere in its name, split at `_`, `-` and capitals.  Each word may have alternatives, `a|b`, and
wildcards, `db:*`; a word of a tool with a wildcard is compared with the whole name.

    -X POST|PUT         the option, short or long, with one of these values
    -d|--data-raw       one of these options, with any value
    get|describe        these words follow the program; for a tool: a word of its name
    word create|delete  one of the first words of the command
    text drop|delete    one of these words occurs in the arguments or the input
    into *:*            the last word
    input               it reads a file or the output of another command
    method POST|PUT     for a tool: this argument has one of these values

A command that asks for help never matches, nor does a tool whose first verb only reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from clew.model.named_tuple import NamedTuple
from clew.policy.effects.keys import acting_verbs, creating_verbs, key_words
from clew.policy.shell.commands import ShellCommand
from clew.policy.shell.options import CommandOptions, long_name, read_options

_MAX_TEXT = 1 << 20
_FIRST_WORDS = 6


class Condition(NamedTuple):
    """One condition of a pattern."""

    sort: str
    """`option`, `words`, `word`, `text`, `into`, `input` or `key`."""
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Pattern(NamedTuple):
    """The parsed pattern of a rule."""

    is_command: bool
    words: tuple[tuple[str, ...], ...]
    """The alternatives of each word."""
    needs: tuple[Condition, ...]
    """At least one must be met, if there are any."""
    excuses: tuple[Condition, ...]
    """None may be met."""

    def is_about(self, program: str) -> bool:
        return _matches(program.rpartition("/")[2], self.words[0])


@lru_cache(maxsize=1_024)
def parse_pattern(text: str) -> Pattern:
    """Parse a pattern; raise ValueError with the reason if it is invalid."""
    target, *words = text.split() or [""]
    if target not in ("command", "tool"):
        raise ValueError("A rule must start with 'command' or 'tool'")
    is_command = target == "command"
    words, excuses = _split(words, "unless")
    words, needs = _split(words, "with")
    if not words:
        raise ValueError(f"No pattern after {target!r}")
    return Pattern(
        is_command,
        tuple(_alternatives(word) for word in words),
        tuple(_condition(part, is_command) for part in needs),
        tuple(_condition(part, is_command) for part in excuses),
    )


def command_matches(pattern: Pattern, command: ShellCommand) -> bool:
    """Return whether the pattern requires approval for this command."""
    options = read_options(command.program, command.arguments)
    if options.has("help") or options.positionals[:1] == ("help",):
        return False
    if not pattern.is_about(command.program) or not _begins(options, pattern.words[1:]):
        return False
    if pattern.needs and not any(_is_met(one, command, options) for one in pattern.needs):
        return False
    return not any(_is_met(one, command, options) for one in pattern.excuses)


def call_matches(pattern: Pattern, tool: str, arguments: object) -> bool:
    """Return whether the pattern requires approval for this tool call."""
    words = key_words(tool)
    if not all(_names(words, alternatives) for alternatives in pattern.words):
        return False
    if _only_reads(words) and not any(one.sort == "key" for one in pattern.needs):
        return False
    if pattern.needs and not any(_is_met_by_call(one, words, arguments) for one in pattern.needs):
        return False
    return not any(_is_met_by_call(one, words, arguments) for one in pattern.excuses)


def _split(words: Sequence[str], sign: str) -> tuple[list[str], list[list[str]]]:
    """Split `words` at `sign`, and the rest at each `or`."""
    if sign not in words:
        return list(words), []
    at = words.index(sign)
    parts: list[list[str]] = [[]]
    for word in words[at + 1 :]:
        if word == "or":
            parts.append([])
        else:
            parts[-1].append(word)
    if not all(parts):
        raise ValueError(f"No condition after {sign!r}")
    return list(words[:at]), parts


def _condition(words: Sequence[str], is_command: bool) -> Condition:
    first, *values = words
    if first.startswith("-") and is_command:
        if len(values) > 1:
            raise ValueError(
                f"Only one list of values is allowed for an option: {' '.join(words)!r}"
            )
        return Condition("option", _alternatives(first), _alternatives(*values))
    if first in ("text", "word", "into"):
        if len(values) != 1:
            raise ValueError(f"Exactly one list of words is required after {first!r}")
        return Condition(first, (), _alternatives(*values))
    if words == ["input"] and is_command:
        return Condition("input")
    if is_command or not values:
        return Condition("words", tuple(words))
    if len(values) > 1:
        raise ValueError(f"Only one list of values is allowed for an argument: {' '.join(words)!r}")
    return Condition("key", _alternatives(first), _alternatives(*values))


def _alternatives(*words: str) -> tuple[str, ...]:
    return tuple(
        one.lower() if not one.startswith("-") else one
        for word in words
        for one in word.split("|")
        if one
    )


def _begins(options: CommandOptions, words: Sequence[tuple[str, ...]]) -> bool:
    """Return whether the words after the program match."""
    found = options.positionals[: len(words)]
    return len(found) == len(words) and all(map(_matches, found, words))


def _is_met(condition: Condition, command: ShellCommand, options: CommandOptions) -> bool:
    if condition.sort == "option":
        names = [long_name(command.program, command.arguments, name) for name in condition.names]
        if not condition.values:
            return any(map(options.has, names))
        return any(
            name in names and _matches(value or "", condition.values)
            for name, value in options.options
        )
    if condition.sort == "words":
        return _begins(options, [_alternatives(word) for word in condition.names])
    if condition.sort == "word":
        return any(_matches(word, condition.values) for word in options.positionals[:_FIRST_WORDS])
    if condition.sort == "into":
        return any(_matches(word, condition.values) for word in options.positionals[-1:])
    if condition.sort == "input":
        return bool(command.reads) or command.joined == "|"
    texts = (*command.arguments, command.given)
    return _mentions(condition.values, texts)


def _is_met_by_call(condition: Condition, words: tuple[str, ...], arguments: object) -> bool:
    if condition.sort == "key":
        if not isinstance(arguments, Mapping):
            return False
        named = [
            value
            for key, value in arguments.items()
            if "_".join(key_words(str(key))) in condition.names
        ]
        return any(isinstance(value, str) and _matches(value, condition.values) for value in named)
    if condition.sort == "text":
        return _mentions(condition.values, _strings(arguments))
    return any(_names(words, _alternatives(name)) for name in condition.names)


def _names(words: tuple[str, ...], alternatives: tuple[str, ...]) -> bool:
    """Return whether the name of a tool matches: one of its words, or the whole with wildcards."""
    whole = "_".join(words)
    for one in alternatives:
        if "*" in one or "_" in one:
            if _matches(whole, (one,)):
                return True
        elif one in words or f"{one}s" in words:
            return True
    return False


def _only_reads(words: tuple[str, ...]) -> bool:
    for word in words:
        if word in _READING:
            return True
        if word in acting_verbs() or word in creating_verbs():
            return False
    return False


def _mentions(words: tuple[str, ...], texts: Sequence[str]) -> bool:
    return any(_mention(words).search(text[:_MAX_TEXT]) for text in texts)


def _strings(value: object) -> list[str]:
    """Return the strings in the arguments of a tool, at the top level and one below."""
    if isinstance(value, str):
        return [value]
    items = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(items, (list, tuple)):
        return []
    below = [item for one in items if isinstance(one, (list, tuple)) for item in one]
    return [item for item in (*items, *below) if isinstance(item, str)]


def _matches(text: str, alternatives: tuple[str, ...]) -> bool:
    text = text.lower()[:1_000]
    return any(_glob(one).fullmatch(text) if "*" in one else one == text for one in alternatives)


_READING = frozenset(
    ("get", "list", "search", "read", "describe", "view", "find", "show", "count", "check", "preview",
     "validate", "estimate", "lookup", "draft", "browse", "inspect", "status", "verify", "retrieve")
)  # fmt: skip


@cache
def _glob(text: str) -> re.Pattern[str]:
    pieces = [re.escape(piece) for piece in re.split(r"\*+", text)]
    return re.compile(".*".join(pieces), re.DOTALL)


@cache
def _mention(words: tuple[str, ...]) -> re.Pattern[str]:
    found = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words)
    return re.compile(rf"(?<![\w-])(?:{found})(?![\w-])", re.IGNORECASE)
