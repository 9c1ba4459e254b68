"""What checks said, in lines."""

from __future__ import annotations

import pytest

from clew.model.verdict import Details, RunEnd, Verdict, Where
from clew.render.style import Style
from clew.render.verdicts import every_run, known, ran
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)
PASSING = samples.verdict(output="all good\n")
FAILING = samples.verdict(1, output="".join(f"line {number}\n" for number in range(9)))
DISTURBED = PASSING._replace(
    changed_count=5, details=Details(changed=(b"a", b"b", b"", b"d"), generated=12)
)


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (PASSING, "✔ npm test: passing, exit 0, 2.1 s"),
        (FAILING, "✘ npm test: failing, exit 1, 2.1 s"),
        (PASSING._replace(is_flaky=True), "~ npm test: flaky, exit 0, 2.1 s"),
        (DISTURBED, "✔! npm test: passing, but its inputs changed, exit 0, 2.1 s"),
        (samples.verdict(None), "? npm test: unknown, cut short, 2.1 s"),
        (
            samples.verdict(None)._replace(end_reason=RunEnd.TIMEOUT),
            "? npm test: unknown, timed out, 2.1 s",
        ),
        (
            samples.verdict(None)._replace(end_reason=RunEnd.INTERRUPTED),
            "? npm test: unknown, interrupted, 2.1 s",
        ),
        (
            samples.verdict(125)._replace(end_reason=RunEnd.SKIPPED),
            "? npm test: unknown, skipped, 2.1 s",
        ),
        (
            samples.verdict(None)._replace(end_reason=RunEnd.FAILED),
            "? npm test: unknown, could not be started, 2.1 s",
        ),
    ],
)
def test_a_run_in_words(verdict: Verdict, line: str) -> None:
    assert next(ran(verdict, LOOK)) == f"  {line}"


def test_a_run_that_did_not_pass_ends_with_its_last_lines() -> None:
    assert list(ran(FAILING, LOOK))[1:] == [f"    line {number}" for number in range(4, 9)]


def test_changed_inputs_are_named_and_counted() -> None:
    assert list(ran(DISTURBED, LOOK))[1:] == [
        "    changed while it ran: a, b, . and 2 more",
        "    12 paths generated",
    ]


def test_every_run_counts_but_one_speaks() -> None:
    runs = (DISTURBED, PASSING, FAILING, samples.verdict(None))
    flaky = [run._replace(is_flaky=True) for run in runs]

    assert list(every_run(flaky, "npm test", LOOK)) == [
        "  verdict      ~ npm test: flaky, exit 0, 2.1 s",
        "               ran in the workspace, 2026-01-05 11:07:00 +00:00",
        "               4 runs: 1 passing, 1 failing, 1 unknown, 1 with changed inputs",
        "    all good",
    ]


def test_each_command_has_its_say_and_the_one_that_counts_comes_first() -> None:
    lint = FAILING._replace(command="lint", output="")
    lines = list(every_run([lint, PASSING, PASSING], "npm test", LOOK))

    assert [line for line in lines if "verdict" in line or "runs" in line] == [
        "  verdict      ✔ npm test: passing, exit 0, 2.1 s",
        "               2 runs: 2 passing",
        "  verdict      ✘ lint: failing, exit 1, 2.1 s",
    ]


def test_where_it_ran_and_what_that_means_is_said() -> None:
    details = Details(network="host", notes=("the home directory is the live one", samples.HOSTILE))
    verdict = PASSING._replace(ran_in=Where.PRIVATE_COPY, details=details, output="")
    lines = list(every_run([verdict], "npm test", LOOK))

    assert lines[1:3] == [
        "               ran in a private copy on the host's network, 2026-01-05 11:07:00 +00:00",
        "               the home directory is the live one",
    ]
    assert "\x1b" not in lines[3]


def test_what_is_known_is_said_in_a_line() -> None:
    verdict = PASSING._replace(ran_in=Where.PRIVATE_COPY, details=Details(network="own"))

    assert known(verdict, LOOK) == (
        "✔ npm test: passing in a private copy with its own network, 11:07"
    )
    assert known(DISTURBED, LOOK) == (
        "✔! npm test: passing, but its inputs changed, in the workspace, 11:07"
    )
