"""Adopt, and restore --keep-mine: what they ask for, and what they say of conflicts."""

from __future__ import annotations

import json

import pytest

from clew.cli.exits import ExitCode
from tests.cli import samples_merge
from tests.cli.fakes import FakeClew


def test_adopt_passes_on_fork_paths_and_side(fake: FakeClew) -> None:
    fake.run("adopt", "fast-path", "--yes")
    fake.run("adopt", "fast-path", "a", "b", "--theirs", "--yes")
    fake.run("adopt", "fast-path", "--ours", "--dry-run")

    assert fake.workspace.asked == [
        ("adopt", "fast-path", []),
        ("adopt", "fast-path", ["a", "b"], ("favour", "theirs")),
        ("preview_adopt", "fast-path", [], ("favour", "ours")),
    ]


def test_restore_passes_on_what_is_to_be_kept(fake: FakeClew) -> None:
    fake.run("restore", "@~1", "--keep-mine", "--yes")
    fake.run("restore", "@~1", "a", "--keep-mine", "--ours", "--dry-run")

    assert fake.workspace.asked == [
        ("restore", "@~1", [], ("keep_mine", True)),
        ("preview", "@~1", ["a"], ("keep_mine", True), ("favour", "ours")),
    ]


@pytest.mark.parametrize("words", [("adopt", "x"), ("restore", "@", "--keep-mine")])
def test_only_one_side_decides(fake: FakeClew, words: tuple[str, ...]) -> None:
    ran = fake.run(*words, "--ours", "--theirs")

    assert ran.code == ExitCode.USAGE
    assert "--ours: cannot be combined with --theirs" in ran.err
    assert fake.workspace.asked == []


def test_conflicts_are_listed_and_the_way_out_is_named(fake: FakeClew) -> None:
    ran = fake.run("adopt", "slow-path", "--yes")

    assert ran.code == ExitCode.FAILED
    assert ran.out == (
        "Adopting fast-path is blocked by 2 conflicts\n"
        "  run.sh: changed here and deleted there\n"
        "  src/app.py: both changed the same lines\n"
    )
    assert ran.err == (
        "Error: Merge conflicts: both sides changed the same paths; nothing was written\n"
        "Hint: Resolve them with --theirs or --ours, or limit the merge to other paths with PATH\n"
    )


def test_a_preview_with_conflicts_is_no_failure(fake: FakeClew) -> None:
    fake.workspace.merge_plan = samples_merge.STOPPED_BY_CONFLICTS
    ran = fake.run("adopt", "fast-path", "--dry-run")

    assert ran.code == ExitCode.DONE
    assert ran.out.startswith("Adopting fast-path is blocked by 2 conflicts\n")
    assert "would" not in ran.out


def test_off_a_terminal_adopting_needs_a_yes(fake: FakeClew) -> None:
    ran = fake.run("adopt", "fast-path")

    assert ran.code == ExitCode.UNCONFIRMED
    assert ran.out.startswith("Adopting fast-path would\n")
    assert "Confirmation required" in ran.err


def test_under_json_the_preview_of_a_merge_stands_beside_the_error(fake: FakeClew) -> None:
    found = json.loads(fake.run("adopt", "fast-path", "--json").out)

    assert found["error"]["kind"] == "needs-confirmation"
    assert found["preview"]["merge"]["fork"] == "fast-path"


def test_nothing_to_adopt_is_no_failure(fake: FakeClew) -> None:
    fake.workspace.adopted = samples_merge.ADOPTED._replace(merge=samples_merge.NOTHING)
    ran = fake.run("adopt", "fast-path", "--yes")

    assert ran.code == ExitCode.DONE
    assert ran.out == "Nothing to adopt from fast-path\n"
