"""Results of commands and test runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NO_TESTS = 5
"""The exit code of pytest and unittest if no tests were selected."""


@dataclass
class CommandResult:
    """The result of a command."""

    stdout: str
    stderr: str
    exit_code: int

    @property
    def success(self) -> bool:
        return self.exit_code == 0


@dataclass
class TestResult:
    """The result of a test run: counts and output."""

    __test__ = False  # not a test class for pytest

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


def read_summary(result: CommandResult) -> TestResult:
    """Parse the counts of a summary line such as `3 passed, 1 failed`.

    A run that failed without a summary (no runner, a crash) counts as one error, unless there were
    no tests to run.
    """
    output = result.stdout + result.stderr
    passed, failed, errors = (_number(word, output) for word in ("passed", "failed", "error"))
    if not (result.success or failed or errors or _had_no_tests(result.exit_code, output)):
        errors = 1
    return TestResult(passed, failed, errors, output)


def _had_no_tests(exit_code: int, output: str) -> bool:
    # pytest prints "no tests ran" after a wrong argument too, with another exit code.
    return exit_code == _NO_TESTS and bool(re.search("(?i)no tests ran|[0-9]+ deselected", output))


def _number(word: str, output: str) -> int:
    found = re.search(rf"(\d+) {word}", output)
    return int(found[1]) if found else 0
