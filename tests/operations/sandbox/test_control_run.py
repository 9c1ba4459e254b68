"""A failure that the sandbox causes is inconclusive; one that the files cause is a failure."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from clew.model.ids import StateId
from clew.model.verdict import Verdict, Where
from clew.operations.sandbox.control_run import fails_alike, first_error
from tests.kit.trying import NO_NAMESPACES, Place, place_for


@pytest.fixture(params=["root", "ordinary"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_for(request.param) as found:
        yield found


@pytest.fixture
def roots() -> Iterator[Place]:
    with place_for("root") as found:
        yield found


@pytest.fixture
def service(place: Place) -> Iterator[str]:
    """A check that needs a live service: a socket beside the workspace."""
    path = place.root / "service.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(50)
        path.chmod(0o777)
        yield (
            f"{sys.executable} -c 'import socket;"
            f' socket.socket(socket.AF_UNIX).connect("{path}")\' && test ! -e broken'
        )


def verify(place: Place, ref: str, *words: str) -> tuple[int, Any]:
    ran = place.clew.run("--json", "verify", ref, *words)
    return ran.code, json.loads(ran.out)["verdict"]


def save(place: Place, intent: str, *words: str) -> str:
    found: str = place.clew.json("save", intent, *words)["checkpoint"]["id"]
    return found


def status(place: Place, ref: str) -> str:
    return str(place.clew.json("show", ref)["checkpoint"]["verdict"]["status"])


def test_a_check_that_needs_a_live_service_is_inconclusive(place: Place, service: str) -> None:
    good = save(place, "good", "--verify", service)
    place.write("other", "x")
    other = save(place, "other")

    code, verdict = verify(place, other, "--", service)

    assert (code, verdict["status"], verdict["is_good"]) == (1, "inconclusive", False)
    assert "fails in the same way in a copy of" in verdict["reason"]
    assert status(place, good) == "passing"  # the control is no evidence against it
    assert place.clew.json("show", "good")["checkpoint"]["id"] == good


def test_a_state_that_passed_live_is_its_own_control(place: Place, service: str) -> None:
    good = save(place, "good", "--verify", service)

    code, verdict = verify(place, good, "--", service)

    assert (code, verdict["status"]) == (1, "inconclusive")
    assert verdict["reason"] == "the check passed on the same files in the workspace"
    assert status(place, good) == "passing"


def test_with_the_socket_it_needs_the_check_judges_the_files(place: Place, service: str) -> None:
    good = save(place, "good", "--verify", service)
    place.write("broken", "")
    bad = save(place, "bad")
    allowed = ("--allow-socket", str(place.root / "service.sock"), "--", service)

    assert verify(place, good, *allowed)[1]["status"] == "passing"
    assert verify(place, bad, *allowed)[1]["status"] == "failing"


def test_a_command_that_is_really_missing_is_a_failure(place: Place) -> None:
    place.write("check", "#!/bin/sh\nexit 0\n", mode=0o755)
    save(place, "good", "--verify", "./check")
    place.write("check", "#!/bin/sh\nexit 0\n", mode=0o644)
    refused = save(place, "not executable")
    (place.project / "check").unlink()
    gone = save(place, "gone")

    for ref, exit_code in ((refused, 126), (gone, 127)):
        code, verdict = verify(place, ref, "--", "./check")
        assert (code, verdict["status"], verdict["exit_code"]) == (4, "failing", exit_code)


def test_one_control_serves_for_all(place: Place) -> None:
    place.write("check", "#!/bin/sh\nexit 0\n", mode=0o755)
    save(place, "good", "--verify", "./check")
    for number in range(2):
        place.write("check", f"#!/bin/sh\nexit {number + 3}\n", mode=0o755)
        saved = save(place, f"bad {number}")
        ran = place.clew.run("verify", saved, "--", "./check")

        assert ran.code == 4
        assert ("Control run" in ran.err) == (number == 0)


def test_the_checks_of_attempts_have_a_control(place: Place, service: str) -> None:
    good = save(place, "good", "--verify", service)
    attempts = ("--attempt", "one=touch one", "--attempt", "other=touch broken")

    ran = place.clew.run("--json", "try", "@", *attempts, "--verify", service)
    found = {one["name"]: one["verdict"] for one in json.loads(ran.out)["attempts"]}

    assert {name: one["status"] for name, one in found.items()} == {
        "one": "inconclusive",
        "other": "inconclusive",
    }
    assert "where it passed live" in found["one"]["reason"]
    assert ran.err.count("Control run") == 1
    assert ran.err.count("Different in the copy") == 1
    assert ran.err.index("Different in the copy") < ran.err.index("Control run")
    assert status(place, "fork:one") == "inconclusive"
    assert status(place, good) == "passing"


def test_an_inconclusive_attempt_is_shown_with_its_reason(place: Place, service: str) -> None:
    save(place, "good", "--verify", service)

    ran = place.clew.run("try", "@", "--attempt", "one way=touch one", "--verify", service)

    assert ran.code == 4
    assert "? check inconclusive" in ran.out
    assert "  inconclusive: it fails in the same way in a copy of" in ran.out
    assert "`clew adopt 'one way'` merges it" in ran.out


def test_an_attempt_that_breaks_the_files_fails(place: Place) -> None:
    place.write("check", "#!/bin/sh\nexit 0\n", mode=0o755)
    save(place, "good", "--verify", "./check")
    attempts = ("--attempt", "break=chmod -x check", "--attempt", "keep=touch other")

    ran = place.clew.run("--json", "try", "@", *attempts, "--verify", "./check")
    found = {one["name"]: one["verdict"]["status"] for one in json.loads(ran.out)["attempts"]}

    assert found == {"break": "failing", "keep": "passing"}


def test_bisect_stops_where_no_copy_can_be_judged(place: Place, service: str) -> None:
    save(place, "good", "--verify", service)
    for number in range(4):
        place.write("other", f"{number}")
        save(place, f"number {number}")

    ran = place.clew.run("--json", "bisect", "--", service)
    found = json.loads(ran.out)

    assert (ran.code, found["outcome"], found["first_bad"]) == (1, "inconclusive", None)
    assert "where it passed live" in found["reason"]
    assert place.clew.run("bisect", "--", service).out.startswith("Inconclusive: ")


def test_bisect_stops_where_a_command_is_found_at_neither_end(place: Place) -> None:
    for number in range(4):
        place.write("other", f"{number}")
        save(place, f"number {number}")

    found = json.loads(place.clew.run("--json", "bisect", "--", "none-such --all").out)

    assert (found["outcome"], found["run_count"]) == ("inconclusive", 2)


@pytest.mark.parametrize("kind", ["command", "script", "environment"])
def test_without_namespaces_a_check_of_the_live_files_is_inconclusive(
    roots: Place, kind: str
) -> None:
    """The copy is at another path, so an absolute path leads to the live file."""
    roots.write("value", "bad")
    roots.write("check", f"#!/bin/sh\ngrep -q good {roots.project}/value\n", mode=0o755)
    if kind != "script":
        (roots.project / "check").unlink()
    bad = save(roots, "bad")
    roots.write("value", "good")
    command = {
        "command": f"grep -q good {roots.project}/value",
        "script": "./check",
        "environment": "grep -q good $PLACE/value",
    }[kind]
    roots.clew.extra |= {"PLACE": str(roots.project)} if kind == "environment" else {}
    roots.clew.prefix = NO_NAMESPACES

    code, verdict = verify(roots, bad, "--", command)
    tried = roots.clew.run("--json", "try", "@", "--attempt", "x=true", "--verify", command)

    assert json.loads(tried.out)["attempts"][0]["verdict"]["status"] == "inconclusive"
    assert (code, verdict["ran_in"], verdict["status"]) == (1, "plain copy", "inconclusive")
    assert "names the live one" in verdict["reason"]
    assert roots.clew.run("show", "good").code != 0


def test_without_namespaces_other_checks_still_judge(roots: Place) -> None:
    roots.write("value", "bad")
    bad = save(roots, "bad")
    roots.write("value", "good")
    roots.clew.prefix = NO_NAMESPACES

    assert verify(roots, bad, "--", "grep -q good value")[1]["status"] == "failing"
    assert verify(roots, bad, "--", "grep -q bad value")[1]["status"] == "passing"


def run(code: int | None, output: str = "") -> Verdict:
    return Verdict("x", code, 1, output, 1, Where.PRIVATE_COPY, StateId(b"s" * 32))


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        (run(127, "sh: 1: pytest: not found"), run(127, "sh: 1: ruff: not found"), True),
        (run(1), run(1), True),
        (run(1), run(2), False),
        (run(1), run(0), False),
        (run(1), run(None), False),
        (run(1, "3 tests\nError: refused 17"), run(1, "5 tests\nError: refused 9"), True),
        (run(1, "SyntaxError: x"), run(1, "ConnectionRefusedError: x"), False),
    ],
)
def test_runs_fail_alike_with_the_same_code_and_first_error(
    one: Verdict, other: Verdict, is_alike: bool
) -> None:
    assert fails_alike(one, other) is is_alike


def test_the_error_of_a_traceback_is_its_last_line() -> None:
    text = 'start\nTraceback (most recent call last):\n  File "no such"\n    error()\nOSError: [Errno 2] x\n'

    assert first_error(text) == "OSError: [Errno #] x"
