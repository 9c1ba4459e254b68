"""Differences between two versions of what a file runs: checks that are gone, ignored or narrowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.checks.check_commands import CHANGED, FEWER, STOPPED, Command, shown_words
from clew.detectors.checks.linter_replacements import stands_in
from clew.detectors.checks.pipelines import Pipeline
from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple

_TESTS = re.compile(
    r"test|spec|jest|mocha|\bava\b|karma|cypress|playwright|bats|prove|busted|tox|nox|behave|coverage|nyc"
    r"|\bc8\b|cucumber|phpunit|pest\b"
)
_ANY = re.compile(
    r"^(?:g?make|just|task|npm|yarn|pnpm|bun|tox|nox|nx|turbo|pre-commit|\./|scripts?/|bin/|ci/|\.ci/)"
)


class CheckChange(NamedTuple):
    """A check that became weaker, is gone, or is new."""

    word: str
    """`weakened`, `removed` or `added`."""
    subject: str
    before: str | None = None
    after: str | None = None
    effect: str = ""
    severity: str = Severity.HIGH
    commands: tuple[Command, ...] = ()


def pipeline_changes(old: Pipeline, new: Pipeline) -> Iterator[CheckChange]:
    """Yield what happened to the checks of a file."""
    pairs, gone, fresh = _paired(old.commands, new.commands)
    yield from _weaker(pairs)
    yield from _narrowed(pairs)
    replaced = [command for command in gone if any(_replaces(one, command) for one in fresh)]
    removed = [command for command in gone if command not in replaced]
    for label, commands in _by_label(removed).items():
        tools = shown_words(", ".join(dict.fromkeys(one.core for one in commands)), 60)
        name = shown_words(label, 40)
        if label in new.idle:  # it is there, and does nothing
            instead = f"{name}: {shown_words(new.idle[label], 40)}"
            yield CheckChange("weakened", tools, None, instead, STOPPED)
        else:
            yield CheckChange("removed", name, tools, commands=tuple(commands))
    if fresh and not removed:
        tools = shown_words(", ".join(dict.fromkeys(one.core for one in fresh)), 60)
        yield CheckChange("added", "step", None, tools, severity=Severity.NONE)
    yield from _other(old, new)


def _by_label(commands: Sequence[Command]) -> dict[str, list[Command]]:
    groups: dict[str, list[Command]] = {}
    for command in commands:
        groups.setdefault(command.label or command.tool, []).append(command)
    return groups


Pairs = list[tuple[Command, Command]]


def _paired(
    old: Sequence[Command], new: Sequence[Command]
) -> tuple[Pairs, list[Command], list[Command]]:
    """Return the commands that are in both versions, and those that are in one."""
    pairs: Pairs = []
    left, waiting = list(old), list(new)
    for same in (_same_place, _same_core, _same_tool):
        unmatched = []
        index: dict[tuple[str, ...], list[Command]] = {}
        for command in waiting:
            index.setdefault(same(command), []).append(command)
        for command in left:
            found = index.get(same(command))
            if found:
                pairs.append((command, found.pop(0)))
            else:
                unmatched.append(command)
        left = unmatched
        waiting = [command for commands in index.values() for command in commands]
    return pairs, left, waiting


def _same_place(command: Command) -> tuple[str, ...]:
    return command.core, command.label


def _same_core(command: Command) -> tuple[str, ...]:
    return (command.core,)


def _same_tool(command: Command) -> tuple[str, ...]:
    return (command.tool,)


def _weaker(pairs: Pairs) -> Iterator[CheckChange]:
    """Yield what weakens commands that are in both versions, once for all that it weakens."""
    groups: dict[tuple[str, str], list[Command]] = {}
    stronger: dict[str, list[Command]] = {}
    for old, new in pairs:
        for flag in new.weak - old.weak:
            groups.setdefault(flag, []).append(new)
        for _, words in old.weak - new.weak if not new.weak - old.weak else ():
            stronger.setdefault(words, []).append(new)
        yield from _limits(old, new)
    for (effect, words), commands in sorted(groups.items()):
        severity = Severity.NOTE if effect == CHANGED else Severity.HIGH
        yield CheckChange("weakened", _tools(commands), None, words, effect, severity)
    for words, commands in sorted(stronger.items()):
        yield CheckChange("added", _tools(commands), words, None, severity=Severity.NONE)


def _tools(commands: Sequence[Command]) -> str:
    names = list(dict.fromkeys(command.tool for command in commands))
    return shown_words(", ".join(names[:3]) + (" …" if len(names) > 3 else ""), 48)


def _limits(old: Command, new: Command) -> Iterator[CheckChange]:
    before, after = dict(old.limits), dict(new.limits)
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was is None or was == now:
            continue
        is_lower = now is None or (now > was if name.startswith("max") else now < was)
        word, severity = ("weakened", Severity.HIGH) if is_lower else ("added", Severity.NONE)
        yield CheckChange(
            word, name, f"{was:g}", None if now is None else f"{now:g}", severity=severity
        )


def _narrowed(pairs: Pairs) -> Iterator[CheckChange]:
    """Yield commands that look at a part of what they looked at."""
    for old, new in pairs:
        more = new.core.removeprefix(old.core).strip()
        words = [word for word in more.split() if "/" in word or re.search(r"\.\w{1,4}$", word)]
        if more and new.core.startswith(f"{old.core} ") and words and _TESTS.search(old.core):
            yield CheckChange("weakened", new.tool, old.shown, new.shown, FEWER, Severity.NOTE)


def _replaces(new: Command, old: Command) -> bool:
    """Return whether a new command may do what one did that is gone."""
    if _ANY.search(new.core) is not None or _ANY.search(old.core) is not None:
        return True
    return bool(_TESTS.search(new.core)) == bool(_TESTS.search(old.core))


def _other(old: Pipeline, new: Pipeline) -> Iterator[CheckChange]:
    """Yield events, hooks and required checks that are gone, and jobs that may fail."""
    if old.events and new.events and old.commands and new.commands:
        fewer = [one for one in sorted(old.events - new.events) if one in _EVENTS]
        fewer = [one for one in fewer if not _stands_for(one, new.events)]
        if fewer:
            names = " and ".join(fewer)
            yield CheckChange("weakened", "checks", names, None, f"no longer run on {names}")
    lost = sorted(old.hooks - new.hooks)
    if lost:
        manual = all(f"{hook} (manual)" in new.hooks for hook in lost)
        added = new.hooks - old.hooks
        is_replaced = all(stands_in(added, hook) for hook in lost)
        severity = Severity.NOTE if is_replaced else Severity.HIGH
        what = "hook" if len(lost) == 1 else "hooks"
        names = shown_words(", ".join(lost), 60)
        yield CheckChange(
            "removed", f"{what}, manual only" if manual else what, names, severity=severity
        )
    for job in sorted(new.allowed - old.allowed):
        yield CheckChange("weakened", "job", None, shown_words(job, 40), "failures ignored")


_EVENTS = frozenset(("push", "pull_request", "merge_group", "pull_request_target"))


def _stands_for(event: str, events: frozenset[str]) -> bool:
    """Return whether another event starts the same checks often enough."""
    if event == "push":
        return "pull_request" in events
    return event == "pull_request" and not events.isdisjoint(
        {"pull_request_target", "push", "merge_group"}
    )
