"""The stage: complete files, with holes for zeros, on the filesystem of their target."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.content import BLOCK
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.worktree.boundaries import is_stage_name, stage_name
from clew.worktree.create_entry import write_sparse
from clew.worktree.metadata import MetadataWriter
from clew.worktree.root import Root
from clew.worktree.stage import Stage, Stager
from clew.worktree.steps import RestoreStep, Steps

CONTENTS = {ObjectId(b"1" * 32): b"first", ObjectId(b"2" * 32): b"second"}


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    with Root(os.fsencode(tmp_path)) as root:
        yield root


def file(name: bytes, content: bytes, mode: int = 0o640) -> Entry:
    (identifier,) = [key for key, value in CONTENTS.items() if value == content]
    return Entry(
        name,
        EntryKind.FILE,
        mode,
        os.getuid(),
        os.getgid(),
        1_000_000_007,
        len(content),
        identifier,
    )


def stager(stage: Stage) -> Stager:
    return Stager(
        stage,
        MetadataWriter(lambda _: {}),
        lambda wanted: ((one, CONTENTS[one]) for one in wanted),
        lambda one, _: iter([CONTENTS[one]]),
    )


def fill(stage: Stage, *steps: RestoreStep, groups: tuple[tuple[bytes, ...], ...] = ()) -> Stager:
    made = stager(stage)
    problems: list[object] = []
    made.fill(
        Steps((), (), (), steps, (), (), groups),
        lambda *problem: problems.append(problem),
        lambda done, total: None,
    )
    assert problems == []
    return made


def test_a_stage_has_a_name_that_a_scan_knows() -> None:
    assert is_stage_name(stage_name().encode())
    assert stage_name() != stage_name()
    assert not any(
        map(is_stage_name, [b".clew-", b".clew-xyz", b".clew-" + b"0" * 15, b".clew-" + b"G" * 16])
    )


def test_staged_files_are_complete_and_in_place_of_nothing(root: Root, tmp_path: Path) -> None:
    stage = Stage(root, ".clew-1", set())

    fill(
        stage,
        RestoreStep(b"sub/a", None, file(b"a", b"first")),
        RestoreStep(b"b", None, file(b"b", b"second", 0o4711)),
        RestoreStep(b"link", None, Entry(b"link", EntryKind.SYMLINK, 0o777, os.getuid(), os.getgid(), target=b"a")),
    )  # fmt: skip

    place = tmp_path / ".clew-1"
    assert sorted(os.listdir(tmp_path)) == [".clew-1"]
    assert place.stat().st_mode & 0o777 == 0o700
    assert [(place / "0").read_bytes(), (place / "1").read_bytes()] == [b"first", b"second"]
    assert (place / "1").stat().st_mode & 0o7777 == 0o4711
    assert (place / "0").stat().st_mtime_ns == 1_000_000_007
    assert os.readlink(place / "2") == "a"


def test_names_that_must_be_one_inode_are(root: Root, tmp_path: Path) -> None:
    stage = Stage(root, ".clew-1", set())
    steps = [RestoreStep(name, None, file(name, b"first")) for name in (b"a", b"b", b"c")]

    fill(stage, *steps, groups=((b"a", b"c"),))

    inodes = [(tmp_path / ".clew-1" / str(number)).stat().st_ino for number in range(3)]
    assert inodes[0] == inodes[2] != inodes[1]


def test_a_stage_is_removed_with_all_that_is_in_it(root: Root, tmp_path: Path) -> None:
    stage = Stage(root, ".clew-1", set())
    fill(stage, RestoreStep(b"a", None, file(b"a", b"first")))

    stage.remove()

    assert os.listdir(tmp_path) == []


def test_a_stage_left_behind_can_be_opened_again(root: Root, tmp_path: Path) -> None:
    stage = Stage(root, ".clew-1", set())
    fill(stage, RestoreStep(b"a", None, file(b"a", b"first")))
    stage.close()

    again = Stage(root, ".clew-1", set())
    again.open_existing([b"", b"never there"])

    assert [(region, name) for region, _, name in again.items()] == [(b"", b"0")]
    again.remove()
    assert os.listdir(tmp_path) == []


def test_a_directory_that_is_not_made_yet_is_on_the_filesystem_above_it(root: Root) -> None:
    stage = Stage(root, ".clew-1", set())

    first = stage.directory_for(b"not/there/yet")

    assert stage.directory_for(b"") == first
    stage.remove()


def test_a_mount_that_is_entered_gets_a_stage_of_its_own(root: Root, tmp_path: Path) -> None:
    (tmp_path / "home" / "user").mkdir(parents=True)
    stage = Stage(root, ".clew-1", {b"home"})

    assert stage.regions([b"home/user/file", b"home", b"file"]) == [b"", b"home"]
    stage.directory_for(b"home/user")

    assert (tmp_path / "home" / ".clew-1").is_dir()
    stage.remove()


@settings(max_examples=40, deadline=None)
@given(
    runs=st.lists(st.tuples(st.booleans(), st.integers(1, 2 * BLOCK)), max_size=6),
    cut=st.integers(1, 3 * BLOCK),
)
def test_whatever_is_written_sparsely_is_read_back_whole(
    runs: list[tuple[bool, int]], cut: int
) -> None:
    content = b"".join((b"\0" if is_zero else b"x") * length for is_zero, length in runs)
    pieces = (content[at : at + cut] for at in range(0, len(content), cut))
    descriptor = os.memfd_create("sparse")

    write_sparse(descriptor, pieces)

    assert os.pread(descriptor, len(content) + 1, 0) == content
    os.close(descriptor)


def test_aligned_zeros_become_a_hole(tmp_path: Path) -> None:
    content = b"x" * BLOCK + bytes(4 * BLOCK) + b"y"
    descriptor = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)

    write_sparse(descriptor, iter([content]))
    os.fsync(descriptor)

    assert os.lseek(descriptor, 0, os.SEEK_HOLE) == BLOCK
    assert os.lseek(descriptor, BLOCK, os.SEEK_DATA) == 5 * BLOCK
    os.close(descriptor)


def test_a_file_that_is_one_hole_takes_no_room(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)

    write_sparse(descriptor, iter([bytes(BLOCK)] * 8))

    assert (os.fstat(descriptor).st_size, os.fstat(descriptor).st_blocks) == (8 * BLOCK, 0)
    os.close(descriptor)
