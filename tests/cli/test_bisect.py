"""`clew bisect` hands on what it was told, and says in its exit code whether it found something."""

from __future__ import annotations

import pytest

from clew.cli.exits import ExitCode
from clew.errors import GoodNewerThanBad
from clew.model.bisect_search import BisectOutcome
from tests.cli.fakes import FakeClew

NO_OPTIONS: dict[str, object] = {
    "command": None,
    "repeat": 1,
    "timeout": None,
    "network": None,
    "allow_sockets": [],
    "serve": None,
}


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ((), (None, None, NO_OPTIONS)),
        (("v1",), ("v1", None, NO_OPTIONS)),
        (("v1", "@~2"), ("v1", "@~2", NO_OPTIONS)),
        (("--", "npm", "test"), (None, None, {**NO_OPTIONS, "command": ("npm", "test")})),
        (("v1", "--", "npm t"), ("v1", None, {**NO_OPTIONS, "command": "npm t"})),
        (
            ("--repeat", "3", "--timeout=90s", "--network", "host", "--serve", "./run"),
            (
                None,
                None,
                {
                    **NO_OPTIONS,
                    "repeat": 3,
                    "timeout": "90s",
                    "network": "host",
                    "serve": "./run",
                },
            ),
        ),
    ],
)
def test_words_become_what_the_library_is_asked(
    fake: FakeClew, words: tuple[str, ...], call: tuple[object, ...]
) -> None:
    fake.run("bisect", *words)

    assert fake.workspace.asked == [("bisect", *call)]


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (BisectOutcome.FOUND, ExitCode.DONE),
        (BisectOutcome.BETWEEN, ExitCode.FAILED),
        (BisectOutcome.ALL_GOOD, ExitCode.FAILED),
        (BisectOutcome.ALL_BAD, ExitCode.FAILED),
        (BisectOutcome.UNDECIDED, ExitCode.FAILED),
    ],
)
@pytest.mark.parametrize("shape", [(), ("--json",)])
def test_the_exit_code_says_whether_it_was_found(
    fake: FakeClew, outcome: str, code: int, shape: tuple[str, ...]
) -> None:
    fake.workspace.bisected = fake.workspace.bisected._replace(outcome=outcome)

    assert fake.run("bisect", *shape).code == code


def test_the_wrong_way_round_is_answered_with_the_right_one(fake: FakeClew) -> None:
    fake.workspace.error = GoodNewerThanBad("0b0b0b0b", "0a0a0a0a")
    ran = fake.run("bisect", "new", "old")

    assert ran.code == ExitCode.USAGE
    assert ran.err == (
        "Error: The good checkpoint is newer than the bad one: '0b0b0b0b'\n"
        "Hint: Swap them: `clew bisect 0a0a0a0a 0b0b0b0b`\n"
    )


@pytest.mark.parametrize("number", ["0", "-1", "x"])
def test_repeat_is_a_number(fake: FakeClew, number: str) -> None:
    assert fake.run("bisect", f"--repeat={number}").code == ExitCode.USAGE
    assert fake.workspace.asked == []
