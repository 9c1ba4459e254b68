"""Commands in an intent: `pip install flask && npm i`, or `fix the cart: Edit cart.py, npm test`.

Hooks join a prompt, `: `, and the calls of tools, separated by commas and cut at 80 characters.
A sentence that begins with the name of a program ("make the header blue") is no command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.model.named_tuple import NamedTuple
from clew.policy.shell.commands import ShellCommand, read_script
from clew.story.command_effects import CommandEffects, anything, effects_of, statement_effects

_MAX_LENGTH = 4_000
_MAX_PARTS = 40
_ENGLISH_ARGUMENTS = 1
"""How many arguments a program with the name of an English word may have: `make test`."""
_PROMPT = re.compile(
    r"^\s{0,8}(?:[$#%>]\s{1,3}|(?:bash|shell|sh|run|ran|running|exec|command|cmd):\s{1,3})", re.I
)
_QUOTED = re.compile(r"`([^`\n]{2,400})`")
_MORE_CALLS = re.compile(r"(?:^|, )\d{1,4} more$")
_MESSAGE = re.compile(r"\bcommit\s[^;&|]{0,200}(?:-\w{0,8}m|--message)\b")
"""A command with a description of its own: `git commit -m '…'`."""
_OPERATORS = re.compile(r"&&|\|\||;|\s\|\s|\s>>?\s")
_PLAIN = re.compile(r"[\w./:=@%+,~*-]+")
_SENTENCE_WORDS = frozenset((
    "a", "an", "the", "it", "its", "this", "that", "these", "those", "to", "of", "in", "on", "for", "with",
    "and", "or", "so", "from", "into", "by", "at", "as", "is", "are", "be", "was", "were", "not", "no",
    "sure", "more", "some", "any", "we", "i", "my", "our", "their", "when", "where", "if", "than",
    "then", "but", "because", "out", "over", "better", "faster", "work", "works", "pass", "again",
    "should", "can", "must", "will", "every", "each",
))  # fmt: skip
_ENGLISH = frozenset((
    "make", "go", "find", "test", "install", "patch", "kill", "at", "bundle", "serve", "just", "task",
    "touch", "cut", "sort", "time", "service", "migrate", "next", "n", "next", "source", "task", "mix",
    "fly", "goose", "atlas", "more", "less", "file", "type", "date", "history", "tree", "column", "clear",
    "top", "yes", "head", "tail", "free", "env", "exec", "flask", "composer", "black", "snap", "brew",
    "trash", "migrate", "sequelize", "conda", "rails", "hatch", "rye", "gem", "node", "mail", "lua", "tar",
    "dig", "nano", "ed", "perl", "ping", "id", "fish", "invoke", "strings",
))  # fmt: skip
"""Programs whose names are words of a sentence."""


class IntendedEffects(NamedTuple):
    """What the commands in an intent account for."""

    commands: tuple[CommandEffects, ...] = ()
    is_whole: bool = False
    """Whether the intent is a command and nothing else, so its words are no description."""


def intended_effects(intent: str) -> IntendedEffects:
    """Return what the commands in an intent account for."""
    text = intent[:_MAX_LENGTH].strip()
    found: list[CommandEffects] = []
    is_whole = False
    for number, part in enumerate(_parts(text)):
        statement = statement_effects(part)
        effects = [statement] if statement is not None else _of_line(part)
        is_whole = is_whole or (number == 0 and bool(effects))
        found += effects
    if found and _MORE_CALLS.search(text):
        found.append(anything())  # calls that are not named
    return IntendedEffects(tuple(found), is_whole and not _MESSAGE.search(text))


def _parts(text: str) -> Iterator[str]:
    """Yield what may be a command line: all of the intent, its quotations, its calls."""
    stripped = _PROMPT.sub("", text)
    seen: set[str] = set()
    candidates = [stripped, *_QUOTED.findall(text), *text.splitlines()]
    _, colon, calls = text.rpartition(": ")
    if colon:
        candidates += [calls, *calls.split(", ")]
    if ", " in stripped:
        candidates += stripped.split(", ")
    for part in candidates[:_MAX_PARTS]:
        part = _PROMPT.sub("", part.strip())
        if part and part not in seen:
            seen.add(part)
            yield part


def _of_line(line: str) -> list[CommandEffects]:
    script = read_script(line)
    if not script.commands or not _is_command_line(line, script.commands[0]):
        return []
    found: list[CommandEffects] = []
    for command in script.commands:
        effects = effects_of(command)
        if effects is None or (command.joined == "|" and _is_shell(command)):
            effects = anything()
        found.append(effects)
    if line.endswith("…") or not script.is_whole:
        found.append(anything())  # the rest is not known
    return found


def _is_shell(command: ShellCommand) -> bool:
    return command.program in ("sh", "bash", "zsh")


def _is_command_line(line: str, first: ShellCommand) -> bool:
    """Return whether a text is a command line, and not a sentence."""
    word = line.split(maxsplit=1)[0]
    if word.startswith(("./", "/", "~/", "../")) and _PLAIN.fullmatch(word):
        return True
    name = first.program
    if not name:
        return bool(first.writes)
    is_sentence = not _SENTENCE_WORDS.isdisjoint(line.lower().rstrip(".!?").split())
    is_known = effects_of(first) is not None
    has_options = any(argument.startswith("-") for argument in first.arguments)
    if has_options or (_OPERATORS.search(line) and is_known):
        return is_known or not is_sentence
    if not is_known or name != name.lower():
        return False
    if name in _ENGLISH:
        return not is_sentence and len(first.arguments) <= _ENGLISH_ARGUMENTS
    return not is_sentence
