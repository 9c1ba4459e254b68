"""Command wrappers: the command inside `sudo -u bob env A=1 timeout 60 npx vercel deploy`.

A wrapper changes the user, the time limit or the environment of a command, not what it does.
A script given to a shell is read in turn; a host or a container in which a command runs is recorded,
because it does matter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from clew.model.named_tuple import NamedTuple

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash", "fish"))


class Unwrapped(NamedTuple):
    """The wrapped command and its context."""

    words: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    script: str | None = None
    """A command line that replaces the words."""
    via: str = ""
    """The host or container in which it runs."""


class _Wrapper(NamedTuple):
    values: str = ""
    """Options that take a value."""
    skipped: int = 0
    """Number of its own arguments before the command."""


_WRAPPERS = {
    "sudo": _Wrapper("-u -g -h -p -C -r -t -U -D -R -T --user --group --host --prompt --chdir"),
    "doas": _Wrapper("-u -C"),
    "env": _Wrapper("-u -C --unset --chdir"),
    "nohup": _Wrapper(),
    "time": _Wrapper("-f -o --format --output"),
    "nice": _Wrapper("-n --adjustment"),
    "ionice": _Wrapper("-c -n -p --class --classdata"),
    "timeout": _Wrapper("-s -k --signal --kill-after", 1),
    "gtimeout": _Wrapper("-s -k --signal --kill-after", 1),
    "stdbuf": _Wrapper("-i -o -e"),
    "setsid": _Wrapper(),
    "command": _Wrapper(),
    "builtin": _Wrapper(),
    "exec": _Wrapper("-a"),
    "chronic": _Wrapper(),
    "unbuffer": _Wrapper(),
    "caffeinate": _Wrapper("-t -w"),
    "flock": _Wrapper("-w -E --timeout", 1),
    "taskset": _Wrapper("", 1),
    "watch": _Wrapper("-n --interval"),
    "xargs": _Wrapper("-n -P -I -L -d -s -a -E --max-args --max-procs --replace --delimiter"),
    "parallel": _Wrapper("-j --jobs -n"),
    "npx": _Wrapper("-p --package -c"),
    "bunx": _Wrapper(),
    "uvx": _Wrapper("--from --with --python -p"),
    "pipx run": _Wrapper("--spec --python"),
    "poetry run": _Wrapper(),
    "uv run": _Wrapper("--with --python -p --extra --group"),
    "pdm run": _Wrapper(),
    "hatch run": _Wrapper(),
    "bundle exec": _Wrapper(),
    "mise exec": _Wrapper(),
    "npm exec": _Wrapper("-p --package"),
    "pnpm dlx": _Wrapper(),
    "pnpm exec": _Wrapper(),
    "yarn dlx": _Wrapper("-p --package"),
    "aws-vault exec": _Wrapper("-d --duration", 1),
    "op run": _Wrapper("--env-file"),
    "doppler run": _Wrapper("-p -c --project --config"),
}

_SSH_VALUES = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"
_CONTAINER_VALUES = (
    "-u -e -w --user --env --workdir --env-file -c --container -n --namespace --context"
    " -f --file -p --project-name --index"
)


def unwrap(words: Sequence[str]) -> Unwrapped:
    """Return the command wrapped by `words`, or the script they give to a shell."""
    environment: list[tuple[str, str]] = []
    at = 0
    while at < len(words):
        inside = _inside(words, at, environment)
        if inside is None:
            break
        at = inside
    rest = tuple(words[at:])
    return _script(rest, tuple(environment)) or Unwrapped(rest, tuple(environment))


def program_name(word: str) -> str:
    """Return a program without its directory: `/usr/bin/git` is git, `ops/deploy` is not deploy."""
    directory, _, name = word.rpartition("/")
    if directory == "." or directory.rpartition("/")[2] in ("bin", ".bin", "sbin"):
        return name
    return word


def is_wrapper(name: str) -> bool:
    """Return whether a first word is a wrapper; some that are also English words are excluded."""
    return name in SHELLS or (name in _WRAPPERS and name not in ("time", "watch", "command"))


def _inside(words: Sequence[str], at: int, environment: list[tuple[str, str]]) -> int | None:
    """Return the index of the command that the one at `at` wraps; None if it is not a wrapper."""
    name = program_name(words[at])
    following = words[at + 1] if at + 1 < len(words) else ""
    if re.fullmatch(r"python[0-9.]{0,6}", name):
        return _module(words, at)
    wrapper = _WRAPPERS.get(name)
    if wrapper is None:
        wrapper = _WRAPPERS.get(f"{name} {following}")
        at += wrapper is not None
    if wrapper is None:
        return None
    inside = after_options(words, at + 1, _options(wrapper.values)) + wrapper.skipped
    if name in ("env", "sudo"):
        inside = _assignments(words, inside, environment)
    if inside < len(words) and words[inside] == "--":
        inside += 1
    return inside if inside < len(words) else None


def _module(words: Sequence[str], at: int) -> int | None:
    """Return the index of the module in `python -m module`."""
    for place in range(at + 1, min(at + 6, len(words))):
        if words[place] == "-m":
            return place + 1 if place + 1 < len(words) else None
        if not words[place].startswith("-"):
            return None
    return None


def _assignments(words: Sequence[str], at: int, environment: list[tuple[str, str]]) -> int:
    while at < len(words) and (found := _assignment().match(words[at])):
        environment.append((found[1], words[at][found.end() :]))
        at += 1
    return at


def after_options(words: Sequence[str], at: int, values: frozenset[str]) -> int:
    """Return the index after the options at `at`; those in `values` take the next word."""
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            return at + 1
        at += 2 if words[at] in values else 1
    return at


def _script(words: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> Unwrapped | None:
    if not words:
        return None
    name = program_name(words[0])
    if name in SHELLS:
        return _shell(words, environment)
    if name == "eval":
        return Unwrapped((), environment, " ".join(words[1:]))
    if name in ("su", "runuser"):
        place = next((at for at, word in enumerate(words) if word in ("-c", "--command")), None)
        script = "" if place is None else "".join(words[place + 1 : place + 2])
        return Unwrapped((), environment, script) if script else None
    if name == "ssh":
        return _remote(words, environment)
    if name in ("docker", "podman", "docker-compose", "kubectl", "oc"):
        return _container(words, environment)
    return None


def _shell(words: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> Unwrapped | None:
    """Return the script of `bash -lc '…'`, or `deploy.sh x` for `bash deploy.sh x`."""
    at = 1
    is_script = False
    while at < len(words) and words[at][:1] in ("-", "+"):
        flag = words[at]
        is_script = is_script or (flag[1:2] != "-" and "c" in flag)
        at += 2 if flag in ("-o", "+o", "-O", "--rcfile", "--init-file") else 1
    if at >= len(words):
        return None
    if is_script:
        return Unwrapped((), environment, words[at])
    return Unwrapped(words[at:], environment)


def _remote(words: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> Unwrapped | None:
    host = after_options(words, 1, _options(_SSH_VALUES))
    inside = after_options(words, host + 1, _options(_SSH_VALUES))
    if inside >= len(words):
        return None
    port = "".join(f":{words[at + 1]}" for at in range(1, inside - 1) if words[at] == "-p")
    return Unwrapped((), environment, " ".join(words[inside:]), f"ssh {words[host]}{port}")


def _container(
    words: tuple[str, ...], environment: tuple[tuple[str, str], ...]
) -> Unwrapped | None:
    if "exec" not in words[:12]:
        return None
    behind = words.index("exec") + 1
    at = after_options(words, behind, _options(_CONTAINER_VALUES)) + 1
    at = after_options(words, at, _options(_CONTAINER_VALUES))
    if at >= len(words):
        return None
    shown = [word for word in words[:at] if word not in ("-i", "-t", "-it", "-ti", "--")]
    return Unwrapped(words[at:], environment, via=" ".join(shown))


@cache
def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z_]\w{0,200})=")
