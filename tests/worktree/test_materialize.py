"""A tree is written as files, exact to the last attribute, and nothing else is touched."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.errors import ClewError, ScanFailed
from clew.model.content import BLOB_LIMIT
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.model.small_objects import Rules, decode_links
from clew.monitor import Monitor
from clew.worktree.fill_directories import ContentSource
from clew.worktree.materialize import Materialised, materialise
from clew.worktree.scan import ScanResult
from tests.kit import everything
from tests.kit.walker import differences, look
from tests.operations.forks.forked import NOBODY, forked, needs_root
from tests.worktree.sink import Sink, scan_into

Read = Callable[[ObjectId], bytes]


def source(sink: Sink, read: Read | None = None) -> ContentSource:
    """Return a sink's objects as a source; `read` intercepts reads."""
    get = read or sink.get

    def get_many(wanted: list[ObjectId]) -> Iterator[tuple[ObjectId, bytes]]:
        return ((one, get(one)) for one in wanted)

    def content(identifier: ObjectId, size: int) -> Iterator[bytes]:
        return iter([sink.content(Entry(b"x", EntryKind.FILE, size=size, content=identifier))])

    return ContentSource(sink.get, get_many, content, list, lambda: source(sink, read))


def copy(
    tree: Path,
    copy: Path,
    *,
    rules: Rules = Rules(),
    read: Read | None = None,
    processes: int = 2,
) -> Materialised:
    """Scan a directory and write the tree to another."""
    sink = Sink()
    found = scan_into(tree, sink, rules=rules)
    return write(found, sink, copy, read, processes)


def write(
    found: ScanResult, sink: Sink, copy: Path, read: Read | None = None, processes: int = 2
) -> Materialised:
    copy.mkdir(mode=0o700)
    links = decode_links(sink.get(found.links))
    return materialise(
        os.fsencode(copy), found.tree, links, source(sink, read), Monitor(), processes=processes
    )


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """More files than one process would write alone, with duplicates and hard links among them."""
    root = tmp_path / "many"
    for number in range(60):
        place = root / f"{number:02}"
        place.mkdir(parents=True)
        for other in range(40):
            (place / f"{other}").write_text(f"{number * other % 977}")
        os.link(root / "00" / "1", place / "one of sixty")
    (root / "large").write_bytes(b"large" * BLOB_LIMIT)
    return root


@needs_root
def test_everything_is_as_it_was(filesystem: Path) -> None:
    refused = everything.build(filesystem / "tree")
    made = copy(filesystem / "tree", filesystem / "copy")

    assert differences(look(filesystem / "tree"), look(filesystem / "copy")) == []
    assert made.problems == ()
    assert ("inode flags" in refused) == made.may_be_layered


def test_paths_deeper_than_path_max_are_made(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    everything.build_deep(tmp_path / "tree")
    made = copy(tmp_path / "tree", tmp_path / "copy")

    assert differences(look(tmp_path / "tree"), look(tmp_path / "copy")) == []
    assert not made.may_be_layered


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_nobody_can_tell_how_many_processes_wrote_it(
    many: Path, tmp_path: Path, processes: int
) -> None:
    made = copy(many, tmp_path / "copy", processes=processes)

    assert differences(look(many), look(tmp_path / "copy")) == []
    assert made == Materialised((), True)


def test_holes_stay_holes(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    with open(tmp_path / "tree" / "sparse", "wb") as file:
        file.write(b"begin")
        file.truncate(64 << 20)
    copy(tmp_path / "tree", tmp_path / "copy")

    assert (tmp_path / "copy" / "sparse").stat().st_size == 64 << 20
    assert (tmp_path / "copy" / "sparse").stat().st_blocks * 512 < 1 << 20


def test_what_is_not_covered_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "tree" / "build" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "kept").write_text("x")
    copy(tmp_path / "tree", tmp_path / "copy", rules=Rules((b"build",)))

    assert os.listdir(tmp_path / "copy") == ["kept"]


@needs_root
def test_an_ordinary_user_is_told_what_only_root_gives_back(open_place: Path) -> None:
    tree = open_place / "tree"
    tree.mkdir()
    (tree / "theirs").write_text("x")
    os.mknod(tree / "null", 0o020666, os.makedev(1, 3))
    os.link(tree / "null", tree / "zero")
    sink = Sink()
    found = scan_into(tree, sink)

    troubles = forked(lambda: write(found, sink, open_place / "copy").problems, uid=NOBODY)

    assert {path for path, _ in troubles} == {b"", b"theirs", b"null", b"zero"}
    assert (b"theirs", "owner: Operation not permitted") in troubles
    assert (b"zero", "character device: Operation not permitted") in troubles
    assert os.listdir(open_place / "copy") == ["theirs"]


@needs_root
@pytest.mark.parametrize("spoiler", ["whiteout", "attribute", "flag", "long"])
def test_what_an_overlay_would_show_wrongly_is_noticed(on_ext4: Path, spoiler: str) -> None:
    tree = on_ext4 / "tree"
    place = tree / "a" / "b"
    place.mkdir(parents=True)
    (place / "file").write_text("x")
    if spoiler == "whiteout":
        os.mknod(place / "gone", 0o020000, os.makedev(0, 0))
    elif spoiler == "attribute":
        os.setxattr(place, "trusted.overlay.opaque", b"y")
    elif spoiler == "flag":
        everything._tool("chattr", "+d", place / "file")
    else:
        (place / ("d" * 200) / ("e" * 60)).mkdir(parents=True)

    made = copy(tree, on_ext4 / "copy")

    assert not made.may_be_layered
    assert differences(look(tree), look(on_ext4 / "copy")) == []


@pytest.mark.parametrize("processes", [1, 3])
def test_a_full_disk_is_a_full_disk_whoever_hits_it(
    many: Path, tmp_path: Path, processes: int
) -> None:
    def fail(_: ObjectId) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        copy(many, tmp_path / "copy", read=fail, processes=processes)

    with pytest.raises(ChildProcessError):  # no child process is left
        os.waitpid(-1, os.WNOHANG)


def test_a_helper_that_dies_takes_the_copy_with_it(many: Path, tmp_path: Path) -> None:
    sink, parent = Sink(), os.getpid()
    found = scan_into(many, sink)

    def die(identifier: ObjectId) -> bytes:
        if os.getpid() != parent:
            os._exit(7)
        return sink.get(identifier)

    with pytest.raises(ScanFailed, match="died"):
        write(found, sink, tmp_path / "copy", die)


def test_nothing_that_is_there_is_replaced_or_followed(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_text("from the tree")
    (tmp_path / "precious").write_text("outside")
    sink = Sink()
    found = scan_into(tmp_path / "tree", sink)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "file").symlink_to(tmp_path / "precious")

    with pytest.raises(FileExistsError):
        materialise(os.fsencode(tmp_path / "copy"), found.tree, [], source(sink), Monitor())

    assert (tmp_path / "precious").read_text() == "outside"


def test_a_link_to_what_is_nowhere_becomes_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "b").write_text("x")
    sink = Sink()
    found = scan_into(tmp_path / "tree", sink)
    (tmp_path / "copy").mkdir()
    made = materialise(
        os.fsencode(tmp_path / "copy"), found.tree, [(b"a", b"b")], source(sink), Monitor()
    )

    assert (tmp_path / "copy" / "b").read_text() == "x"
    assert [path for path, _ in made.problems] == [b"b"]


def test_an_object_that_is_missing_is_an_error_of_the_store(many: Path, tmp_path: Path) -> None:
    def missing(_: ObjectId) -> bytes:
        raise ClewError("gone")

    with pytest.raises(ClewError, match="gone"):
        copy(many, tmp_path / "copy", read=missing)
