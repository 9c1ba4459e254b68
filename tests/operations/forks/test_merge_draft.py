"""A merge that is worked out and not written."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.checkpoint import Checkpoint
from clew.model.record import Coverage
from clew.monitor import Monitor
from clew.operations.forks.merge_contents import StoredContents
from clew.operations.forks.merge_draft import Draft, MergeRequest, make_draft
from clew.operations.save.scan import scan_live
from clew.workspace import Workspace
from tests.operations.moments import save
from tests.worktree.sink import settle


@pytest.fixture
def moments(ws: Workspace, project: Path) -> tuple[Checkpoint, Checkpoint]:
    """Two checkpoints; the workspace is at the first again, and two files were edited since."""
    for name in ("taken", "kept", "both"):
        (project / name).write_text("1\n2\n3\n4\n5\n")
    settle()
    first = save(ws)
    (project / "taken").write_text("theirs\n")
    (project / "both").write_text("1\n2\n3\n4\ntheirs\n")
    settle()
    second = save(ws)
    ws.restore(first)
    (project / "kept").write_text("ours\n")
    (project / "both").write_text("ours\n2\n3\n4\n5\n")
    settle()
    save(ws)
    return ws.resolve(first), ws.resolve(second)


def draft(ws: Workspace, base: Checkpoint, theirs: Checkpoint, **ours: object) -> Draft:
    found, trees = scan_live(ws._access.context, Monitor())
    found = found._replace(coverage=found.coverage._replace(**ours))  # type: ignore[arg-type]
    request = MergeRequest(base, theirs, "merged", "before")
    return make_draft(
        ws._access.context, request, found, trees.get, StoredContents(ws._access.context), now_ns=7
    )


def test_a_draft_writes_nothing(
    ws: Workspace, store: Path, moments: tuple[Checkpoint, Checkpoint]
) -> None:
    before = sorted(path.name for path in (store / "packs").iterdir())
    made = draft(ws, *moments)

    assert {change.path for change in made.merge.taken} == {b"taken", b"both"}
    assert made.merge.merged == (b"both",)
    assert sorted(path.name for path in (store / "packs").iterdir()) == before


def test_what_would_not_hold_still_is_said_of_what_it_is_in(
    ws: Workspace, moments: tuple[Checkpoint, Checkpoint]
) -> None:
    base, theirs = moments
    shaky = theirs.record._replace(coverage=Coverage(unstable=(b"taken", b"kept")))
    made = draft(ws, base, theirs._replace(record=shaky), unstable=(b"taken", b"kept"))

    assert made.coverage.unstable == (b"kept", b"taken")
    made = draft(ws, base, theirs, unstable=(b"taken",))
    assert made.coverage.unstable == ()
