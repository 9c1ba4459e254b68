"""What the commands that run something in a private copy ask, say, and exit with."""

from __future__ import annotations

import json

import pytest

from clew.cli.exits import ExitCode
from clew.model.verdict import RunEnd
from tests.cli import samples, samples_sandbox
from tests.cli.fakes import FakeClew


def test_verify_passes_on_what_it_is_told(fake: FakeClew) -> None:
    fake.run("verify", "@~2", "--timeout", "90s", "--network=host", "--", "npm", "test")
    fake.run("verify", "@")

    assert fake.workspace.asked == [
        (
            "verify",
            "@~2",
            ("npm", "test"),
            {"timeout": "90s", "network": "host", "allow_sockets": [], "serve": None},
        ),
        (
            "verify",
            "@",
            None,
            {"timeout": None, "network": None, "allow_sockets": [], "serve": None},
        ),
    ]


def test_one_word_after_the_dashes_is_text_for_the_shell(fake: FakeClew) -> None:
    fake.run("verify", "@", "--serve", "npm start", "--", "http://127.0.0.1:3000/health")
    fake.run("exec", "@", "--", "make | tail -3")

    assert [call[2] for call in fake.workspace.asked] == [
        "http://127.0.0.1:3000/health",
        "make | tail -3",
    ]


def test_options_after_the_dashes_are_the_commands_own(fake: FakeClew) -> None:
    fake.run("exec", "@", "--network", "host", "--", "make", "--json", "-h")

    assert fake.workspace.asked == [
        (
            "exec",
            "@",
            ("make", "--json", "-h"),
            {"timeout": None, "network": "host", "allow_sockets": []},
        )
    ]


@pytest.mark.parametrize(
    ("ended", "exit_code", "code"),
    [
        (RunEnd.EXITED, 0, ExitCode.DONE),
        (RunEnd.EXITED, 2, ExitCode.VERIFICATION),
        (RunEnd.TIMEOUT, None, ExitCode.FAILED),
        (RunEnd.FAILED, None, ExitCode.FAILED),
        (RunEnd.INTERRUPTED, None, ExitCode.INTERRUPTED),
    ],
)
def test_verify_exits_by_what_the_check_said(
    fake: FakeClew, ended: str, exit_code: int | None, code: int
) -> None:
    judged = fake.workspace.judged
    verdict = judged.verdict._replace(end_reason=ended, exit_code=exit_code)
    fake.workspace.judged = judged._replace(verdict=verdict)

    assert fake.run("verify", "@").code == code


def test_a_flaky_check_exits_by_what_it_said_this_time(fake: FakeClew) -> None:
    judged = fake.workspace.judged
    verdict = judged.verdict._replace(exit_code=0, is_flaky=True)
    fake.workspace.judged = judged._replace(verdict=verdict)

    assert fake.run("verify", "@").code == ExitCode.DONE


def test_exec_passes_on_what_the_command_says_safe_to_show(fake: FakeClew) -> None:
    ran = fake.run("exec", "@", "--", "make")

    assert ran.err == "naïve\n\\x1b[2J"
    assert ran.out.startswith("npm update: exit 0, 2.1 s; the copy was discarded\n")


def test_exec_in_json_keeps_what_the_command_says_to_itself(fake: FakeClew) -> None:
    ran = fake.run("exec", "@", "--json", "--", "make")

    assert ran.err == ""
    assert json.loads(ran.out)["output"] == "changed 1 package\n"


@pytest.mark.parametrize(
    ("ended", "exit_code", "code"),
    [
        (RunEnd.EXITED, 0, 0),
        (RunEnd.EXITED, 7, 7),
        (RunEnd.EXITED, 143, 143),
        (RunEnd.TIMEOUT, None, 124),
        (RunEnd.FAILED, None, 127),
        (RunEnd.INTERRUPTED, None, 130),
    ],
)
def test_exec_exits_as_the_command_did(
    fake: FakeClew, ended: str, exit_code: int | None, code: int
) -> None:
    outcome = samples_sandbox.RAN._replace(end_reason=ended, exit_code=exit_code)
    fake.workspace.executed = samples_sandbox.EXECUTED._replace(outcome=outcome)

    assert fake.run("exec", "@", "--", "make").code == code


def test_exec_needs_a_command(fake: FakeClew) -> None:
    ran = fake.run("exec", "@")

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith("Error: Missing argument: CMD\n")


def test_a_command_without_dashes_is_told_about_them(fake: FakeClew) -> None:
    ran = fake.run("exec", "@", "make")

    assert ran.code == ExitCode.USAGE
    assert "Put -- before CMD" in ran.err


def test_try_passes_on_its_ways(fake: FakeClew) -> None:
    fake.run(
        "try", "good", "--attempt", "a=x=1 make", "--attempt=b=true", "--verify", "v", "--jobs", "2"
    )

    assert fake.workspace.asked == [
        (
            "try_commands",
            "good",
            {"a": "x=1 make", "b": "true"},
            {"verify": "v", "jobs": 2, "timeout": None, "network": None, "allow_sockets": []},
        )
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--attempt", "a"], "--attempt: not NAME=COMMAND: 'a'"),
        (["--attempt", "a=1", "--attempt", "a=2"], "--attempt: given twice: 'a'"),
        (["--attempt", "a=1", "--jobs", "0"], "--jobs: must be a whole number, 1 or more: '0'"),
    ],
)
def test_try_refuses_what_makes_no_sense(fake: FakeClew, words: list[str], message: str) -> None:
    ran = fake.run("try", "@", *words)

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"Error: {message}\n")
    assert fake.workspace.asked == []


def test_try_exits_by_the_best_of_its_ways(fake: FakeClew) -> None:
    good, bad, slow = samples_sandbox.BOARD.attempts
    unchecked = good._replace(verdict=None)
    board = samples_sandbox.BOARD

    def code(*ways: object) -> int:
        fake.workspace.board = board._replace(attempts=ways)  # type: ignore[arg-type]
        return fake.run("try", "@", "--attempt", "a=b").code

    assert code(bad, good, slow) == ExitCode.DONE
    assert code(unchecked, slow) == ExitCode.DONE
    assert code(bad, slow) == ExitCode.VERIFICATION
    assert code(slow) == ExitCode.FAILED
    failed = unchecked._replace(outcome=unchecked.outcome._replace(exit_code=1))
    assert code(failed) == ExitCode.FAILED
    cut = slow._replace(outcome=slow.outcome._replace(end_reason=RunEnd.INTERRUPTED))
    assert code(good, cut) == ExitCode.INTERRUPTED


def test_compare_takes_two_or_more(fake: FakeClew) -> None:
    assert fake.run("compare", "a").code == ExitCode.USAGE
    assert fake.run("compare", "a", "@", "fork:b").code == ExitCode.DONE
    assert fake.workspace.asked == [("compare", ["a", "@", "fork:b"])]


def test_drill_passes_on_what_it_is_told(fake: FakeClew) -> None:
    fake.run("drill")
    fake.run("drill", "v1", "--no-check", "--timeout", "90s", "--network=host")
    fake.run("drill", "--random", "--allow-socket", "/run/s")

    plain: dict[str, object] = {"random": False, "check": True, "timeout": None, "network": None}
    plain["allow_sockets"] = []
    assert fake.workspace.asked == [
        ("drill", None, plain),
        ("drill", "v1", plain | {"check": False, "timeout": "90s", "network": "host"}),
        ("drill", None, plain | {"random": True, "allow_sockets": ["/run/s"]}),
    ]


def test_a_random_drill_takes_no_checkpoint(fake: FakeClew) -> None:
    ran = fake.run("drill", "v1", "--random")

    assert ran.code == ExitCode.USAGE
    assert "takes no REF" in ran.err


def test_drill_exits_by_what_it_found(fake: FakeClew) -> None:
    proven = fake.run("drill")
    fake.workspace.drilled = samples_sandbox.DRILLED._replace(verdict=samples.verdict(1))
    failing = fake.run("drill")
    fake.workspace.drilled = samples_sandbox.DAMAGED
    damaged = fake.run("drill")

    assert (proven.code, failing.code, damaged.code) == (
        ExitCode.DONE,
        ExitCode.VERIFICATION,
        ExitCode.DAMAGED,
    )
    assert "restore proven on 2026-01-05: 12 entries" in proven.out
    assert "dev/null  (owner: Operation not permitted)" in proven.out
    assert "restore failed on 2026-01-05: 1 path\n    src/app.py  its content cannot" in damaged.out
    assert "clew fsck --read-data" in damaged.err


def test_the_last_drill_is_shown_by_log_show_and_status(fake: FakeClew) -> None:
    drilled = samples_sandbox.DAMAGED.checkpoint
    fake.workspace.timeline = samples.LOG._replace(checkpoints=(drilled,))

    assert "restore failed on 2026-01-05" in fake.run("log").out
    assert fake.run("status").out.endswith(
        "Restore proven on 2026-01-05: 02020202 (before-auth · before the auth refactor)\n"
    )
