"""Derive a story in a worker, which opens the store and the trees for itself.

Imported only when trees differ: an unchanged save does not need it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from clew.detectors.detector import Evidence
from clew.detectors.module_paths import DETAILS
from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.entry import Entry
from clew.model.fact import Fact
from clew.model.story import UNTOLD, Story, StoryLine
from clew.model.tree import Get
from clew.operations.context import Context
from clew.operations.history.moment import StorySide
from clew.store.store import ChildObjects
from clew.story.budget import WorkerLimits
from clew.story.plugins import plugged_in
from clew.story.snapshot import SnapshotTree, path_changes
from clew.story.worker import StoryTask, tell
from clew.worktree.root import Root

_PIECE = 1 << 20


def derive_story(
    context: Context,
    old: StorySide,
    new: StorySide,
    live: Sequence[Fact],
    limits: WorkerLimits | None = None,
) -> Story:
    """Return the story between two states; `live` are the facts that no path shows."""
    with _scratch(context) as scratch:
        make_task = partial(_make_task, context, old, new, tuple(live), scratch)
        seconds = context.host.story_seconds
        if limits is None and seconds is not None:
            limits = WorkerLimits(seconds)
        story = tell(make_task, limits or WorkerLimits())
        context.host.fail_point("story.analysed")
        if not os.path.isdir(scratch):
            # Swept by a gc, for lack of a lock: detectors missed what they had put there.
            story = None
    return story or _untold(live)


def _make_task(
    context: Context, old: StorySide, new: StorySide, live: Sequence[Fact], scratch: str
) -> StoryTask:
    plugins = plugged_in(context.store.settings.all(context.workspace))
    evidence = partial(_open_evidence, context, old, new, scratch)
    details = DETAILS.union(detector.name for detector in plugins)
    return StoryTask(evidence, (*plugins, *DETECTORS), SORTERS, live, details)


def _untold(facts: Sequence[Fact]) -> Story:
    text = "there was no time to analyse the changes; `clew diff` lists them"
    return Story(UNTOLD, tuple(facts), (StoryLine("Not analysed", text),))


# In the worker


def _open_evidence(context: Context, old: StorySide, new: StorySide, scratch: str) -> Evidence:
    own = ChildObjects(context.store)  # a database connection must not cross a fork
    before, after = _tree(context, old, own), _tree(context, new, own)
    get = _merged(old, new, own)
    changes = path_changes(old.tree, new.tree, get)
    machine = context.info.machine or _looks_like_machine(after)
    return Evidence(before, after, changes, machine=machine, scratch=scratch)


def _tree(context: Context, moment: StorySide, own: ChildObjects) -> SnapshotTree:
    if moment.live is None:
        return SnapshotTree(
            moment.tree, own.get, lambda _, entry: own.content(entry.content, entry.size)
        )
    root = Root(context.root, cross_mounts=True)
    return SnapshotTree(
        moment.tree,
        moment.live.over(own.get).get,
        lambda path, _: _read_live(root, path),
        partial(_open_live, root),
    )


def _merged(old: StorySide, new: StorySide, own: ChildObjects) -> Get:
    live = old.live or new.live
    return live.over(own.get).get if live is not None else own.get


def _read_live(root: Root, path: bytes) -> Iterator[bytes]:
    """Yield the live content of a file; it may have changed or gone since the scan."""
    try:
        descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    with os.fdopen(descriptor, "rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _open_live(root: Root, path: bytes) -> LiveReader | None:
    try:
        return LiveReader(root.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return None


class LiveReader:
    """Random access to a file of the disk, through a descriptor that it closes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def __del__(self) -> None:
        os.close(self._descriptor)

    def read(self, at: int, length: int) -> bytes:
        return os.pread(self._descriptor, length, at) if at >= 0 else b""

    def runs(self, at: int, length: int) -> tuple[object, ...]:
        return ()


def _looks_like_machine(tree: SnapshotTree) -> bool:
    top: dict[str, Entry] = dict(tree.entries(""))
    return {"etc", "usr", "var"} <= top.keys() and tree.entry("etc/passwd") is not None


@contextmanager
def _scratch(context: Context) -> Iterator[str]:
    """Create a private directory for content that can only be read from files."""
    home = context.store.layout.tmp if context.store.writable else "/tmp"  # noqa: S108 - 0700, random
    path = os.path.join(home, f"story-{os.urandom(8).hex()}")
    os.mkdir(path, 0o700)
    try:
        yield path
    finally:
        try:
            os.rmdir(path)
        except OSError:  # a worker was killed before it cleaned up
            from shutil import rmtree  # noqa: PLC0415  8 ms that are nearly never needed

            rmtree(path, ignore_errors=True)
