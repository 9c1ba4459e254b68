"""Somebody edits, links and swaps directories for symlinks while clew restores."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew import errors, opening
from tests.kit import thrasher
from tests.kit.killing import ALL
from tests.kit.removing import remove
from tests.kit.walker import Tree, differences, look

SECONDS = 60 if ALL else 8


@pytest.fixture
def place(on_ext4: Path) -> Path:
    """A project, and beside it a directory with the same names that nobody may touch."""
    for side in ("project", "outside"):
        (on_ext4 / side / "one" / "deep").mkdir(parents=True)
        (on_ext4 / side / "two").mkdir()
        for name in ("one/a", "one/deep/c", "two/b", "top", "a", "b", "c", "deep/c"):
            (on_ext4 / side / name).parent.mkdir(exist_ok=True)
            (on_ext4 / side / name).write_text(f"{side} {name}\n")
    (on_ext4 / "outside" / "victim").write_text("linked from inside")
    (on_ext4 / "outside" / "victim").chmod(0o640)
    return on_ext4


@pytest.mark.slow
def test_nothing_outside_is_touched_while_directories_are_swapped(place: Path) -> None:
    outside = look(place / "outside")
    with opening.open(place / "project", store=str(place / "store"), create=True) as clew:
        first = clew.save("first").checkpoint.id.hex()
        for name in ("one/a", "one/deep/c", "two/b"):
            (place / "project" / name).unlink()
        (place / "project" / "two" / "a").write_text("only in the second\n")
        second = clew.save("second").checkpoint.id.hex()
        restores, failures = 0, []
        with _thrashing(place):
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                try:
                    clew.restore((first, second)[restores % 2])
                except errors.ClewError as error:
                    failures.append(str(error))
                restores += 1

        assert differences(outside, look(place / "outside")) == []
        assert restores - len(failures) > 3, failures
        assert clew.store.check(read_data=True).whole
        assert clew.restore(first).verified
    _check_first(place)


def test_a_file_linked_from_outside_is_never_written_through(place: Path) -> None:
    project, victim = place / "project", place / "outside" / "victim"
    with opening.open(project, store=str(place / "store"), create=True) as clew:
        (project / "linked").write_text("as it was")
        (project / "linked").chmod(0o600)
        saved = clew.save("before").checkpoint.id.hex()
        (project / "linked").unlink()
        (project / "linked").hardlink_to(victim)
        outside = look(place / "outside")
        result = clew.restore(saved)

    assert result.verified
    assert (project / "linked").read_text() == "as it was"
    assert (project / "linked").stat().st_mode & 0o777 == 0o600
    assert differences(outside, look(place / "outside")) == []


def test_metadata_of_a_file_linked_from_outside_is_never_changed_in_place(place: Path) -> None:
    """pnpm and uv link from their stores; a chmod through one link would change the other."""
    project, victim = place / "project", place / "outside" / "victim"
    (project / "linked").hardlink_to(victim)
    with opening.open(project, store=str(place / "store"), create=True) as clew:
        saved = clew.save("before").checkpoint.id.hex()
        victim.chmod(0o444)  # through the other name
        outside = look(place / "outside")
        clew.restore(saved)

    assert (project / "linked").stat().st_mode & 0o777 == 0o640
    assert differences(outside, look(place / "outside")) == []


def test_a_root_that_became_a_symlink_is_not_followed(place: Path) -> None:
    project = place / "project"
    with opening.open(project, store=str(place / "store"), create=True) as clew:
        saved = clew.save("before").checkpoint.id.hex()
    remove(project)
    project.symlink_to(place / "outside")
    outside = look(place / "outside")
    try:
        with opening.open(project, store=str(place / "store")) as clew:
            clew.restore(saved)
    except errors.ClewError:
        pass  # refusing is fine

    assert differences(outside, look(place / "outside")) == []


@contextmanager
def _thrashing(place: Path) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, thrasher.__file__, place / "project", place / "outside"],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        assert process.poll() is None, "the thrasher gave up"
    finally:
        process.kill()
        process.wait()


def _check_first(place: Path) -> None:
    found: Tree = look(place / "project")

    assert b"one/deep/c" in found.facts
    assert (place / "project" / "one" / "a").read_text() == "project one/a\n"
    assert not any(path.startswith((b".clew", b".aside", b"made")) for path in found.facts)
