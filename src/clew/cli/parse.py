"""Command-line parser, driven by a command's declaration.

The usual rules: `--opt value` and `--opt=value`, `-n 5` and `-n5`, options anywhere, `--` ends them.
Long options cannot be abbreviated: a script's spelling must not become ambiguous later.  A word that
cannot be an option name, like `- fixed a bug`, is text, and a known option is never taken as a value.
"""

from __future__ import annotations

from clew.cli.declare import COMMON, TOP, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = ("-h", "--help")

Flags = dict[str, Option]

_TOO_MANY_DIGITS = 19


class Arguments:
    """Parsed arguments, by the key of an option or the noun of a positional."""

    def __init__(self, values: dict[str, list[str]]) -> None:
        self._values = values

    def given(self, key: str) -> bool:
        """Return whether a switch was given."""
        return bool(self._values[key])

    def all(self, key: str) -> list[str]:
        """Return all values, in the order given."""
        return self._values[key]

    def maybe(self, key: str) -> str | None:
        """Return the last value, or None."""
        return self._values[key][-1] if self._values[key] else None

    def one(self, key: str) -> str:
        """Return the value of a required argument."""
        return self._values[key][-1]

    def number(self, key: str, least: int = 0) -> int | None:
        """Return the last value as a whole number, or None."""
        text = self.maybe(key)
        if text is None:
            return None
        is_number = text.isascii() and text.isdigit() and len(text) < _TOO_MANY_DIGITS
        if not is_number or int(text) < least:
            from clew.cli import suggestions  # imports `typing`, as all errors do

            raise suggestions.not_a_number(key, text, least)
        return int(text)

    def pairs(self, key: str) -> dict[str, str]:
        """Return all values, each of the form KEY=VALUE."""
        found = {}
        for text in self.all(key):
            name, equals, value = text.partition("=")
            if not name or not equals:
                from clew.errors import BadOption  # imports `typing`, as all errors do

                raise BadOption(key, f"not KEY=VALUE: {text!r}")
            found[name] = value
        return found


def split_at_verb(words: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Return the options before the command name, the name, and the words after it."""
    flags = {flag: option for option in TOP for flag in option.accepted}
    at = 0
    while at < len(words) and _is_option(words[at], flags):
        option, flag, value = _find(words[at], flags, "")
        if option.value and value is None:
            at += 1
        at += 1
        if at > len(words):
            from clew.cli import suggestions  # imports `typing`, as all errors do

            raise suggestions.missing_value(flag, option.value, "")
    verb = words[at] if at < len(words) else None
    return list(words[:at]), verb, list(words[at + 1 :])


def wants_help(words: Sequence[str]) -> bool:
    """Return whether help was requested, even on an otherwise invalid command line."""
    return any(word in HELP for word in before_dashes(words))


def before_dashes(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words


def parse(command: Command, words: Sequence[str]) -> Arguments:
    """Parse `words`, or raise BadCommandLine with a suggestion."""
    return _Parser(command).parse(list(words))


class _Parser:
    def __init__(self, command: Command) -> None:
        self._command = command
        options = (*command.options, *COMMON)
        self._flags = {flag: option for option in options for flag in option.accepted}
        self._values: dict[str, list[str]] = {option.key: [] for option in options}
        self._values |= {positional.noun: [] for positional in command.positionals}

    def parse(self, words: list[str]) -> Arguments:
        before = list(before_dashes(words))
        after = words[len(before) + 1 :]
        plain: list[str] = []
        while before:
            word = before.pop(0)
            if _is_option(word, self._flags):
                self._take_option(word, before, len(plain))
            else:
                plain.append(word)
        self._place(plain, after)
        return Arguments(self._values)

    def _take_option(self, word: str, following: list[str], placed: int) -> None:
        option, flag, value = _find(word, self._flags, self._command.name)
        if option.optional and value is None:
            value = self._maybe_value(following, placed)
        elif option.value and value is None:
            value = self._next_value(flag, option, following)
        elif value is not None and not option.value:
            from clew.cli import suggestions  # imports `typing`, as all errors do

            raise suggestions.unwanted_value(flag, self._command.name)
        self._values[option.key].append(value or "")

    def _maybe_value(self, following: list[str], placed: int) -> str:
        """Return the next word if it can only be a value: not an option, and no argument is missing."""
        required = sum(one.required for one in self._command.positionals if not one.after_dashes)
        if placed < required or not following or _is_option(following[0], self._flags):
            return ""
        return following.pop(0)

    def _next_value(self, flag: str, option: Option, following: list[str]) -> str:
        if not following or following[0].partition("=")[0] in self._flags:
            from clew.cli import suggestions  # imports `typing`, as all errors do

            raise suggestions.missing_value(flag, option.value, self._command.name)
        return following.pop(0)

    def _place(self, plain: list[str], after: list[str]) -> None:
        """Assign the words to the positionals in order."""
        positionals = self._command.positionals
        if positionals and positionals[-1].after_dashes:
            self._values[positionals[-1].noun] = after
            positionals = positionals[:-1]
        else:
            plain = plain + after
        for positional in positionals:
            taken = len(plain) if positional.many else 1
            self._values[positional.noun] = plain[:taken]
            plain = plain[taken:]
        self._check_words(plain)

    def _check_words(self, left: list[str]) -> None:
        from clew.cli import suggestions  # a command that runs imports `typing` anyway

        if left:
            raise suggestions.unexpected_argument(left[0], self._command)
        if any(option.alone and self._values[option.key] for option in self._command.options):
            return
        for positional in self._command.positionals:
            is_left_out = positional.required and not positional.picked
            if is_left_out and not self._values[positional.noun]:
                raise suggestions.missing_argument(positional.noun, self._command.name)


def _is_option(word: str, flags: Flags) -> bool:
    head = word.partition("=")[0]
    if " " in head or not word.startswith("-"):
        return False
    name = head.removeprefix("-").removeprefix("-")
    is_a_name = bool(name) and all(char.isalnum() or char == "-" for char in name)
    return is_a_name or word[:2] in flags


def _find(word: str, flags: Flags, verb: str) -> tuple[Option, str, str | None]:
    """Return the option of `word`, its spelling, and the attached value, if any."""
    flag, equals, value = word.partition("=")
    if flag in flags:
        return flags[flag], flag, value if equals else None
    if word[:2] in flags and flags[word[:2]].value:  # -n5
        return flags[word[:2]], word[:2], word[2:]
    from clew.cli import suggestions  # imports `typing`, as all errors do

    listed = [name for name, option in flags.items() if name in option.flags]
    raise suggestions.unknown_option(flag, verb, listed)
