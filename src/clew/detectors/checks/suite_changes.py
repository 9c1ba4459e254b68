"""Differences between two versions of a test file: which tests no longer run or check less."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.detectors.checks.cases import (
    CONDITIONAL,
    MAY_FAIL,
    ON_REQUEST,
    RUNS,
    Assertion,
    Case,
    Mark,
    Suite,
)
from clew.model.named_tuple import NamedTuple

_SIMILAR = 0.6
_MAX_COMPARED = 4_000
"""Pairs of tests that are compared statement by statement."""
_WORD = re.compile(r"\w+")
_PRINTS = re.compile(
    r"(?<![\w])(?:print(?:ln|f)?|e?println!|console|log(?:ger|ging|f)?|Log(?:f|ger|ging)?|NSLog|puts|echo|warn"
    r"|Write-?(?:Line|Host|Output)|System\.out|fmt\.Print\w*)(?!\w)"
)
"""What only says that something is wrong."""

SKIP, XFAIL, ONLY, CONDITION, NO_CASES = "skip", "xfail", "only", "condition", "no cases"
COMMENTED, RENAMED, NOT_COLLECTED = "commented out", "renamed", "not collected"
REMOVED_ASSERTS, CONSTANT_ASSERTS, WEAKER_ASSERTS = "asserts", "constant", "weaker"
HIDDEN_ASSERTS, EMPTY = "hidden", "empty"


_Same = Callable[[Case, Case], bool]
"""A rule by which two tests are the same."""


class Pair(NamedTuple):
    """The old and the new version of one test."""

    old: Case
    new: Case


class Weaker(NamedTuple):
    """A test that checks less."""

    pair: Pair
    how: str
    lost: int
    """Assertions that are gone or always hold."""
    is_certain: bool
    """Whether nothing took their place."""


class SuiteChange(NamedTuple):
    """What happened to the tests of one file."""

    removed: list[Case]
    added: list[Case]
    pairs: list[Pair]
    """Tests that are in both versions, those that were renamed among them."""


def compare_suites(old: Suite, new: Suite) -> SuiteChange:
    """Return which tests of two versions correspond."""
    pairs = [Pair(case, new.cases[name]) for name, case in old.cases.items() if name in new.cases]
    gone = [case for name, case in old.cases.items() if name not in new.cases]
    fresh = [case for name, case in new.cases.items() if name not in old.cases]
    found, gone, fresh = match_cases(gone, fresh)
    pairs += found
    if gone and _is_merged(gone, fresh, pairs):
        gone = []
    return SuiteChange(gone, fresh, pairs)


def match_cases(
    gone: Sequence[Case], fresh: Sequence[Case]
) -> tuple[list[Pair], list[Case], list[Case]]:
    """Return pairs of the same test under another name or place, and those without one."""
    pairs: list[Pair] = []
    left, waiting = list(gone), list(fresh)
    for is_same in (_has_same_name, _has_same_body, _is_similar):
        if len(left) * len(waiting) > _MAX_COMPARED and is_same is not _has_same_name:
            break
        left, waiting = _paired(left, waiting, is_same, pairs)
    return pairs, left, waiting


def _paired(
    left: list[Case], waiting: list[Case], is_same: _Same, pairs: list[Pair]
) -> tuple[list[Case], list[Case]]:
    index: dict[str, list[Case]] = {}
    for case in waiting:
        index.setdefault(case.short_name, []).append(case)
    unmatched = []
    taken: set[int] = set()
    for case in left:
        candidates = index.get(case.short_name, ()) if is_same is _has_same_name else waiting
        found = next(
            (one for one in candidates if id(one) not in taken and is_same(case, one)), None
        )
        if found is None:
            unmatched.append(case)
        else:
            taken.add(id(found))
            pairs.append(Pair(case, found))
    return unmatched, [case for case in waiting if id(case) not in taken]


def _has_same_name(old: Case, new: Case) -> bool:
    return old.short_name == new.short_name


def _has_same_body(old: Case, new: Case) -> bool:
    return bool(old.body.statements) and old.body.statements == new.body.statements


def _is_similar(old: Case, new: Case) -> bool:
    one, other = Counter(old.body.statements), Counter(new.body.statements)
    common = (one & other).total()
    return common > 0 and common >= _SIMILAR * max(one.total(), other.total())


def _is_merged(gone: Sequence[Case], fresh: Sequence[Case], pairs: Sequence[Pair]) -> bool:
    """Return whether what is gone became parameters or assertions of other tests."""
    number = sum(case.count for case in gone)
    grown = sum(case.count for case in fresh if case.count > 1)
    grown += sum(max(0, new.count - old.count) for old, new in pairs)
    if grown >= number:
        return True
    known = Counter(_asserts(new for _, new in pairs)) + Counter(_asserts(fresh))
    known.subtract(_asserts(old for old, _ in pairs if old.raw))
    lost = Counter(_asserts(gone))
    return bool(lost) and all(known[text] >= amount for text, amount in lost.items())


def _asserts(cases: Iterable[Case]) -> list[str]:
    return [one.text for case in cases for one in case.body.asserts]


def stopped(pairs: Iterable[Pair]) -> Iterator[tuple[str, Pair]]:
    """Yield the tests that ran and do not, with the reason."""
    for pair in pairs:
        was, now = pair.old.mark, pair.new.mark
        if was.state == now.state or not pair.old.runs:
            continue
        if not pair.new.runs:
            yield reason(now), pair
        elif was.state == RUNS and now.state == CONDITIONAL:
            yield (now.how if now.how.startswith(ON_REQUEST) else CONDITION), pair


def started(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the tests that did not run and do."""
    return [pair for pair in pairs if not pair.old.runs and pair.new.runs]


def renamed(pairs: Iterable[Pair]) -> list[Pair]:
    return [pair for pair in pairs if pair.old.short_name != pair.new.short_name]


def fewer_cases(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the tests that have fewer parameters, unless others of the file have more."""
    fewer = [pair for pair in pairs if pair.new.count < pair.old.count and pair.new.runs]
    more = sum(max(0, new.count - old.count) for old, new in pairs)
    lost = sum(old.count - new.count for old, new in fewer)
    return fewer if lost > more else []


def reason(mark: Mark) -> str:
    """Return the class of a mark."""
    if mark.how in ("only", "focus"):
        return ONLY
    if mark.how.startswith("build tag") or mark.how == NO_CASES:
        return mark.how
    return XFAIL if mark.state == MAY_FAIL else SKIP


def weaker(pairs: Sequence[Pair]) -> Iterator[Weaker]:
    """Yield the tests that run and check less than before."""
    differing = [pair for pair in pairs if pair.old.raw != pair.new.raw]
    missing = Counter(_asserts(old for old, _ in differing))
    missing.subtract(_asserts(new for _, new in differing))
    for pair in differing:
        if pair.old.runs and pair.new.runs:
            found = _weaker(pair, missing)
            if found is not None:
                yield found


def _weaker(pair: Pair, missing: Counter[str]) -> Weaker | None:
    """Return how a test checks less; `missing` are the assertions that no test of the file has now."""
    old, new = pair.old.body, pair.new.body
    if old.statements and not new.statements and not new.constant:
        return Weaker(pair, EMPTY, max(1, len(old.asserts)), is_certain=True)
    lost = _difference(old.asserts, new.asserts)
    fresh = _difference(new.asserts, old.asserts)
    constant = new.constant - old.constant
    if constant > 0 and lost:
        return Weaker(pair, CONSTANT_ASSERTS, min(constant, len(lost)), is_certain=True)
    weak = _weak_substitutes(lost, fresh)
    if weak and weak == len(fresh):
        return Weaker(pair, WEAKER_ASSERTS, weak, is_certain=True)
    hidden = Counter(one.text for one in lost) & Counter(new.others)
    if hidden:
        return Weaker(pair, HIDDEN_ASSERTS, hidden.total(), is_certain=True)
    lost = [one for one in lost if missing[one.text] > 0]
    if not lost or fresh:
        return None
    instead = Counter(new.others) - Counter(old.others)
    is_cut = all(_PRINTS.search(text) for text in instead)
    if new.asserts and not is_cut:
        return None
    return Weaker(pair, REMOVED_ASSERTS, len(lost), is_certain=is_cut)


def _difference(one: Sequence[Assertion], other: Sequence[Assertion]) -> list[Assertion]:
    left = Counter(assertion.text for assertion in other)
    found = []
    for assertion in one:
        if left[assertion.text] > 0:
            left[assertion.text] -= 1
        else:
            found.append(assertion)
    return found


def _weak_substitutes(lost: Sequence[Assertion], fresh: Sequence[Assertion]) -> int:
    """Return how many comparisons became a question whether there is a value at all."""
    strong = Counter(one.subject for one in lost if one.subject and one.is_strong)
    weak = Counter(one.subject for one in fresh if one.subject and not one.is_strong)
    return (strong & weak).total()


def how_removed(case: Case, new: Suite | None) -> tuple[str, str]:
    """Return why a test is gone from a file that is still there, and what it is called now.

    It may be in a comment, or have a name that no runner looks for.
    """
    if new is None:
        return "", ""
    name = case.short_name
    if " " not in name and name.isidentifier():
        found = _hidden_name(name, new)
        if found:
            return (NOT_COLLECTED if found == name else RENAMED), found
    tail = name.rpartition(" ")[2] if " " in name else name
    last = case.name[-60:] if " " in case.name else name
    is_there = last in new.text or (" " in name and len(tail) > 4 and _quoted(case.name, new.text))
    return (COMMENTED, "") if is_there else ("", "")


def _quoted(name: str, text: str) -> bool:
    """Return whether the end of a name that consists of several is in a text as it is."""
    words = name.split(" ")
    return any(
        f"{quote}{' '.join(words[start:])}{quote}" in text
        for start in range(len(words))
        for quote in "\"'`"
    )


def _hidden_name(name: str, new: Suite) -> str:
    """Return an identifier in the code that holds the name of a test and is no test."""
    lowered = name.lower()
    known = {case.short_name for case in new.cases.values()}
    for word in dict.fromkeys(_WORD.findall(new.code)):
        if word.lower().endswith(lowered) and word not in known and len(word) < len(name) + 24:
            return str(word)
    return ""
