"""A mount that appears, or disappears, during a scan: its content is never captured."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.model.entry import EntryKind, Reason
from clew.model.small_objects import Rules
from clew.monitor import Monitor
from clew.worktree.boundaries import Boundaries
from clew.worktree.cache import WorktreeCache
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult, scan
from tests.kit.filesystems import bound
from tests.operations.forks.forked import needs_root
from tests.worktree.sink import NO_MAPS, Hook, Sink, scan_into, settle

pytestmark = needs_root

MARKER = b"outside the workspace"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "d" / "deep" / "deeper").mkdir(parents=True)
    for directory in ("d", "d/deep", "d/deep/deeper"):
        (root / directory / "file").write_text(directory)
    (root / "first").write_text("read before any directory is opened")
    return root


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    (outside / "deeper").mkdir(parents=True)
    for path in ("file", "deeper/file", "of its own"):
        (outside / path).write_bytes(MARKER)
    os.mkfifo(outside / "fifo")
    outside.chmod(0o700)
    return outside


@pytest.mark.parametrize("covered", ["d", "d/deep", "d/deep/deeper"])
def test_a_directory_that_is_mounted_over_during_the_scan_is_not_entered(
    root: Path, outside: Path, covered: str
) -> None:
    with ExitStack() as mounts:
        sink = Sink(_once(lambda: mounts.enter_context(bound(outside, root / covered))))
        found = scan_into(root, sink)

    entry = sink.entries(found)[covered.encode()]
    assert (entry.kind, entry.reason) == (EntryKind.UNCOVERED, Reason.MOUNT)
    assert MARKER not in sink.objects.values()
    assert [(item.path, item.reason) for item in found.coverage.uncovered] == [
        (covered.encode(), Reason.MOUNT)
    ]


@pytest.mark.parametrize("source", ["outside/file", "outside/fifo", "/dev/null"])
@pytest.mark.parametrize("covered", ["d/file", "d/deep/deeper/file"])
def test_a_file_that_is_mounted_over_during_the_scan_is_not_read(
    root: Path, outside: Path, source: str, covered: str
) -> None:
    with ExitStack() as mounts:
        mount = bound(outside.parent / source, root / covered)
        sink = Sink(_once(lambda: mounts.enter_context(mount)))
        found = scan_into(root, sink)

    entry = sink.entries(found)[covered.encode()]
    assert (entry.kind, entry.reason) == (EntryKind.UNCOVERED, Reason.MOUNT)
    assert MARKER not in sink.objects.values()


def test_a_mount_that_is_gone_when_its_directory_is_opened(root: Path, outside: Path) -> None:
    expected = _attributes(scan_into(root, sink := Sink()), sink)
    boundaries = Boundaries(os.fsencode(root), Rules(), None)

    with ExitStack() as mounts:
        mounts.enter_context(bound(outside, root / "d"))
        sink = Sink(_once(mounts.close))
        with Root(os.fsencode(root)) as opened:
            cache = WorktreeCache(os.devnull + ".none", "nobody")
            found = scan(opened, boundaries, cache, NO_MAPS, sink.put, sink.get, Monitor())

    assert _attributes(found, sink) == expected


def test_the_next_scan_captures_what_the_mount_had_covered(
    root: Path, outside: Path, tmp_path: Path
) -> None:
    settle()
    cache = WorktreeCache(str(tmp_path / "cache"), "somebody")
    with ExitStack() as mounts:
        sink = Sink(_once(lambda: mounts.enter_context(bound(outside, root / "d" / "deep"))))
        scan_into(root, sink, cache)
    sink.hook = None

    again = scan_into(root, sink, cache)

    assert again.tree == scan_into(root, Sink()).tree


def test_a_directory_that_was_exchanged_after_the_listing_is_captured_as_itself(
    root: Path, tmp_path: Path
) -> None:
    other = root / "other"
    other.mkdir()
    (other / "file").write_text("other")
    settle()
    cache = WorktreeCache(str(tmp_path / "cache"), "somebody")
    sink = Sink()
    scan_into(root, sink, cache)
    (root / "first").write_text("changed, so that it is read")

    def exchange() -> None:
        (root / "d").rename(root / "third")
        other.rename(root / "d")

    sink.hook = _once(exchange)
    found = scan_into(root, sink, cache)
    entry = sink.entries(found)[b"d/file"]
    assert sink.content(entry) == b"other"

    sink.hook = None
    assert scan_into(root, sink, cache).tree == scan_into(root, Sink()).tree


def _once(action: Callable[[], object]) -> Hook:
    """Return a hook of a sink that acts before the first object is stored."""
    waiting = [action]

    def hook(_kind: int, _content: bytes) -> None:
        if waiting:
            waiting.pop()()

    return hook


def _attributes(found: ScanResult, sink: Sink) -> list[object]:
    return [
        (path, entry.kind, entry.mode, entry.uid, entry.mtime_ns, entry.size)
        for path, entry in sink.entries(found).items()
    ]
