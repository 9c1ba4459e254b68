"""Canonical form of command lines, to compare effects.

Each simple command becomes one line: directory, wrappers, the program, its words in order, its
options sorted, and its input.  Commands that only read, wait or print are left out, and so are the
filters that read the output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clew.model.named_tuple import NamedTuple
from clew.policy.effects.http import PROGRAMS, request_of, written_request
from clew.policy.effects.keys import action_kind_of
from clew.policy.effects.noise import Noise
from clew.policy.effects.spelling import digest_of, shown
from clew.policy.effects.values import Values
from clew.policy.shell.commands import (
    SPEAKERS,
    Script,
    ShellCommand,
    joined_path,
    read_script,
    with_input,
)
from clew.policy.shell.options import CommandOptions, is_incidental, read_options, usual_name

_HARMLESS = frozenset(
    ("", "echo", "printf", "true", "false", ":", "sleep", "date", "pwd", "ls", "set", "exit", "test",
     "[", "[[", "which", "type", "hash", "wait", "clear", "whoami", "uname", "cat", "head", "tail",
     "shopt", "trap", "unset", "source", ".", "return")
)  # fmt: skip
_FILTERS = frozenset(
    ("tee", "tail", "head", "cat", "less", "more", "grep", "egrep", "rg", "jq", "yq", "sed", "awk",
     "sort", "uniq", "wc", "column", "cut", "tr", "python", "python3", "xxd", "nl", "ts")
)  # fmt: skip

_ORDERED = {
    "git push": 2, "git fetch": 2, "kubectl delete": 2, "kubectl restart": 2, "npm install": 1,
    "pip install": 1, "apt install": 1, "apt-get install": 1, "docker push": 1, "docker rm": 1,
    "docker stop": 1, "docker kill": 1, "docker restart": 1, "docker rmi": 1, "brew install": 1,
    "systemctl restart": 1, "systemctl stop": 1, "systemctl start": 1,
}  # fmt: skip
"""The number of words whose order matters; those after them are a set."""
_UNORDERED = frozenset(("rm", "mail", "mailx", "mutt", "sendmail", "kill"))

_RESOURCES = {
    "deploy": "deployment", "deployments": "deployment", "po": "pod", "pods": "pod",
    "svc": "service", "services": "service", "ns": "namespace", "namespaces": "namespace",
    "cm": "configmap", "configmaps": "configmap", "sts": "statefulset", "ds": "daemonset",
    "statefulsets": "statefulset", "secrets": "secret", "jobs": "job", "cronjobs": "cronjob",
    "cj": "cronjob", "ing": "ingress", "pvc": "persistentvolumeclaim", "no": "node", "nodes": "node",
}  # fmt: skip


class NormalizedCommand(NamedTuple):
    """The canonical form of a line, and the noise left out of it."""

    text: str
    noise: tuple[Noise, ...]


def written_line(line: str, directory: str = "") -> NormalizedCommand:
    """Return a command line in canonical form."""
    script = read_script(line)
    commands = [
        command._replace(directory=joined_path(directory, command.directory or "."))
        for command in script.commands
    ] if directory else list(script.commands)  # fmt: skip
    kept = _without_harmless(_without_filters(with_input(commands))) or commands
    noise: list[Noise] = []
    lines = [_written_command(command, noise) for command in kept]
    return NormalizedCommand("; ".join(lines) + _digest_of_unread(line, script), tuple(noise))


def _digest_of_unread(line: str, script: Script) -> str:
    return "" if script.is_whole else f" <{digest_of(line)}>"


def _without_filters(commands: list[ShellCommand]) -> list[ShellCommand]:
    """Remove the filters at the end of a pipe."""
    found: list[ShellCommand] = []
    ends = True
    for at in range(len(commands) - 1, -1, -1):
        command = commands[at]
        ends = ends or commands[at + 1].joined != "|"
        if not (ends and command.joined == "|" and command.program in _FILTERS):
            found.append(command)
            ends = False
    return found[::-1]


def _without_harmless(commands: Iterable[ShellCommand]) -> list[ShellCommand]:
    return [one for one in commands if one.program not in _HARMLESS or one.writes]


def _written_command(command: ShellCommand, noise: list[Noise]) -> str:
    options = read_options(command.program, command.arguments)
    if command.program in PROGRAMS:
        request = request_of(command.program, options)
        values = Values(request.action_kind)
        parts = ["http", written_request(request, values)]
    else:
        words = _words(command.program, options.positionals)
        values = Values(action_kind_of((command.program, *words[:3])))
        parts = [
            shown(usual_name(command.program)),
            *_written_words(command.program, words, values),
        ]
        parts += _written_options(command, options, values)
    parts = [*_context(command, options.directory, values), *parts, *_input(command, values)]
    noise += values.noise
    return " ".join(parts)


def _context(command: ShellCommand, directory: str, values: Values) -> list[str]:
    """Return the context of a command: operator, hosts and containers, directory, variables."""
    where = joined_path(command.directory, directory) if directory else command.directory
    found = [command.joined] if command.joined else []
    found += [f"{shown(via.lower())}:" for via in command.via]
    found += [f"in {values.word(where) or '.'}:"] if where else []
    return found + values.pairs(command.environment)


def _input(command: ShellCommand, values: Values) -> list[str]:
    found = [f"< {text}" for name in command.reads if (text := values.word(name))]
    given = values.written(command.given, "body") if command.given else None
    found += [f"<<< {given}"] if given else []
    if command.program in SPEAKERS:
        found += [f"> {shown(name)}" for name in command.writes]
    return found


def _written_words(program: str, words: Sequence[str], values: Values) -> list[str]:
    """Return the ordered words, then the unordered ones, then `name=value` words."""
    named = [word.partition("=") for word in words if _is_named(word)]
    plain = [text for word in words if not _is_named(word) and (text := values.word(word))]
    ordered = (
        0 if program in _UNORDERED else _ORDERED.get(" ".join((program, *words[:1])), len(plain))
    )
    pairs = [(name, value) for name, _, value in named]
    return [*plain[:ordered], *sorted(plain[ordered:]), *values.pairs(pairs)]


def _written_options(command: ShellCommand, options: CommandOptions, values: Values) -> list[str]:
    found = set()
    for name, value in options.options:
        if is_incidental(command.program, command.arguments, name):
            continue
        if value is None or value == "true":
            found.add(f"--{name}")
            continue
        found.update(f"--{name}={text}" for text in _written_value(name, value, values))
    return sorted(found)


def _written_value(name: str, value: str, values: Values) -> list[str]:
    """Return the values of an option; `--set a=1,b=2` has two named ones."""
    if value[:1] not in "{[" and _is_named(value):
        pieces = value.split(",")
        pieces = pieces if all(map(_is_named, pieces)) else [value]
        return values.pairs(
            [(key, text) for key, _, text in (one.partition("=") for one in pieces)]
        )
    text = values.written(value, name)
    return [] if text is None else [text]


def _is_named(word: str) -> bool:
    return re.match(r"[A-Za-z_][\w.-]{0,100}=(?!=)", word) is not None


def _words(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words, with alternative spellings of the same argument unified."""
    if program == "git" and words[:1] == ("push",):
        return (*words[:2], *map(_normalize_refspec, words[2:]))
    if program in ("kubectl", "oc") and len(words) > 1:
        verbs = 2 if words[0] in ("rollout", "set") else 1
        return (*words[:verbs], *_normalize_resources(words[verbs:]))
    return words


def _normalize_refspec(text: str) -> str:
    source, sign, target = text.replace("refs/heads/", "").partition(":")
    return source if source == target else f"{source}{sign}{target}"


def _normalize_resources(words: Sequence[str]) -> list[str]:
    """Rewrite `deploy/web` as `deployment web`, with the type once for all names of it."""
    found: list[str] = []
    for word in words:
        kind, sign, name = word.partition("/")
        kind = _RESOURCES.get(kind, kind)
        if not sign or "=" in word:
            found.append(kind if not found else word)
        elif found[:1] == [kind]:
            found.append(name)
        else:
            found += [kind, name]
    return found
