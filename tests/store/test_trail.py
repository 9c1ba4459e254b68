"""Trail: the worked example of the design page."""

from __future__ import annotations

import pytest

from clew.model.ids import CheckpointId
from clew.store.trail import Trails
from tests.store.scratch import Scratch

A, B, R = (CheckpointId(letter * 32) for letter in (b"A", b"B", b"R"))


@pytest.fixture
def workspace(scratch: Scratch) -> bytes:
    return scratch.context.workspace


@pytest.fixture
def trails(scratch: Scratch) -> Trails:
    return scratch.store.trails


def walked(trails: Trails, workspace: bytes) -> str:
    """Return the trail as letters, with *here* in brackets."""
    trail = trails.get(workspace)
    return "".join(
        f"[{chr(found[0])}]" if position == trail.cursor else chr(found[0])
        for position, found in trail.entries
    )


def test_a_new_workspace_has_no_trail(trails: Trails, workspace: bytes) -> None:
    trail = trails.get(workspace)

    assert (trail.here, trail.back, trail.forward) == (None, [], [])


def test_the_worked_example(trails: Trails, workspace: bytes) -> None:
    seen = []
    trails.append(workspace, [A])
    trails.append(workspace, [R, A])  # an edit, then a restore of A
    seen.append(walked(trails, workspace))
    trails.move(workspace, 2)  # undo restores the edit
    seen.append(walked(trails, workspace))
    trails.move(workspace, 1)  # undo again
    seen.append(walked(trails, workspace))
    trails.append(workspace, [B])
    seen.append(walked(trails, workspace))

    assert seen == ["AR[A]", "A[R]A", "[A]RA", "A[B]"]


def test_back_and_forward_are_nearest_first(trails: Trails, workspace: bytes) -> None:
    trails.append(workspace, [A, B, R])
    trails.move(workspace, 2)
    trail = trails.get(workspace)

    assert trail.here == B
    assert trail.back == [(1, A)]
    assert trail.forward == [(3, R)]


def test_workspaces_have_trails_of_their_own(
    scratch: Scratch, trails: Trails, workspace: bytes
) -> None:
    other = scratch.store.workspaces.add(b"/other", 1, machine=False)
    trails.append(workspace, [A])
    trails.append(other.uuid, [B])

    assert walked(trails, workspace) == "[A]"
    assert walked(trails, other.uuid) == "[B]"
