"""Facts about the tests of one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.checks.cases import Case, Suite
from clew.detectors.checks.suite_changes import (
    CONDITION,
    Pair,
    SuiteChange,
    fewer_cases,
    how_removed,
    renamed,
    started,
    stopped,
    weaker,
)
from clew.detectors.files.key_names import shown_name
from clew.model.fact import Fact, Severity

_MAX_NAMES = 12
_NAME = 80

WITH_CODE, BRANCH, UNDONE = "with their code", "another branch", "edit undone"
"""Why tests that are gone need no warning."""
NOT_ALL = "not all were read"


def suite_facts(
    path: str, old: Suite, new: Suite, change: SuiteChange, explained: str = ""
) -> Iterator[Fact]:
    """Yield the facts about a file that is in both trees; `explained` makes warnings notes."""
    loud = Severity.NOTE if explained else Severity.HIGH
    ran = sum(pair.old.count for pair in change.pairs if pair.old.runs)
    yield from _stopped(path, max(old.running, ran), change.pairs, loud)
    yield from _removed(path, old, new, change.removed, loud)
    yield from _weaker(path, change.pairs, loud)
    fewer = fewer_cases(change.pairs)
    if fewer:
        lost = sum(one.old.count - one.new.count for one in fewer)
        names = _names([one.new for one in fewer])
        yield _fact("removed", "cases", path, old.total, old.total - lost, loud, names)
    yield from _harmless(path, old, change)


def _stopped(path: str, ran: int, pairs: Sequence[Pair], loud: str) -> Iterator[Fact]:
    groups: dict[str, list[Case]] = {}
    for how, pair in stopped(pairs):
        groups.setdefault(how, []).append(pair.old)
    for how, cases in groups.items():
        severity = Severity.NOTE if how == CONDITION else loud
        lost = sum(case.count for case in cases)
        yield _fact("skipped", how, path, ran, ran - lost, severity, _names(cases))


def _removed(path: str, old: Suite, new: Suite, cases: Sequence[Case], loud: str) -> Iterator[Fact]:
    groups: dict[str, list[tuple[Case, str]]] = {}
    for case in cases:
        how, name = how_removed(case, new)
        groups.setdefault(how, []).append((case, name))
    for how, found in groups.items():
        lost = sum(case.count for case, _ in found)
        before = old.running if how else old.total
        runs = [case for case, _ in found if case.runs]
        names = [
            f"{shown(case.short_name)} → {shown(name)}" if name and name != case.short_name else ""
            for case, name in found
        ]
        marks = tuple(filter(None, names))[:_MAX_NAMES] or _names([case for case, _ in found])
        # A test that did not run is no loss to the next run.
        severity = loud if runs else Severity.NOTE
        kind = "skipped" if how else "removed"
        yield _fact(kind, how or "removed", path, before, max(0, before - lost), severity, marks)


def _weaker(path: str, pairs: Sequence[Pair], loud: str) -> Iterator[Fact]:
    groups: dict[tuple[str, bool], list[tuple[Case, int]]] = {}
    for found in weaker(pairs):
        groups.setdefault((found.how, found.is_certain), []).append((found.pair.old, found.lost))
    for (how, is_certain), cases in groups.items():
        before = sum(len(case.body.asserts) for case, _ in cases)
        lost = sum(number for _, number in cases)
        severity = loud if is_certain else Severity.NOTE
        names = _names([case for case, _ in cases])
        yield _fact("weakened", how, path, before, max(0, before - lost), severity, names, lost)


def _harmless(path: str, old: Suite, change: SuiteChange) -> Iterator[Fact]:
    again = [pair.new for pair in started(change.pairs)]
    if again:
        number = sum(case.count for case in again)
        yield _fact("enabled", "run", path, old.running, old.running + number, names=_names(again))
    other = renamed(change.pairs)
    if other:
        marks = [f"{shown(one.old.short_name)} → {shown(one.new.short_name)}" for one in other]
        yield _fact("renamed", "name", path, None, None, names=tuple(marks[:_MAX_NAMES]))
    more = [one for one in change.pairs if one.new.count > one.old.count]
    fresh = [*change.added, *(one.new for one in more)]
    number = sum(case.count for case in change.added)
    number += sum(one.new.count - one.old.count for one in more)
    if fresh and number:
        yield _fact("added", "added", path, old.total, old.total + number, names=_names(fresh))


def added_fact(path: str, cases: Sequence[Case]) -> Fact:
    """Return the fact about a new test file."""
    number = sum(case.count for case in cases)
    return _fact("added", "file", path, None, number, names=_names(cases))


def deleted_fact(path: str, number: int, names: Sequence[str], explained: str) -> Fact:
    """Return the fact about a test file or directory that is gone."""
    severity = Severity.NOTE if explained or not number else Severity.HIGH
    marks = tuple(shown(name) for name in names[:_MAX_NAMES])
    return _fact("removed", explained or "deleted", path, number, None, severity, marks)


def hidden_fact(path: str, to: str, number: int) -> Fact:
    """Return the fact about a test file with a new name under which no runner finds it."""
    return _fact("skipped", "file renamed", path, number, 0, Severity.HIGH, (to,))


def doctest_fact(path: str, before: int, after: int) -> Fact:
    """Return the fact about examples of a document that are skipped."""
    return _fact("skipped", "doctest", path, after - before, 0, Severity.HIGH)


def _fact(
    word: str, how: str, path: str, before: int | None, after: int | None,
    severity: str = Severity.NONE, names: tuple[str, ...] = (), lost: int | None = None,
) -> Fact:  # fmt: skip
    if lost is not None and before is not None:  # an empty test may have had no assertion
        before, after = max(before, lost), max(before, lost) - lost
    return Fact(
        f"test.{word}", how, path,
        None if before is None else str(before), None if after is None else str(after),
        severity=severity, evidence=(path,), marks=names,
    )  # fmt: skip


def _names(cases: Sequence[Case]) -> tuple[str, ...]:
    return tuple(shown(case.short_name) for case in cases[:_MAX_NAMES])


def shown(name: str) -> str:
    """Return the name of a test as it is shown, shortened and without what may be a secret."""
    safe = " ".join(shown_name(word) for word in name.split(" "))
    return safe if len(safe) <= _NAME else f"{safe[: _NAME - 1]}…"
