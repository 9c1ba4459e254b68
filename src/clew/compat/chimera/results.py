"""Results of commands and test runs."""

from __future__ import annotations

import re

from clew.model.named_tuple import NamedTuple


class CommandResult(NamedTuple):
    """The result of a command."""

    stdout: str
    stderr: str
    exit_code: int

    @property
    def success(self) -> bool:
        return self.exit_code == 0


class TestResult(NamedTuple):
    """The result of a test run: counts and output."""

    passed: int
    failed: int
    errors: int
    output: str

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.errors

    @property
    def pass_rate(self) -> float:
        return self.passed / self.total if self.total else 0.0

    @property
    def all_passed(self) -> bool:
        return self.failed == 0 and self.errors == 0


TestResult.__test__ = False  # type: ignore[attr-defined]  # not a test class for pytest


def read_summary(result: CommandResult) -> TestResult:
    """Parse the counts of a summary line such as `3 passed, 1 failed`.

    A run that failed without a summary (no runner, a crash) counts as one error.
    """
    output = result.stdout + result.stderr
    passed, failed, errors = (_number(word, output) for word in ("passed", "failed", "error"))
    if not result.success and not (failed or errors):
        errors = 1
    return TestResult(passed, failed, errors, output)


def _number(word: str, output: str) -> int:
    found = re.search(rf"(\d+) {word}", output)
    return int(found[1]) if found else 0
