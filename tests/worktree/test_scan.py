"""The scan: one tree from many directories, in one or several processes, with changes meanwhile."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.model.entry import EntryKind, Reason
from clew.model.record import Uncovered
from clew.model.small_objects import Rules, decode_links
from clew.worktree.cache import WorktreeCache
from clew.worktree.scan import Job, walk_alone
from clew.worktree.walk import Walker, WalkResult
from tests.kit.removing import remove
from tests.operations.forks.forked import NOBODY, forked, needs_root
from tests.worktree.sink import Hook, Sink, scan_into, settle


def test_an_empty_directory_is_a_tree_of_its_own(tmp_path: Path) -> None:
    sink = Sink()

    found = scan_into(tmp_path, sink)

    assert list(sink.entries(found)) == [b""]
    assert found.coverage.files == 0


def test_the_same_files_give_the_same_ids_wherever_they_are(tmp_path: Path) -> None:
    for place in ("one", "other"):
        (tmp_path / place / "sub").mkdir(parents=True)
        (tmp_path / place / "sub" / "file").write_text("same")
        for path in ("sub/file", "sub", ""):
            os.utime(tmp_path / place / path, ns=(0, 1_700_000_000_123_456_789))

    one, other = scan_into(tmp_path / "one", Sink()), scan_into(tmp_path / "other", Sink())

    assert (one.tree, one.state, one.links) == (other.tree, other.state, other.links)


def test_times_are_in_the_tree_and_not_in_the_state(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    before = scan_into(tmp_path, Sink())
    os.utime(tmp_path / "file", ns=(0, 1))
    after = scan_into(tmp_path, Sink())

    assert before.tree != after.tree
    assert before.state == after.state


def test_hard_links_are_in_the_state(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("same")
    (tmp_path / "b").write_text("same")
    apart = scan_into(tmp_path, Sink())
    (tmp_path / "b").unlink()
    os.link(tmp_path / "a", tmp_path / "b")
    sink = Sink()
    together = scan_into(tmp_path, sink)

    assert decode_links(sink.get(together.links)) == [(b"a", b"b")]
    assert apart.state != together.state


def test_a_link_to_outside_is_no_group(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").write_text("x")
    os.link(tmp_path / "outside", tmp_path / "project" / "inside")
    sink = Sink()

    found = scan_into(tmp_path / "project", sink)

    assert decode_links(sink.get(found.links)) == []


def test_a_linked_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    for name in "bcdef":
        os.link(tmp_path / "a", tmp_path / name)
    sink = Sink()

    scan_into(tmp_path, sink)

    assert sink.reads() == 1


def test_excluded_names_are_in_the_tree_with_their_reason(tmp_path: Path) -> None:
    (tmp_path / "sub" / "build").mkdir(parents=True)
    (tmp_path / "sub" / "build" / "out").write_text("x")
    (tmp_path / "sub" / "kept").write_text("x")
    sink = Sink()

    found = scan_into(tmp_path, sink, rules=Rules((b"build/",)))

    entries = sink.entries(found)
    assert entries[b"sub/build"].reason == Reason.EXCLUDED
    assert b"sub/build/out" not in entries
    assert found.coverage.counts == (("excluded", 1),)


def test_files_above_the_limit_are_in_the_tree_with_their_reason(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "large").write_bytes(bytes(11))
    (tmp_path / "sub" / "just").write_bytes(bytes(10))
    (tmp_path / "link").symlink_to("a target of more than ten bytes")
    sink = Sink()

    found = scan_into(tmp_path, sink, rules=Rules(larger_than=10))

    entries = sink.entries(found)
    assert (entries[b"sub/large"].kind, entries[b"sub/large"].reason) == (
        EntryKind.UNCOVERED, Reason.LARGE,
    )  # fmt: skip
    assert entries[b"sub/just"].size == 10
    assert (entries[b"link"].kind, entries[b"sub"].kind) == (
        EntryKind.SYMLINK, EntryKind.DIRECTORY,
    )  # fmt: skip
    assert found.coverage.counts == (("too large", 1),)
    assert found.coverage.uncovered == (Uncovered(b"sub/large", Reason.LARGE),)
    assert found.coverage.complete
    assert (found.coverage.total_bytes, sink.reads()) == (10, 1)


def test_a_file_that_passes_the_limit_is_seen_with_a_warm_cache(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    cache = WorktreeCache(str(tmp_path / "cache"), "owner")
    sizes, sink = [], Sink()
    for size in (10, 11, 12, 9):
        (place / "file").write_bytes(bytes(size))
        settle()
        found = scan_into(place, sink, cache, rules=Rules(larger_than=10))
        entry = sink.entries(found)[b"file"]
        sizes.append(entry.size if entry.is_covered else None)
    cache.close()

    assert sizes == [10, None, None, 9]


def test_names_of_a_file_above_the_limit_are_no_links(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(11))
    os.link(tmp_path / "a", tmp_path / "b")
    sink = Sink()

    found = scan_into(tmp_path, sink, rules=Rules(larger_than=10))

    assert decode_links(sink.get(found.links)) == []
    assert found.linked_outside == []


def test_a_stage_at_the_top_is_never_captured(tmp_path: Path) -> None:
    (tmp_path / ".clew-0123456789abcdef").mkdir()
    (tmp_path / ".clew-notes").mkdir()
    sink = Sink()

    entries = sink.entries(scan_into(tmp_path, sink))

    assert entries[b".clew-0123456789abcdef"].reason == Reason.STAGE
    assert entries[b".clew-notes"].kind == EntryKind.DIRECTORY


# Depth


def _dig(place: Path, depth: int, name: str = "d") -> None:
    descriptor = os.open(place, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=descriptor)
        below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    with open(f"/proc/self/fd/{descriptor}/bottom", "w") as file:
        file.write("down here")
    os.close(descriptor)


def test_three_thousand_directories_deep(tmp_path: Path) -> None:
    _dig(tmp_path, 3000, "ten bytes.")
    sink = Sink()
    try:
        found = scan_into(tmp_path, sink)
    finally:
        remove(tmp_path / "ten bytes.")

    bottom = b"/".join([b"ten bytes."] * 3000 + [b"bottom"])
    assert sink.content(sink.entries(found)[bottom]) == b"down here"


def test_depth_is_not_bounded_by_descriptors(tmp_path: Path) -> None:
    _dig(tmp_path, 700)

    def scan_with_few() -> int:
        resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
        return scan_into(tmp_path, Sink()).coverage.files

    assert forked(scan_with_few) == 701


# Changes during the scan


def _when(content: bytes, act: Callable[[], object]) -> Hook:
    def hook(_: int, put: bytes) -> None:
        if put == content:
            act()

    return hook


@pytest.fixture
def forty(tmp_path: Path) -> Path:
    """Forty directories with two each: enough to distribute, none of them open while waiting."""
    for number in range(40):
        for sub in ("x", "y"):
            place = tmp_path / "tree" / f"{number:02}" / sub
            place.mkdir(parents=True)
            (place / "file").write_text(f"{number} {sub}")
    return tmp_path / "tree"


def test_directories_that_vanish_before_their_turn_are_absent(forty: Path) -> None:
    sink = Sink(_when(b"0 x", lambda: shutil.rmtree(forty / "30", ignore_errors=True)))

    entries = sink.entries(scan_into(forty, sink))

    assert b"31/x/file" in entries
    assert b"30/x" not in entries
    assert b"30/y" not in entries


def test_directories_swapped_for_symlinks_are_not_followed(forty: Path, tmp_path: Path) -> None:
    (tmp_path / "secret" / "x").mkdir(parents=True)
    (tmp_path / "secret" / "x" / "file").write_text("not in the workspace")

    def swap() -> None:
        if not (forty / "30").is_symlink():
            shutil.rmtree(forty / "30")
            (forty / "30").symlink_to(tmp_path / "secret")

    sink = Sink(_when(b"0 x", swap))

    found = scan_into(forty, sink)

    assert b"not in the workspace" not in sink.objects.values()
    assert b"30/x/file" not in sink.entries(found)


def test_what_comes_up_while_the_scan_runs_does_no_harm(forty: Path) -> None:
    sink = Sink(_when(b"0 x", lambda: (forty / "30" / "late").write_text("late")))

    scan_into(forty, sink)

    assert b"30/late" in sink.entries(scan_into(forty, sink))


@needs_root
def test_what_may_not_be_read_is_uncovered_and_the_rest_is_there(open_place: Path) -> None:
    def scan_as_nobody() -> dict[bytes, int]:
        for name in ("file", "directory", "listable", "enterable"):
            (open_place / name).mkdir() if name != "file" else (open_place / name).write_text("x")
        for name in ("directory", "listable", "enterable"):
            (open_place / name / "inside").write_text("x")
        (open_place / "good").write_text("x")
        (open_place / "file").chmod(0o000)
        (open_place / "directory").chmod(0o000)
        (open_place / "listable").chmod(0o400)
        (open_place / "enterable").chmod(0o100)
        sink = Sink()
        found = scan_into(open_place, sink)
        return {path: entry.reason for path, entry in sink.entries(found).items()}

    assert forked(scan_as_nobody, uid=NOBODY) == {
        b"": 0,
        b"good": 0,
        b"file": Reason.UNREADABLE,
        b"directory": Reason.UNREADABLE,
        b"listable": Reason.UNREADABLE,
        b"enterable": Reason.UNREADABLE,
    }


def test_the_top_is_opened_up_until_there_is_enough_to_share(forty: Path) -> None:
    shared: list[int] = []

    def share(walker: Walker, jobs: list[Job]) -> list[WalkResult]:
        shared.append(len(jobs))
        return walk_alone(walker, jobs)

    scan_into(forty, Sink(), share=share)

    assert shared == [80]
