"""Tests of one file: what each is called, whether it runs, and what it checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from clew.model.named_tuple import NamedTuple

RUNS = "runs"
CONDITIONAL = "conditional"
"""It is skipped in some circumstances: on a platform, without a tool."""
ON_REQUEST = "only with "
"""How a condition begins that somebody must fulfil on purpose: a variable, a feature."""
MAY_FAIL = "may fail"
"""A failure is expected or accepted: xfail, expectedFailure, `test.failing`."""
SKIPPED = "skipped"

_STRENGTHS = (RUNS, CONDITIONAL, MAY_FAIL, SKIPPED)


class Mark(NamedTuple):
    """The state of a test, and the word that causes it."""

    state: str = RUNS
    how: str = ""


def strongest(*marks: Mark) -> Mark:
    """Return the mark that takes effect; the first of several that are as strong."""
    return max(marks, key=lambda mark: _STRENGTHS.index(mark.state), default=Mark())


class Assertion(NamedTuple):
    """One statement that can fail a test."""

    text: str
    """Equal for two that differ in layout only."""
    subject: str = ""
    """What is compared; empty if it was not read."""
    is_strong: bool = True
    """Whether a value is compared, not only its truth, type or presence."""


class Body(NamedTuple):
    """The statements of a test."""

    asserts: tuple[Assertion, ...] = ()
    """Those that can fail; what always holds is not listed."""
    constant: int = 0
    """The number of assertions that always hold: `assert True`."""
    others: tuple[str, ...] = ()

    @property
    def statements(self) -> tuple[str, ...]:
        return (*(one.text for one in self.asserts), *self.others)


class Case:
    """One test; its body is read when two versions of it differ."""

    def __init__(
        self,
        name: str,
        mark: Mark,
        raw: str,
        read: Callable[[], Body],
        words: Callable[[], frozenset[str]] = frozenset,
        count: int = 1,
    ) -> None:
        self.name = name
        """Qualified by its class or group: `TestCart.test_total`, `cart adds prices`."""
        self.mark = mark
        self.raw = raw
        """Its text."""
        self.count = count
        """How many tests it is, with its parameters."""
        self._read = read
        self._read_words = words

    @property
    def runs(self) -> bool:
        return self.mark.state in (RUNS, CONDITIONAL)

    @property
    def short_name(self) -> str:
        """Its name without its class."""
        return self.name if " " in self.name else self.name.rpartition(".")[2]

    @cached_property
    def body(self) -> Body:
        return self._read()

    @cached_property
    def words(self) -> frozenset[str]:
        """The identifiers in it, which name what it tests."""
        return self._read_words()


class Suite:
    """The tests of one file by name, and its text."""

    def __init__(
        self,
        cases: dict[str, Case],
        text: str = "",
        code: Callable[[], str] = str,
        doctest_skips: int = 0,
    ) -> None:
        self.cases = cases
        self.text = text
        self._read_code = code
        self.doctest_skips = doctest_skips
        """Examples in it that are skipped."""

    @cached_property
    def code(self) -> str:
        """Its text without comments and strings."""
        return self._read_code()

    @property
    def total(self) -> int:
        """The number of tests, with their parameters."""
        return sum(case.count for case in self.cases.values())

    @property
    def running(self) -> int:
        return sum(case.count for case in self.cases.values() if case.runs)
