"""The cache saves reads; a damaged or outdated one costs only one scan."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from clew.model.ids import ObjectId, StateId
from clew.worktree.cache import CachedDirectory, DirectoryUpdate, WorktreeCache, directory_number
from clew.worktree.processes import SharedMaps
from tests.worktree.sink import Sink, scan_into, settle

DIRECTORY = CachedDirectory(b"k" * 32, ObjectId(b"t" * 32), StateId(b"s" * 32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.db"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Three directories with two files each, old enough to be trusted."""
    for directory in ("a", "a/deep", "b"):
        (tmp_path / "tree" / directory).mkdir(parents=True)
        for name in ("one", "two"):
            (tmp_path / "tree" / directory / name).write_text(f"{directory} {name}")
    settle()
    return tmp_path / "tree"


@pytest.fixture
def opened() -> Iterator[Callable[..., WorktreeCache]]:
    """Caches that are closed at the end."""
    caches: list[WorktreeCache] = []

    def open_cache(path: Path, owner: str = "owner") -> WorktreeCache:
        caches.append(WorktreeCache(str(path), owner))
        return caches[-1]

    yield open_cache
    for cache in caches:
        cache.close()


Opened = Callable[..., WorktreeCache]


def test_the_same_inodes_are_known_again_on_another_device(path: Path, opened: Opened) -> None:
    rows = [(b"name", 1, 2, 3, 4)]
    opened(path).update([DirectoryUpdate(directory_number(7, 42), DIRECTORY, rows, set())], [])
    later = opened(path)
    later.shown_on(9, was=7)

    assert later.directories == {directory_number(9, 42): DIRECTORY}
    assert later.keys(directory_number(9, 42)) == {b"name": (1, 2, 3, 4)}
    assert later.keys(directory_number(7, 42)) == {}

    later.update([DirectoryUpdate(directory_number(9, 43), DIRECTORY, rows, set())], [])

    assert list(opened(path).directories) == [directory_number(7, 42)]


def test_what_was_told_is_there_for_the_next_process(path: Path, opened: Opened) -> None:
    rows = [(b"name", 1, 2, 3, 4), (b"other", 5, 6, 7, 8)]
    opened(path).update([DirectoryUpdate(-7, DIRECTORY, rows, set())], [])

    later = opened(path)

    assert later.directories == {-7: DIRECTORY}
    assert later.keys(-7) == {b"name": (1, 2, 3, 4), b"other": (5, 6, 7, 8)}
    assert later.keys(-7)[b"other"] == (5, 6, 7, 8)


def test_untrusted_names_have_no_key(path: Path, opened: Opened) -> None:
    rows = [(b"racy", 1, 2, 3, 4), (b"settled", 5, 6, 7, 8)]
    opened(path).update([DirectoryUpdate(1, DIRECTORY, rows, {b"racy"})], [])

    later = opened(path)

    assert later.keys(1) == {b"settled": (5, 6, 7, 8)}
    assert b"racy" not in later.keys(1)


def test_a_directory_that_is_gone_is_forgotten(path: Path, opened: Opened) -> None:
    cache = opened(path)
    cache.update([DirectoryUpdate(number, DIRECTORY, [], set()) for number in (1, 2)], [])
    cache.update([], [1])

    assert list(opened(path).directories) == [2]
    assert opened(path).keys(1) == {}


def test_an_unknown_directory_has_no_keys(path: Path, opened: Opened) -> None:
    assert opened(path).keys(12) == {}


def test_device_and_inode_are_told_apart_and_fit_a_row() -> None:
    numbers = [directory_number(device, inode) for device in range(50) for inode in range(50)]
    largest = directory_number(2**64 - 1, 2**64 - 1)

    assert len(set(numbers)) == len(numbers)
    assert all(-(2**63) <= number < 2**63 for number in [*numbers, largest])


@pytest.mark.parametrize("owner", ["another store", "owner "])
def test_another_owners_cache_is_empty_and_can_be_filled_again(
    path: Path, opened: Opened, owner: str
) -> None:
    opened(path).update([DirectoryUpdate(1, DIRECTORY, [], set())], [])

    ours = opened(path, owner)
    assert ours.directories == {}
    ours.update([DirectoryUpdate(2, DIRECTORY, [], set())], [])

    assert list(opened(path, owner).directories) == [2]


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 99, b"SQLite format 3\x00"])
def test_a_file_that_is_no_cache_is_an_empty_one(
    path: Path, opened: Opened, content: bytes
) -> None:
    path.write_bytes(content)

    cache = opened(path)
    assert cache.directories == {}
    cache.update([DirectoryUpdate(3, DIRECTORY, [], set())], [])

    assert list(opened(path).directories) == [3]


def test_a_directory_in_the_place_of_the_cache_is_survived(path: Path, opened: Opened) -> None:
    path.mkdir()

    cache = opened(path)
    cache.update([DirectoryUpdate(3, DIRECTORY, [], set())], [])

    assert cache.directories == {}


def test_the_cache_is_for_its_owner_only(path: Path, opened: Opened) -> None:
    opened(path).update([DirectoryUpdate(1, DIRECTORY, [], set())], [])

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_changed_row_is_not_believed(path: Path, opened: Opened) -> None:
    opened(path).update([DirectoryUpdate(1, DIRECTORY, [(b"n", 1, 2, 3, 4)], set())], [])
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE directories SET tree = zeroblob(32)")
    connection.close()

    assert opened(path).directories == {}


def test_changed_stat_keys_are_not_believed(path: Path, opened: Opened) -> None:
    opened(path).update([DirectoryUpdate(1, DIRECTORY, [(b"n", 1, 2, 3, 4)], set())], [])
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE stat_keys SET content = zeroblob(length(content))")
    connection.close()

    assert opened(path).keys(1) == {}


def test_a_truncated_or_damaged_cache_never_changes_the_tree(
    path: Path, tree: Path, opened: Opened
) -> None:
    sink = Sink()
    expected = scan_into(tree, sink, opened(path)).tree
    (tree / "b" / "one").write_text("changed")
    settle()
    changed = scan_into(tree, Sink(objects=sink.objects)).tree
    assert changed != expected
    good = path.read_bytes()
    noise = random.Random(11)
    for _ in range(60):
        bad = bytearray(good)
        if noise.random() < 0.3:
            del bad[noise.randrange(len(bad)) :]
        else:
            bad[noise.randrange(len(bad))] ^= 1 << noise.randrange(8)
        path.write_bytes(bad)

        cache = opened(path)
        assert scan_into(tree, sink, cache).tree == changed
        cache.close()
        assert scan_into(tree, sink, opened(path)).tree == changed


# What it saves


def test_an_unchanged_tree_is_not_read_again(path: Path, tree: Path, opened: Opened) -> None:
    sink = Sink()
    first = scan_into(tree, sink, opened(path))
    assert (sink.reads(), sink.trees()) == (6, 5)

    second = scan_into(tree, sink, opened(path))

    assert (second.tree, second.state) == (first.tree, first.state)
    assert (sink.reads(), sink.trees()) == (0, 1)  # the root's own entry is always stored
    assert second.updates == []
    assert second.coverage == first.coverage


def test_a_moved_directory_is_not_read_again(path: Path, tree: Path, opened: Opened) -> None:
    sink = Sink()
    scan_into(tree, sink, opened(path))
    sink.reads()
    (tree / "a").rename(tree / "b" / "moved")
    settle()

    moved = scan_into(tree, sink, opened(path))

    assert sink.reads() == 0
    assert moved.tree == scan_into(tree, Sink()).tree


def test_a_change_deep_down_reads_one_file_and_makes_the_trees_above_it(
    path: Path, tree: Path, opened: Opened
) -> None:
    sink = Sink()
    scan_into(tree, sink, opened(path))
    (tree / "a" / "deep" / "two").write_text("changed")
    settle()
    sink.put_kinds = []

    changed = scan_into(tree, sink, opened(path))

    assert (sink.reads(), sink.trees()) == (1, 4)  # deep, a, the top, and the root's entry
    assert changed.tree == scan_into(tree, Sink()).tree


def test_a_file_that_may_change_within_the_tick_is_read_again(
    path: Path, tree: Path, opened: Opened
) -> None:
    sink = Sink()
    reads = []
    before = (tree / "b" / "one").stat().st_ctime_ns - 3_600_000_000_000  # an hour, to be sure
    for _ in range(2):
        scan_into(tree, sink, opened(path), started_ns=before)
        reads.append(sink.reads())
    for _ in range(2):  # no longer fresh: read once more, and then never again
        scan_into(tree, sink, opened(path))
        reads.append(sink.reads())

    assert reads == [6, 6, 6, 0]


def test_a_file_mapped_for_writing_is_read_again_once_the_map_is_closed(
    path: Path, tree: Path, opened: Opened
) -> None:
    mapped = SharedMaps(frozenset([(tree / "b" / "one").stat().st_ino]), 0)
    sink = Sink()
    scan_into(tree, sink, opened(path), maps=mapped)
    sink.reads()

    scan_into(tree, sink, opened(path))
    first_time = sink.reads()
    scan_into(tree, sink, opened(path))

    assert (first_time, sink.reads()) == (1, 0)


def test_a_directory_that_was_deleted_leaves_the_cache(
    path: Path, tree: Path, opened: Opened
) -> None:
    sink = Sink()
    cache = opened(path)
    scan_into(tree, sink, cache)
    before = len(cache.directories)
    shutil.rmtree(tree / "a")

    scan_into(tree, sink, cache)

    assert len(opened(path).directories) == before - 2


@pytest.mark.parametrize("seed", range(6))
def test_any_part_of_the_cache_gives_the_same_tree(
    path: Path, tree: Path, opened: Opened, seed: int
) -> None:
    sink = Sink()
    cache = opened(path)
    scan_into(tree, sink, cache)
    (tree / "a" / "new").write_text("since then")
    (tree / "b" / "one").unlink()
    noise = random.Random(seed)
    cache.update([], [number for number in list(cache.directories) if noise.random() < 0.5])

    assert scan_into(tree, sink, opened(path)).tree == scan_into(tree, Sink()).tree
