"""Stories that commits have left out are derived later, without a lock, newest first."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.operations.history.missing_stories import derive_missing_stories, next_missing
from clew.story.budget import WorkerLimits
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.operations.quiet import quiet

__all__ = ["quiet"]

pytestmark = pytest.mark.usefixtures("quiet")

WORKER_LIMITS = WorkerLimits(30.0)


def hook(ws: Workspace, project: Path, text: str) -> CheckpointId:
    """Change a file and save as a hook does."""
    (project / ".env").write_text(text)
    return ws.save(text, origin=Origin.HOOK).checkpoint.id


def derive_all(
    ws: Workspace,
    tried: set[CheckpointId] | None = None,
    *,
    count: int = 100,
    seconds: float = 600.0,
    limits: WorkerLimits = WORKER_LIMITS,
) -> int:
    tried = set() if tried is None else tried
    return derive_missing_stories(
        ws._access.context, tried, count=count, seconds=seconds, limits=limits
    )


def headlines(ws: Workspace) -> dict[CheckpointId, str]:
    found = ws._access.store.stories.headlines(ws._access.info.uuid)
    return {identifier: kept.headline for identifier, kept in found.items()}


@pytest.fixture
def hooked(ws: Workspace, project: Path) -> list[CheckpointId]:
    """Three checkpoints of hooks, oldest first, after one saved by hand."""
    (project / ".env").write_text("A=1\n")
    save(ws, "first")
    return [hook(ws, project, f"A=1\n{key}=1\n") for key in "BCD"]


class Derived(list[CheckpointId]):
    """The checkpoints whose story is derived, in this order."""

    def __init__(self, host: FakeHost) -> None:
        self.tried: set[CheckpointId] = set()
        host.when("story.derive", self._record)

    def _record(self) -> None:
        self.append(*(self.tried.difference(self) or self[-1:]))


@pytest.fixture
def derived(quiet: FakeHost) -> Derived:
    return Derived(quiet)


def make_older(ws: Workspace) -> None:
    """Let every stored story be of another version of the detectors."""
    ws._access.store.database.execute("UPDATE stories SET version = 'older'")


def test_all_missing_stories_are_stored_newest_first(
    ws: Workspace, hooked: list[CheckpointId], derived: Derived
) -> None:
    assert derive_all(ws, derived.tried) == 3

    assert derived == hooked[::-1]
    assert [headlines(ws)[one] for one in hooked] == [".env +B", ".env −B and +C", ".env −C and +D"]
    assert derive_all(ws) == 0


def test_no_more_are_derived_than_asked_for(
    ws: Workspace, hooked: list[CheckpointId], derived: Derived
) -> None:
    assert derive_all(ws, derived.tried, count=1) == 1
    assert derived == hooked[:1:-1]
    assert derive_all(ws, seconds=0.0) == 0
    assert len(derived) == 1


def test_a_newer_checkpoint_is_next_although_older_ones_wait(
    ws: Workspace,
    project: Path,
    hooked: list[CheckpointId],
    derived: Derived,
    quiet: FakeHost,
) -> None:
    added: list[CheckpointId] = []
    quiet.when("story.derived", lambda: added.append(hook(ws, project, "E=1\n")), number=1)

    derive_all(ws, derived.tried)

    assert derived == [hooked[2], *added, hooked[1], hooked[0]]


def test_a_story_of_another_version_is_replaced(ws: Workspace, hooked: list[CheckpointId]) -> None:
    derive_all(ws)
    make_older(ws)

    assert derive_all(ws) == 4
    assert derive_all(ws) == 0


def test_a_story_whose_parent_is_gone_is_never_replaced(
    ws: Workspace, hooked: list[CheckpointId]
) -> None:
    derive_all(ws)
    ws.delete([hooked[1].hex()])
    make_older(ws)

    assert derive_all(ws) == 2
    assert headlines(ws)[hooked[2]] == ".env −C and +D"


def test_a_story_lost_with_its_parent_is_derived_since_an_ancestor(
    ws: Workspace, hooked: list[CheckpointId]
) -> None:
    ws.delete([hooked[1].hex()])

    assert derive_all(ws) == 2
    assert headlines(ws)[hooked[2]] == ".env −B and +D"


def test_the_locks_of_the_store_are_free_while_a_story_is_derived(
    ws: Workspace, store: Path, hooked: list[CheckpointId], quiet: FakeHost
) -> None:
    free: list[bool] = []

    def try_all() -> None:
        for path in (store / "locks").iterdir():
            descriptor = os.open(path, os.O_RDWR)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(descriptor)
            free.append(True)

    quiet.when("story.derived", try_all, number=1)
    derive_all(ws)

    assert len(free) >= 2


def test_a_checkpoint_deleted_meanwhile_gets_no_row(
    ws: Workspace, hooked: list[CheckpointId], quiet: FakeHost
) -> None:
    quiet.when("story.derived", lambda: ws.delete([hooked[2].hex()]), number=1)

    assert derive_all(ws) == 2
    rows = ws._access.store.database.execute("SELECT checkpoint FROM stories")
    assert (hooked[2],) not in rows


def test_after_a_gc_meanwhile_the_story_is_derived_again(
    ws: Workspace,
    hooked: list[CheckpointId],
    derived: Derived,
    quiet: FakeHost,
) -> None:
    def collect() -> None:
        generation = ws._access.store.generation
        ws.delete([hooked[0].hex()])
        assert ws._access.store.generation > generation

    quiet.when("story.derived", collect, number=1)

    assert derive_all(ws, derived.tried) == 2
    assert derived == [hooked[2], hooked[2], hooked[1]]


def test_what_cannot_be_derived_is_tried_once_and_the_others_are_stored(
    ws: Workspace, hooked: list[CheckpointId], quiet: FakeHost
) -> None:
    tried: set[CheckpointId] = set()

    with quiet.at("story.derive", OSError("no disk"), number=1):
        assert derive_all(ws, tried) == 2
    assert tried == set(hooked)
    assert next_missing(ws._access.context, tried) is None
    assert hooked[2] not in headlines(ws)
    assert next_missing(ws._access.context, set()) is not None


def test_a_story_for_which_even_this_time_was_short_says_so_and_is_not_tried_again(
    ws: Workspace, hooked: list[CheckpointId]
) -> None:
    assert derive_all(ws, limits=WorkerLimits(0.0)) == 3
    assert headlines(ws)[hooked[0]] == ".env changed; not all analysed"
    assert next_missing(ws._access.context, set()) is None


def test_a_story_that_was_cut_short_in_a_save_is_shown_and_derived_again(
    ws: Workspace, project: Path, quiet: FakeHost
) -> None:
    (project / ".env").write_text("A=1\n")
    save(ws, "first")
    (project / ".env").write_text("A=1\nB=1\n")
    quiet.story_seconds = 0.0
    saved = ws.save("second").checkpoint
    quiet.story_seconds = 30.0

    assert saved.headline == ".env changed; not all analysed"
    assert next(iter(ws.log().checkpoints)).headline == saved.headline
    assert derive_all(ws) == 1
    assert headlines(ws)[saved.id] == ".env +B"


def test_a_scratch_directory_that_gc_swept_spoils_no_story(
    ws: Workspace, store: Path, hooked: list[CheckpointId], quiet: FakeHost
) -> None:
    def sweep() -> None:
        for path in (store / "tmp").iterdir():
            path.rmdir()

    with quiet.at("story.analysed", sweep):
        assert derive_all(ws) == 0
