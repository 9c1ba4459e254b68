"""Try: several ways from one moment; what goes wrong with one is its own affair."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit import walker
from tests.kit.tools import require
from tests.kit.trying import NO_NAMESPACES, Place, place_for, wait_for


@pytest.fixture(params=["root", "ordinary"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_for(request.param) as found:
        yield found


@pytest.fixture
def roots() -> Iterator[Place]:
    with place_for("root") as found:
        yield found


def attempt(place: Place, ref: str, *words: str, **ways: str) -> tuple[int, Any]:
    """Go some ways and return the exit code and the board."""
    given = [word for name, command in ways.items() for word in ("--attempt", f"{name}={command}")]
    ran = place.clew.run("--json", "try", ref, *given, *words)
    return ran.code, json.loads(ran.out)


def forks(place: Place) -> list[str]:
    return sorted(one["name"] for one in place.clew.json("forks")["forks"])


def test_each_way_goes_from_the_same_moment_and_leaves_a_fork(place: Place) -> None:
    place.write("file.txt", "base\n")
    saved = place.clew.save("base")
    place.write("file.txt", "live\n")
    before = walker.look(place.project)
    code, board = attempt(
        place,
        saved,
        edit="cat file.txt; echo edited > file.txt",
        remove="cat file.txt; rm file.txt; pwd",
    )
    edit, remove = board["attempts"]

    assert code == 0
    assert board["base"]["id"] == saved
    assert [edit["output"], remove["output"]] == ["base\n", f"base\n{place.project}\n"]
    assert [edit["difference"]["headline"], remove["difference"]["headline"]] == [
        "edited file.txt", "deleted file.txt",
    ]  # fmt: skip
    assert forks(place) == ["edit", "remove"]
    assert walker.differences(before, walker.look(place.project)) == []
    assert place.mounts() == []
    assert place.copies() == []
    assert place.marked_processes() == []


def test_a_result_is_a_checkpoint_like_any_other(place: Place) -> None:
    place.write("file.txt", "base\n")
    place.write("script", "#!/bin/sh\n", mode=0o755)
    saved = place.clew.save("base")
    _, board = attempt(place, saved, a="echo new > file.txt; ln script again; ln -s file.txt link")
    result = board["attempts"][0]["checkpoint"]

    assert place.clew.ok("cat", "a", "file.txt").out == "new\n"
    assert result["change_counts"] == {
        "added": 2, "modified": 1, "deleted": 0, "renamed": 0, "metadata": 0,
    }  # fmt: skip
    assert result["intent"] == "echo new > file.txt; ln script again; ln -s file.txt link"
    assert place.clew.json("compare", "a", saved)["ancestor"]["id"] == saved
    assert place.clew.json("check", "--read-data")["is_intact"]


def test_a_way_that_changes_nothing_leads_to_the_same_state(place: Place) -> None:
    place.write("sub/file", "x")
    place.write("out/file", "x")
    place.clew.ok("init", "--exclude", "out")
    saved = place.clew.json("save")["checkpoint"]
    _, board = attempt(place, saved["id"], a="true")

    for field in ("tree", "state"):
        assert board["attempts"][0]["checkpoint"][field] == saved[field]


def test_ways_go_at_the_same_time_also_when_no_copy_was_there_before(place: Place) -> None:
    """Each waits for the other, so neither can come first."""
    place.write("file", "x")
    saved = place.clew.save()
    home = place.root / "home"
    meet = "touch {home}/{own}; until test -e {home}/{other}; do sleep 0.02; done"
    code, board = attempt(
        place, saved, "--jobs", "2", "--timeout", "60s",
        a=meet.format(home=home, own="a", other="b"), b=meet.format(home=home, own="b", other="a"),
    )  # fmt: skip

    assert code == 0
    assert [way["end_reason"] for way in board["attempts"]] == ["exited", "exited"]


def test_a_crash_and_a_hang_do_not_touch_the_others(place: Place) -> None:
    place.write("file", "x")
    saved = place.clew.save()
    code, board = attempt(
        place, saved, "--timeout", "1s", "--jobs", "3",
        crash="kill -SEGV $$", hang="touch begun; sleep 600", works="touch done",
    )  # fmt: skip
    crash, hang, works = board["attempts"]

    assert code == 0
    assert (crash["end_reason"], crash["exit_code"]) == ("exited", 139)
    assert (hang["end_reason"], hang["fork"], hang["checkpoint"]) == ("timeout", None, None)
    assert works["difference"]["changes"][0]["path"] == "done"
    assert forks(place) == ["crash", "works"]
    assert place.marked_processes() == []


def test_a_way_that_cannot_be_started_says_so(roots: Place) -> None:
    saved = roots.clew.save()
    code, board = attempt(roots, saved, missing="no-such-thing-at-all")

    assert code == 1  # the shell ran, and said so
    assert "not found" in board["attempts"][0]["output"]


def test_each_result_is_checked_in_its_own_copy(place: Place) -> None:
    place.write("file", "1")
    saved = place.clew.save()
    code, board = attempt(
        place, saved, "--verify", "grep -q 2 file && touch made-by-the-check",
        right="echo 2 > file", wrong="echo 3 > file",
    )  # fmt: skip
    right, wrong = board["attempts"]

    assert code == 0
    assert (right["verdict"]["status"], wrong["verdict"]["status"]) == ("passing", "failing")
    assert right["verdict"]["ran_in"] == "private copy"
    assert [one["path"] for one in right["difference"]["changes"]] == ["file"]
    shown = place.clew.json("show", "right")["checkpoint"]
    assert (shown["verdict"]["status"], shown["state"]) == ("passing", right["checkpoint"]["state"])


def test_good_is_no_name_for_a_way(roots: Place) -> None:
    saved = roots.clew.save()

    for name in ("good", "@", "a/b", "", "abcd"):
        assert roots.clew.error("try", saved, "--attempt", f"{name}=true")[0] == 2


def test_the_configured_check_is_asked_by_default(roots: Place) -> None:
    saved = roots.clew.save()
    roots.clew.ok("config", "set", "verify", "test -e wanted")

    assert attempt(roots, saved, a="true")[0] == 4
    assert attempt(roots, saved, b="touch wanted")[0] == 0
    assert attempt(roots, saved, "--verify", "true", c="true")[0] == 0


def test_a_configured_address_is_not_asked_and_that_is_said(roots: Place) -> None:
    saved = roots.clew.save()
    roots.clew.ok("config", "set", "verify", "http://127.0.0.1:1/")
    ran = roots.clew.run("try", saved, "--attempt", "a=true", "--json")

    assert (ran.code, json.loads(ran.out)["check"]) == (0, None)
    assert ran.talk[0] == "The configured check is a URL and is not run on the results"
    assert roots.clew.error("try", saved, "--attempt", "b=true", "--verify", "http://x/")[0] == 2


def test_names_are_made_unique(roots: Place) -> None:
    saved = roots.clew.save()
    attempt(roots, saved, a="touch 1")
    _, board = attempt(roots, saved, a="touch 2", b="touch 3")

    assert [(way["name"], way["fork"]) for way in board["attempts"]] == [("a", "a-2"), ("b", "b")]
    assert forks(roots) == ["a", "a-2", "b"]


def test_a_fork_without_a_directory_can_be_discarded(roots: Place) -> None:
    saved = roots.clew.save()
    attempt(roots, saved, a="touch 1")
    roots.clew.ok("discard", "a", "--yes")

    assert forks(roots) == []
    assert roots.clew.json("check")["is_intact"]


def test_a_result_can_be_adopted(roots: Place) -> None:
    roots.write("file", "base\n")
    saved = roots.clew.save()
    attempt(roots, saved, a="echo better > file")
    roots.write("other", "live\n")
    roots.clew.ok("adopt", "a", "--yes")

    assert (roots.project / "file").read_text() == "better\n"
    assert (roots.project / "other").read_text() == "live\n"


def test_an_interrupted_try_leaves_nothing(place: Place) -> None:
    place.write("file", "x")
    saved = place.clew.save()
    flags = [place.root / "home" / name for name in ("quick", "slow")]
    process = place.start(
        "try", saved, "--jobs", "2", "--json",
        "--attempt", f"quick=touch new; touch {flags[0]}",
        "--attempt", f"slow=touch {flags[1]}; sleep 600",
        "--attempt", "never=touch never",
        "--verify", f"touch {flags[0]}; sleep 600",
    )  # fmt: skip
    wait_for(lambda: all(flag.exists() for flag in flags), "the ways never began")
    wait_for(lambda: forks(place) == ["quick"], "the quick one never came to its end")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    board = json.loads(out)

    assert process.returncode == 130
    assert [way["end_reason"] for way in board["attempts"]] == ["interrupted"] * 3
    assert forks(place) == []
    assert place.marked_processes() == []
    assert place.copies() == []
    assert place.mounts() == []
    assert place.clew.json("check")["is_intact"]


def test_if_we_are_killed_nothing_runs_on_and_the_next_one_works(roots: Place) -> None:
    saved = roots.clew.save()
    flag = roots.root / "home" / "begun"
    process = roots.start("try", saved, "--attempt", f"a=touch {flag}; sleep 600")
    wait_for(flag.exists, "the way never began")
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: not roots.marked_processes(), "something runs on")

    assert roots.mounts() == []
    assert forks(roots) == []
    assert attempt(roots, saved, a="touch 1")[0] == 0
    assert roots.copies() == []


def test_the_store_can_be_collected_while_a_way_goes(roots: Place) -> None:
    roots.write("file", "x")
    saved = roots.clew.save()
    go_on = roots.root / "home" / "go on"
    begun = roots.root / "home" / "begun"
    process = roots.start(
        "try", saved, "--json",
        "--attempt", f"a=touch {begun}; while ! test -e '{go_on}'; do sleep 0.05; done; echo 1 > made",
    )  # fmt: skip
    wait_for(begun.exists, "the way never began")
    roots.clew.ok("gc")
    roots.clew.save("meanwhile")
    go_on.touch()
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert json.loads(out)["attempts"][0]["fork"] == "a"
    roots.clew.ok("gc")
    assert roots.clew.ok("cat", "a", "made").out == "1\n"


def test_without_namespaces_ways_are_gone_in_plain_copies_and_that_is_said(roots: Place) -> None:
    require("unshare")
    roots.write("file", "base\n")
    saved = roots.clew.save()
    roots.clew.prefix = list(NO_NAMESPACES)
    code, board = attempt(roots, saved, a="echo a >> file; pwd", b="echo b >> file")

    assert code == 0
    assert [way["ran_in"] for way in board["attempts"]] == ["plain copy"] * 2
    assert "another path" in board["attempts"][0]["notes"][0]
    assert str(roots.project) not in board["attempts"][0]["output"]
    assert roots.clew.ok("cat", "a", "file").out == "base\na\n"
    assert roots.clew.ok("cat", "b", "file").out == "base\nb\n"
    assert (roots.project / "file").read_text() == "base\n"
    assert sorted(os.listdir(roots.project)) == ["file"]
