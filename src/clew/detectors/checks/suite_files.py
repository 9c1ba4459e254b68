"""Test detector: tests that no longer run or check less, and those that are new.

A warning, unless the same tests are elsewhere now, or what they tested went with them, or the branch
was switched.  Tests of dependencies and of libraries that were copied in are left alone.

Files are chosen by name and read within a budget: Python by its parser, others by light readers
(`suites.py`).  Where whole directories are gone, tests are counted without being read closely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from clew.detectors.checks.cases import Case, Suite
from clew.detectors.checks.removed_code import RemovedCode
from clew.detectors.checks.suite_changes import SuiteChange, compare_suites, match_cases
from clew.detectors.checks.suite_facts import (
    NOT_ALL,
    WITH_CODE,
    added_fact,
    deleted_fact,
    doctest_fact,
    hidden_fact,
    suite_facts,
)
from clew.detectors.checks.suites import (
    SUFFIXES,
    document_skips,
    is_foreign,
    language_of_suite,
    may_have_tests,
    read_suite,
    test_names,
)
from clew.detectors.code.languages import parsing_cost
from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.files.source_renames import pair_equal
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_FILE_LIMIT = 512 << 10
_MAX_FILES = 120
_MAX_BYTES = 600 << 10
"""What is parsed for one story: both versions of edited files, and those that came or went."""
_MANY_NEW = 60
"""So many new test files are not read if no test is gone that may be in one of them."""
_MOST = 6_000
"""Changed test files that are looked at."""
_MAX_EDITED = 1_000
_MAX_COUNTED = 3_000
_MAX_COUNTED_BYTES = 16 << 20
_MANY_FACTS = 12
"""From this number of files, facts of one kind are combined."""
_MAX_WHOLE = 20
"""Directories whose other files are listed with their tests."""
_DOCUMENTS = (".rst", ".md")


class SuiteFiles:
    """Reports tests that were removed, skipped, weakened, added or enabled."""

    name = "checks/tests"
    version = 2
    kinds: tuple[str, ...] = (
        "test.removed", "test.skipped", "test.weakened", "test.enabled", "test.added",
        "test.renamed",
    )  # fmt: skip
    watch = WatchedPaths(suffixes=SUFFIXES, own=True)

    def __init__(self, *, max_files: int = _MAX_FILES, max_bytes: int = _MAX_BYTES) -> None:
        self._max_files = max_files
        self._max_bytes = max_bytes

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        suites = (
            (change, language)
            for change in changes
            if (language := _language(evidence, change)) is not None
        )
        found = list(islice(suites, _MOST))
        if not found:
            return
        is_all = len(found) < _MOST
        if not is_all:
            evidence.problem("", f"more than {_MOST:,} test files changed, the others are not read")
        paths = [change.path for change, language in found if language] if is_all else None
        story = _Comparison(evidence, paths, _Budget(self._max_files, self._max_bytes))
        yield from _combined(story.findings(found))


class _Budget:
    """What may still be read."""

    def __init__(self, files: int, size: int) -> None:
        self._files, self._bytes = files, size
        self._counted, self._counted_bytes = _MAX_COUNTED, _MAX_COUNTED_BYTES

    def allows(self, *sizes: int) -> bool:
        """Return whether files of these sizes may be parsed, and deduct them."""
        if self._files < 1 or max(sizes) > _FILE_LIMIT or sum(sizes) > self._bytes:
            return False
        self._files -= 1
        self._bytes -= sum(sizes)
        return True

    def charge(self, *contents: bytes) -> bool:
        """Deduct what contents cost beyond their size; return whether they may be parsed."""
        self._bytes -= sum(parsing_cost(content) - len(content) for content in contents)
        return self._bytes >= 0

    def allows_count(self, size: int) -> bool:
        """Return whether the tests of a file of this size may be counted."""
        if self._counted < 1 or size > min(self._counted_bytes, _FILE_LIMIT):
            return False
        self._counted -= 1
        self._counted_bytes -= size
        return True


def _language(evidence: Evidence, change: PathChange) -> str | None:
    """Return the language of a changed test file; None if it is none; empty for a document."""
    path = change.path
    if path.endswith(_DOCUMENTS):
        language = "" if change.old and change.new and not is_foreign(path) else None
    else:
        language = language_of_suite(path) or None
    if language is None or path in evidence.claimed or path in evidence.owners:
        return None
    old, new = change.old, change.new
    is_plain = (old is None or old.is_file) and (new is None or new.is_file)
    return language if is_plain and change.is_content else None


class _File(NamedTuple):
    """A test file that is in both trees, or came or went."""

    path: str
    language: str
    old: Suite | None
    new: Suite | None
    change: SuiteChange


class _Deleted(NamedTuple):
    """A test file that is gone."""

    path: str
    number: int
    cases: list[Case] | None
    """None if they were only counted."""


class _Comparison:
    """Compares the test files of one story, also with each other."""

    def __init__(self, evidence: Evidence, paths: Sequence[str] | None, budget: _Budget) -> None:
        self._evidence = evidence
        self._budget = budget
        self._files: list[_File] = []
        self._counted: list[tuple[PathChange, list[str]]] = []
        """Deleted files of which only the names of tests are known."""
        self._unread = 0
        self._unread_new: list[tuple[PathChange, str]] = []
        self._uncounted = 0 if paths is not None else 1
        """Deleted files that were not even counted."""
        self._code = RemovedCode(evidence, paths)

    def findings(self, changes: Sequence[tuple[PathChange, str]]) -> Iterator[Finding]:
        # Edited files first: what happened in them is not told by their names.
        edited = [one for one in changes if one[0].old is not None and one[0].new is not None]
        deleted = [one for one in changes if one[0].new is None]
        added = [one for one in changes if one[0].old is None]
        moved = _moved_files(deleted, added)
        for change, language in islice(edited, _MAX_EDITED):
            with self._evidence.guarded(change.path):
                if language:
                    self._add(change, language)
                else:
                    yield from self._document(change)
        self._add_all([one for one in deleted if one[0].path not in moved], _MAX_COUNTED)
        self._unread += max(0, len(edited) - _MAX_EDITED)
        if len(added) <= _MANY_NEW or any(one.change.removed for one in self._files):
            self._add_all([one for one in added if one[0].path not in moved], _MAX_EDITED)
        self._match_across()
        self._match_unread()
        if self._unread:
            self._evidence.problem("", f"{self._unread:,} changed test files are too many to read")
        hidden = dict(self._hidden())
        lost: list[_Deleted] = []
        for one in self._files:
            if one.path in hidden:
                number = sum(case.count for case in one.old.cases.values()) if one.old else 0
                yield Finding(
                    (hidden_fact(one.path, hidden[one.path], number),), (one.path, hidden[one.path])
                )
            elif one.new is None and one.old is not None:
                if one.change.removed:
                    lost.append(_Deleted(one.path, _number(one.change.removed), one.change.removed))
            else:
                yield from self._edited(one)
        lost += [
            _Deleted(change.path, len(names), None) for change, names in self._counted if names
        ]
        yield from self._deleted(lost)

    def _add_all(self, changes: Sequence[tuple[PathChange, str]], most: int) -> None:
        for change, language in islice(changes, most):
            with self._evidence.guarded(change.path):
                if language:
                    self._add(change, language)
        if changes and changes[0][0].old is not None:
            self._unread += max(0, len(changes) - most)
            self._uncounted += max(0, len(changes) - most)

    def _add(self, change: PathChange, language: str) -> None:
        sizes = [entry.size for entry in (change.old, change.new) if entry is not None]
        if not self._budget.allows(*sizes):
            if change.new is None and self._budget.allows_count(sizes[0]):
                content = self._read(self._evidence.old, change.path)
                self._counted.append((change, test_names(language, content)))
            elif change.old is not None:
                self._unread += 1
                self._uncounted += change.new is None
            else:
                self._unread_new.append((change, language))
            return
        before = self._read(self._evidence.old, change.path) if change.old else b""
        after = self._read(self._evidence.new, change.path) if change.new else b""
        if not any(may_have_tests(language, content) for content in (before, after)):
            return
        if not self._budget.charge(before, after):
            self._unread += 1
            return
        old = read_suite(language, before) if change.old else None
        new = read_suite(language, after) if change.new else None
        if (change.old and old is None) or (change.new and new is None):
            return  # it cannot be parsed, which is told elsewhere
        nothing = Suite({})
        found = compare_suites(old or nothing, new or nothing)
        self._files.append(_File(change.path, language, old, new, found))

    def _read(self, tree: Tree, path: str) -> bytes:
        try:
            return tree.read(path, _FILE_LIMIT) or b""
        except TooLarge:
            return b""

    def _document(self, change: PathChange) -> Iterator[Finding]:
        """Yield examples of a document that are skipped and were not."""
        if change.new is None or change.old is None:
            return
        if not self._budget.allows_count(change.new.size + change.old.size):
            return
        after = document_skips(self._read(self._evidence.new, change.path))
        before = document_skips(self._read(self._evidence.old, change.path)) if after else 0
        if after > before:
            yield Finding((doctest_fact(change.path, before, after),), (change.path,))

    def _match_across(self) -> None:
        """Pair tests that moved from one file to another."""
        fresh = {id(case): one for one in self._files for case in one.change.added}
        gone = [case for one in self._files for case in one.change.removed]
        if not gone or not fresh:
            return
        pairs, _, _ = match_cases(gone, [case for one in self._files for case in one.change.added])
        taken = {id(case) for pair in pairs for case in pair}
        for pair in pairs:
            fresh[id(pair.new)].change.pairs.append(pair)
        for one in self._files:
            for cases in (one.change.removed, one.change.added):
                cases[:] = [case for case in cases if id(case) not in taken]

    def _match_unread(self) -> None:
        """Drop tests that are gone and whose name is in a new file that was not read closely."""
        if not self._counted and not any(one.change.removed for one in self._files):
            return
        known = {case.name for one in self._files for case in one.change.added}
        known |= {case.short_name for one in self._files for case in one.change.added}
        for change, language in self._unread_new:
            size = change.new.size if change.new is not None else 0
            if self._budget.allows_count(size):
                known.update(test_names(language, self._read(self._evidence.new, change.path)))
        for one in self._files:
            removed = one.change.removed
            removed[:] = [case for case in removed if case.short_name not in known]
        self._counted = [
            (change, [name for name in names if name not in known])
            for change, names in self._counted
        ]

    def _edited(self, one: _File) -> Iterator[Finding]:
        if one.new is None:
            return
        if one.old is None and not one.change.pairs:
            if one.change.added:
                yield Finding((added_fact(one.path, one.change.added),), (one.path,))
            return
        facts: list[Fact] = []
        ordinary, lost = self._split(one.change.removed)
        old = one.old or Suite({})
        state = self._code.explains_state(one.path) if _is_loud(one, lost) else ""
        if ordinary:
            names = [case.short_name for case in ordinary]
            facts.append(
                deleted_fact(one.path, _number(ordinary), names, WITH_CODE)._replace(
                    before=str(old.total), after=str(old.total - _number(ordinary))
                )
            )
        change = one.change._replace(removed=lost)
        facts += suite_facts(one.path, old, one.new, change, state)
        if one.new.doctest_skips > old.doctest_skips and one.old is not None:
            facts.append(doctest_fact(one.path, old.doctest_skips, one.new.doctest_skips))
        if facts:
            facts.sort(key=lambda fact: fact.severity != Severity.HIGH)
            yield Finding(tuple(facts), (one.path,))

    def _split(self, cases: list[Case]) -> tuple[list[Case], list[Case]]:
        """Return the removed tests of code that is gone as well, and the others."""
        if not cases or not self._code.names:
            return [], cases
        ordinary = [case for case in cases if not case.words.isdisjoint(self._code.names)]
        known = {id(case) for case in ordinary}
        return ordinary, [case for case in cases if id(case) not in known]

    def _deleted(self, files: Sequence[_Deleted]) -> Iterator[Finding]:
        """Yield what is gone as a whole: directories if they are, else files."""
        groups: dict[tuple[str, str], list[_Deleted]] = {}
        for one in files:
            why = self._why(one.path, one.cases)
            groups.setdefault((self._code.gone_directory(one.path), why), []).append(one)
        for at, ((directory, why), found) in enumerate(groups.items()):
            if directory and len(found) > 1:
                yield self._directory(directory, found, why, is_whole=at < _MAX_WHOLE)
                continue
            for one in found:
                names = [case.short_name for case in one.cases or ()]
                yield Finding((deleted_fact(one.path, one.number, names, why),), (one.path,))

    def _directory(
        self, directory: str, files: Sequence[_Deleted], why: str, *, is_whole: bool
    ) -> Finding:
        """Return the fact about a directory; everything in one of tests goes with it."""
        number = sum(one.number for one in files)
        marks = [f"{len(files):,} files", *([NOT_ALL] if self._uncounted else [])]
        fact = deleted_fact(f"{directory}/", number, marks, why)
        if not is_whole or not self._code.is_of_tests(directory):
            return Finding((fact,), [one.path for one in files])
        below = [
            change.path
            for change in self._evidence.below(directory)
            if change.new is None and change.path not in self._evidence.claimed
        ]
        return Finding((fact,), below)

    def _why(self, path: str, cases: list[Case] | None) -> str:
        """Return why the tests of a deleted file are no loss; empty if they are."""
        if self._code.is_gone_with(path):
            return WITH_CODE
        if cases and not self._split(list(cases))[1]:
            return WITH_CODE
        return self._code.explains_state(path)

    def _hidden(self) -> Iterator[tuple[str, str]]:
        """Yield test files with a new name under which no runner finds them."""
        for one in self._files:
            if one.new is None and one.change.removed:
                to = self._code.same_content(one.path)
                if to and not language_of_suite(to):
                    yield one.path, to


def _moved_files(
    deleted: Sequence[tuple[PathChange, str]], added: Sequence[tuple[PathChange, str]]
) -> set[str]:
    """Return the paths of files that have the same content under another name that holds tests."""
    if not deleted or not added:
        return set()
    pairs = pair_equal([change for change, _ in deleted], [change for change, _ in added])
    return {change.path for pair in pairs for change in pair}


def _number(cases: Sequence[Case]) -> int:
    return sum(case.count for case in cases)


def _is_loud(one: _File, lost: Sequence[Case]) -> bool:
    """Return whether a file may cause a warning."""
    return bool(lost) or any(
        pair.old.raw != pair.new.raw or pair.old.mark != pair.new.mark for pair in one.change.pairs
    )


def _combined(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield findings; those of very many files with the same facts become one."""
    every = list(findings)
    groups: dict[tuple[tuple[str, str, str], ...], list[Finding]] = {}
    for finding in every:
        key = tuple((fact.kind, fact.scope, fact.severity) for fact in finding.facts)
        groups.setdefault(key, []).append(finding)
    for key, found in groups.items():
        if len(found) < _MANY_FACTS:
            yield from found
            continue
        facts = tuple(_sum([one.facts[at] for one in found]) for at in range(len(key)))
        yield Finding(facts, [path for one in found for path in one.claims])


def _sum(facts: Sequence[Fact]) -> Fact:
    """Return one fact for the same one about many files."""
    first = facts[0]
    shared = [
        fact.subject.rstrip("/").split("/")[:-1]
        for fact in (min(facts, key=_subject), max(facts, key=_subject))
    ]
    depth = next(
        (at for at, (one, other) in enumerate(zip(*shared, strict=False)) if one != other),
        min(map(len, shared)),
    )
    return first._replace(
        subject="/".join(shared[0][:depth]) + "/" if depth else "./",
        before=_total(fact.before for fact in facts),
        after=_total(fact.after for fact in facts) or "0",
        evidence=tuple(fact.subject for fact in facts[:6]),
        marks=(f"{len(facts):,} files",),
    )


def _subject(fact: Fact) -> str:
    return fact.subject


def _total(numbers: Iterator[str | None]) -> str | None:
    known = [int(number) for number in numbers if number is not None]
    return str(sum(known)) if known else None
