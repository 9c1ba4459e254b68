"""Bisect with real checks in real copies: the workspace stays as it is, and nothing runs twice.

A check cannot leave anything in the copy or in its /tmp, so the project and the diary that the check
keeps are in a live directory, not in a temporary one.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from shutil import rmtree

import pytest

from clew import opening
from clew.model.record import Origin
from tests.kit.trying import NO_NAMESPACES, Place, place_for, wait_for
from tests.kit.walker import look


class Bench:
    """A project whose number grows from save to save, and a check that writes down where it ran."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.clew = place.clew
        self.project = place.project
        self.diary = place.root / "diary"

    def save(self, *numbers: int) -> None:
        if self.clew.prefix:  # not as ourselves
            for number in numbers:
                self.place.write("number", f"{number}\n")
                self.clew.save(f"number {number}")
            return
        with opening.open(self.project, self.clew.store, create=True) as ws:
            for number in numbers:
                self.place.write("number", f"{number}\n")
                ws.save(f"number {number}", origin=Origin.HOOK)  # nobody waits for its story

    def check(self, condition: str) -> str:
        """Return a check that notes its number and ends as `condition` says; $n is the number."""
        return f"n=$(cat number); echo $n >> {self.diary}; {condition}"

    def checked(self) -> list[int]:
        return [int(line) for line in self.diary.read_text().split()] if self.diary.exists() else []


@pytest.fixture
def bench() -> Iterator[Bench]:
    with place_for("root") as place:
        yield Bench(place)


@pytest.fixture(params=["root", "ordinary"])
def anybodys(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A bench of root, and one of an ordinary user."""
    with place_for(request.param) as place:
        yield Bench(place)


def test_the_first_bad_one_is_named_and_the_workspace_is_left_alone(anybodys: Bench) -> None:
    bench = anybodys
    bench.save(*range(1, 12))
    bench.place.write("unsaved", "work")
    before = look(bench.project)
    check = bench.check("rm -rf * .[a-z]*; sleep 1000 & test $n -lt 8")
    ran = bench.clew.run("--json", "bisect", "--", check)
    found = json.loads(ran.out)

    assert (ran.code, found["outcome"]) == (0, "found")
    assert found["first_bad"]["intent"] == "number 8"
    assert found["first_bad"]["verdict"]["status"] == "failing"
    assert found["first_bad"]["verdict"]["ran_in"] == "private copy"
    assert found["last_good"]["intent"] == "number 7"
    assert found["story_lines"][0]["text"] == "number changed"
    assert found["run_count"] == len(bench.checked()) <= 6
    assert "only checkpoints are tested" in ran.err
    assert look(bench.project) == before
    assert bench.place.mounts() == []
    assert bench.place.marked_processes() == []


def test_an_interrupt_loses_one_run_and_the_next_goes_on(bench: Bench) -> None:
    bench.save(*range(1, 33))
    go_on = bench.place.root / "go-on"
    wait = f"test -e {go_on} || test $(wc -l < {bench.diary}) -lt 4 || sleep 600"
    check = bench.check(f"{wait}; test $n -lt 23")
    first = bench.place.start("bisect", "--", check)
    try:
        wait_for(lambda: len(bench.checked()) == 4, "the check did not run often enough")
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=120)
    finally:
        first.kill()
        first.wait()
    go_on.touch()
    cut_short = bench.checked()
    left_running = bench.place.marked_processes()
    found = bench.clew.json("bisect", "--", check)
    rest = bench.checked()[len(cut_short) :]

    assert (first.returncode, out) == (130, "")
    assert "run the same command to continue" in err
    assert left_running == []
    assert found["first_bad"]["intent"] == "number 23"
    assert found["known_count"] == 2  # a good one and the newest; the oldest is not read again
    assert rest[0] == cut_short[-1]
    assert len(set(cut_short + rest)) == len(cut_short + rest) - 1 <= 7


def test_a_project_that_is_gone_can_be_bisected(bench: Bench) -> None:
    bench.save(1, 2, 3, 4)
    rmtree(bench.project)
    where = str(bench.project)
    found = bench.clew.json("-C", where, "bisect", "--", bench.check("test $n -lt 3"))

    assert found["first_bad"]["intent"] == "number 3"
    assert not bench.project.exists()


def test_exit_125_skips_and_a_check_that_hangs_does(bench: Bench) -> None:
    bench.save(*range(1, 8))
    check = bench.check("test $n -ne 4 || exit 125; test $n -ne 5 || sleep 600; test $n -lt 5")
    ran = bench.clew.run("--json", "bisect", "--timeout", "10s", "--", check)
    found = json.loads(ran.out)

    assert (ran.code, found["outcome"]) == (1, "between")
    assert len(found["suspects"]) == 3
    assert len(found["skipped"]) == 2
    assert "? skipped: the check returned 125" in ran.err
    assert "? skipped: it timed out" in ran.err


def test_a_check_that_cannot_make_up_its_mind_is_not_believed(bench: Bench) -> None:
    bench.save(1, 2, 3)
    odd = f"test $n -ne 2 || exit $(($(grep -c 2 {bench.diary}) % 2)); test $n -lt 3"
    ran = bench.clew.run("--json", "bisect", "--repeat", "2", "--", bench.check(odd))
    found = json.loads(ran.out)

    assert (ran.code, found["outcome"]) == (1, "between")
    assert len(found["flaky"]) == 1
    assert sorted(bench.checked()) == [1, 1, 2, 2, 3, 3]


def test_the_configured_check_is_the_default_and_its_verdicts_count(bench: Bench) -> None:
    check = bench.check("test $n -lt 3")
    bench.save(1)
    bench.clew.ok("config", "set", "verify", check)
    (bench.project / "number").write_text("2\n")
    bench.clew.save("number 2", "--check")
    bench.diary.unlink()
    bench.save(3, 4)
    found = bench.clew.json("bisect")

    assert found["first_bad"]["intent"] == "number 3"
    assert (found["command"], found["known_count"], found["candidate_count"]) == (check, 1, 3)
    assert sorted(bench.checked()) == [2, 3, 4]  # 2 passed live: it is the control


def test_words_and_text_are_the_same_check(bench: Bench) -> None:
    bench.save(1, 2)
    (bench.project / "number").unlink()
    bench.clew.save("gone")
    bench.clew.ok("bisect", "--", "test", "-e", "number")
    found = bench.clew.json("bisect", "--", "test -e number")

    assert found["first_bad"]["intent"] == "gone"
    assert found["run_count"] == 0


def test_without_a_check_it_says_how_to_give_one(bench: Bench) -> None:
    bench.save(1)
    code, error = bench.clew.error("bisect")

    assert code == 2
    assert "verify" in error["hint"]


def test_where_nothing_can_be_made_private_it_says_so_once(bench: Bench) -> None:
    bench.save(1, 2, 3)
    bench.clew.prefix = [*NO_NAMESPACES]
    ran = bench.clew.run("--json", "bisect", "--", bench.check("test $n -lt 3"))
    found = json.loads(ran.out)

    assert found["first_bad"]["intent"] == "number 3"
    assert found["first_bad"]["verdict"]["ran_in"] == "plain copy"
    assert ran.err.count("plain copy") == 1
    assert len(bench.checked()) == 3
