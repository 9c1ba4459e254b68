"""Stories that commits have left out are derived later, without a lock, newest first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.model.story import UNTOLD, Story
from clew.operations.context import Context
from clew.operations.history import missing_stories
from clew.operations.history.missing_stories import derive_missing_stories, next_missing
from clew.story import version
from clew.workspace import Workspace
from tests.operations.moments import save
from tests.operations.quiet import quiet

__all__ = ["quiet"]

pytestmark = pytest.mark.usefixtures("quiet")

Derive = Callable[..., Story]
WORKER_LIMITS = missing_stories.WorkerLimits(30.0)


def hook(ws: Workspace, project: Path, text: str) -> CheckpointId:
    """Change a file and save as a hook does."""
    (project / ".env").write_text(text)
    return ws.save(text, origin=Origin.HOOK).checkpoint.id


def derive_all(ws: Workspace, *, count: int = 100, seconds: float = 600.0) -> int:
    return derive_missing_stories(
        ws._access.context, set(), count=count, seconds=seconds, limits=WORKER_LIMITS
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


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[CheckpointId]:
    """The checkpoints whose story is derived, in this order."""
    found: list[CheckpointId] = []
    derive: Derive = missing_stories.derive

    def record(context: Context, checkpoint: Checkpoint, *more: object) -> Story:
        found.append(checkpoint.id)
        return derive(context, checkpoint, *more)

    monkeypatch.setattr(missing_stories, "derive", record)
    return found


def during(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something, once, while a story is being derived."""
    derive: Derive = missing_stories.derive
    acts = [act]

    def both(*given: object) -> Story:
        story = derive(*given)
        if acts:
            acts.pop()()
        return story

    monkeypatch.setattr(missing_stories, "derive", both)


def test_all_missing_stories_are_stored_newest_first(
    ws: Workspace, hooked: list[CheckpointId], derived: list[CheckpointId]
) -> None:
    assert derive_all(ws) == 3

    assert derived == hooked[::-1]
    assert [headlines(ws)[one] for one in hooked] == [".env +B", ".env −B and +C", ".env −C and +D"]
    assert derive_all(ws) == 0


def test_no_more_are_derived_than_asked_for(
    ws: Workspace, hooked: list[CheckpointId], derived: list[CheckpointId]
) -> None:
    assert derive_all(ws, count=1) == 1
    assert derived == hooked[:1:-1]
    assert derive_all(ws, seconds=0.0) == 0
    assert len(derived) == 1


def test_a_newer_checkpoint_is_next_although_older_ones_wait(
    ws: Workspace,
    project: Path,
    hooked: list[CheckpointId],
    derived: list[CheckpointId],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added: list[CheckpointId] = []
    during(monkeypatch, lambda: added.append(hook(ws, project, "E=1\n")))

    derive_all(ws)

    assert derived == [hooked[2], *added, hooked[1], hooked[0]]


def test_a_story_of_another_version_is_replaced(
    ws: Workspace, hooked: list[CheckpointId], monkeypatch: pytest.MonkeyPatch
) -> None:
    derive_all(ws)
    monkeypatch.setattr(version, "DETECTORS", "another")

    assert derive_all(ws) == 4
    assert derive_all(ws) == 0


def test_a_story_whose_parent_is_gone_is_never_replaced(
    ws: Workspace, hooked: list[CheckpointId], monkeypatch: pytest.MonkeyPatch
) -> None:
    derive_all(ws)
    ws.delete([hooked[1].hex()])
    monkeypatch.setattr(version, "DETECTORS", "another")

    assert derive_all(ws) == 2
    assert headlines(ws)[hooked[2]] == ".env −C and +D"


def test_a_story_lost_with_its_parent_is_derived_since_an_ancestor(
    ws: Workspace, hooked: list[CheckpointId]
) -> None:
    ws.delete([hooked[1].hex()])

    assert derive_all(ws) == 2
    assert headlines(ws)[hooked[2]] == ".env −B and +D"


def test_the_locks_of_the_store_are_free_while_a_story_is_derived(
    ws: Workspace, store: Path, hooked: list[CheckpointId], monkeypatch: pytest.MonkeyPatch
) -> None:
    free: list[bool] = []

    def try_all() -> None:
        for path in (store / "locks").iterdir():
            descriptor = os.open(path, os.O_RDWR)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(descriptor)
            free.append(True)

    during(monkeypatch, try_all)
    derive_all(ws)

    assert len(free) >= 2


def test_a_checkpoint_deleted_meanwhile_gets_no_row(
    ws: Workspace, hooked: list[CheckpointId], monkeypatch: pytest.MonkeyPatch
) -> None:
    during(monkeypatch, lambda: ws.delete([hooked[2].hex()]))

    assert derive_all(ws) == 2
    rows = ws._access.store.database.execute("SELECT checkpoint FROM stories")
    assert (hooked[2],) not in rows


def test_after_a_gc_meanwhile_the_story_is_derived_again(
    ws: Workspace,
    hooked: list[CheckpointId],
    derived: list[CheckpointId],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def collect() -> None:
        generation = ws._access.store.generation
        ws.delete([hooked[0].hex()])
        assert ws._access.store.generation > generation

    during(monkeypatch, collect)

    assert derive_all(ws) == 2
    assert derived == [hooked[2], hooked[2], hooked[1]]


def test_what_cannot_be_derived_is_tried_once_and_the_others_are_stored(
    ws: Workspace, hooked: list[CheckpointId], monkeypatch: pytest.MonkeyPatch
) -> None:
    derive: Derive = missing_stories.derive
    failures = {hooked[2]: OSError("no disk"), hooked[1]: Story(UNTOLD)}

    def fail(context: Context, checkpoint: Checkpoint, *more: object) -> Story:
        match failures.get(checkpoint.id):
            case Exception() as error:
                raise error
            case None:
                return derive(context, checkpoint, *more)
            case story:
                return story

    monkeypatch.setattr(missing_stories, "derive", fail)
    tried: set[CheckpointId] = set()
    context = ws._access.context

    found = derive_missing_stories(context, tried, count=9, seconds=600, limits=WORKER_LIMITS)

    assert found == 1
    assert tried == set(hooked)
    assert next_missing(context, tried) is None
    assert next_missing(context, set()) is not None


def test_a_scratch_directory_that_gc_swept_spoils_no_story(
    ws: Workspace, store: Path, hooked: list[CheckpointId], monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew.operations.history import story_worker

    tell = story_worker.tell

    def sweep(*given: object) -> object:
        found = tell(*given)  # type: ignore[arg-type]
        for path in (store / "tmp").iterdir():
            path.rmdir()
        return found

    monkeypatch.setattr(story_worker, "tell", sweep)

    assert derive_all(ws) == 0
