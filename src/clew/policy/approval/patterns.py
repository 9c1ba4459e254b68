"""Gate patterns: the grammar of rules.

    command WORDS [with CONDITION [or CONDITION]...] [unless CONDITION [or CONDITION]...]
    tool    WORDS [with CONDITION [or CONDITION]...] [unless CONDITION [or CONDITION]...]

WORDS of a command are its program and the words that follow, options aside.  WORDS of a tool stand
anywhere in its name, cut at `_`, `-` and capitals.  Each word may have alternatives, `a|b`, and
stars, `db:*`; a word of a tool that has a star is compared with the whole name.

    -X POST|PUT         the option, short or long, with one of these values
    -d|--data-raw       one of these options, with any value
    get|describe        these words follow the program; in the name of a tool: one of its words
    word create|delete  one of the first words of the command
    text drop|delete    one of these words is somewhere in the arguments or the input
    into *:*            the last word
    input               it reads a file or what another command wrote
    method POST|PUT     of a tool: this argument has one of these values

Whatever asks for help is let through, and so is a tool whose first verb only reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from clew.model.named_tuple import NamedTuple
from clew.policy.effects.keys import acting_verbs, creating_verbs, key_words
from clew.policy.shell.commands import ShellCommand
from clew.policy.shell.options import CommandOptions, long_name, read_options

_LONGEST_TEXT = 1 << 20
_FIRST_WORDS = 6


class Condition(NamedTuple):
    """One thing to look for."""

    sort: str
    """`option`, `words`, `word`, `text`, `into`, `input` or `key`."""
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Pattern(NamedTuple):
    """A rule's pattern, taken apart."""

    is_command: bool
    words: tuple[tuple[str, ...], ...]
    """Each with its alternatives."""
    needs: tuple[Condition, ...]
    """One of them must be met, if there are any."""
    excuses: tuple[Condition, ...]
    """None of them may be."""

    def is_about(self, program: str) -> bool:
        return _fits(program.rpartition("/")[2], self.words[0])


@lru_cache(maxsize=1_024)
def parse_pattern(text: str) -> Pattern:
    """Take a pattern apart; ValueError says what is wrong with it."""
    target, *words = text.split() or [""]
    if target not in ("command", "tool"):
        raise ValueError("A rule begins with 'command' or 'tool'")
    is_command = target == "command"
    words, excuses = _split(words, "unless")
    words, needs = _split(words, "with")
    if not words:
        raise ValueError(f"Nothing follows {target!r}")
    return Pattern(
        is_command,
        tuple(_alternatives(word) for word in words),
        tuple(_condition(part, is_command) for part in needs),
        tuple(_condition(part, is_command) for part in excuses),
    )


def command_matches(pattern: Pattern, command: ShellCommand) -> bool:
    """Tell whether the rule asks for a yes before this command."""
    options = read_options(command.program, command.arguments)
    if options.has("help") or options.positionals[:1] == ("help",):
        return False
    if not pattern.is_about(command.program) or not _begins(options, pattern.words[1:]):
        return False
    if pattern.needs and not any(_is_met(one, command, options) for one in pattern.needs):
        return False
    return not any(_is_met(one, command, options) for one in pattern.excuses)


def call_matches(pattern: Pattern, tool: str, arguments: object) -> bool:
    """Tell whether the rule asks for a yes before this call of a tool."""
    words = key_words(tool)
    if not all(_names(words, alternatives) for alternatives in pattern.words):
        return False
    if _only_reads(words) and not any(one.sort == "key" for one in pattern.needs):
        return False
    if pattern.needs and not any(_is_met_by(one, words, arguments) for one in pattern.needs):
        return False
    return not any(_is_met_by(one, words, arguments) for one in pattern.excuses)


def _split(words: Sequence[str], sign: str) -> tuple[list[str], list[list[str]]]:
    """Cut `words` at `sign`, and what follows it at each `or`."""
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
        raise ValueError(f"A condition is missing behind {sign!r}")
    return list(words[:at]), parts


def _condition(words: Sequence[str], is_command: bool) -> Condition:
    first, *values = words
    if first.startswith("-") and is_command:
        if len(values) > 1:
            raise ValueError(f"An option has one list of values: {' '.join(words)!r}")
        return Condition("option", _alternatives(first), _alternatives(*values))
    if first in ("text", "word", "into"):
        if len(values) != 1:
            raise ValueError(f"One list of words must follow {first!r}")
        return Condition(first, (), _alternatives(*values))
    if words == ["input"] and is_command:
        return Condition("input")
    if is_command or not values:
        return Condition("words", tuple(words))
    if len(values) > 1:
        raise ValueError(f"An argument has one list of values: {' '.join(words)!r}")
    return Condition("key", _alternatives(first), _alternatives(*values))


def _alternatives(*words: str) -> tuple[str, ...]:
    return tuple(
        one.lower() if not one.startswith("-") else one
        for word in words
        for one in word.split("|")
        if one
    )


def _begins(options: CommandOptions, words: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether the words behind the program are these."""
    found = options.positionals[: len(words)]
    return len(found) == len(words) and all(map(_fits, found, words))


def _is_met(condition: Condition, command: ShellCommand, options: CommandOptions) -> bool:
    if condition.sort == "option":
        names = [long_name(command.program, command.arguments, name) for name in condition.names]
        if not condition.values:
            return any(map(options.has, names))
        return any(
            name in names and _fits(value or "", condition.values)
            for name, value in options.options
        )
    if condition.sort == "words":
        return _begins(options, [_alternatives(word) for word in condition.names])
    if condition.sort == "word":
        return any(_fits(word, condition.values) for word in options.positionals[:_FIRST_WORDS])
    if condition.sort == "into":
        return any(_fits(word, condition.values) for word in options.positionals[-1:])
    if condition.sort == "input":
        return bool(command.reads) or command.joined == "|"
    texts = (*command.arguments, command.given)
    return _mentions(condition.values, texts)


def _is_met_by(condition: Condition, words: tuple[str, ...], arguments: object) -> bool:
    if condition.sort == "key":
        if not isinstance(arguments, Mapping):
            return False
        named = [
            value
            for key, value in arguments.items()
            if "_".join(key_words(str(key))) in condition.names
        ]
        return any(isinstance(value, str) and _fits(value, condition.values) for value in named)
    if condition.sort == "text":
        return _mentions(condition.values, _strings(arguments))
    return any(_names(words, _alternatives(name)) for name in condition.names)


def _names(words: tuple[str, ...], alternatives: tuple[str, ...]) -> bool:
    """Tell whether a tool is named so: one word of it, or the whole with stars."""
    whole = "_".join(words)
    for one in alternatives:
        if "*" in one or "_" in one:
            if _fits(whole, (one,)):
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
    return any(_mention(words).search(text[:_LONGEST_TEXT]) for text in texts)


def _strings(value: object) -> list[str]:
    """Return the texts in the arguments of a tool, those at the top and just below."""
    if isinstance(value, str):
        return [value]
    items = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(items, (list, tuple)):
        return []
    below = [item for one in items if isinstance(one, (list, tuple)) for item in one]
    return [item for item in (*items, *below) if isinstance(item, str)]


def _fits(text: str, alternatives: tuple[str, ...]) -> bool:
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
