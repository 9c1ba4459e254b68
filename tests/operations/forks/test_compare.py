"""Moments side by side, told from where they parted."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import opening
from clew.errors import AmbiguousReference, NoCommonAncestor, UnknownReference
from clew.model.sandbox_results import Comparison
from clew.monitor import RecordingMonitor
from clew.operations.history.ancestry import line_from, nearest_common
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.operations.quiet import quiet

__all__ = ["quiet"]


@pytest.fixture
def parted(ws: Workspace, project: Path, quiet: FakeHost) -> tuple[str, str, str]:
    """A moment, and two that grew from it: the second after going back."""
    (project / "shared").write_text("1\n")
    (project / "torn").write_text("1\n")
    base = save(ws, "base")
    (project / "shared").write_text("2\n")
    (project / "torn").write_text("left\n")
    (project / "left").write_text("x\n")
    left = save(ws, "left", verify="test -e left")
    ws.restore(base)
    (project / "shared").write_text("2\n")
    (project / "torn").write_text("right\n")
    return base, left, save(ws, "right")


def paths(found: Comparison) -> dict[bytes, tuple[list[int], bool]]:
    return {one.path: (one.changed_by, one.is_same) for one in found.paths}


def test_each_is_told_from_where_they_parted(ws: Workspace, parted: tuple[str, str, str]) -> None:
    base, left, right = parted
    found = ws.forks.compare([left, right])

    assert found.ancestor.id.hex() == base
    assert paths(found) == {
        b"left": ([0], True),
        b"shared": ([0, 1], True),
        b"torn": ([0, 1], False),
    }
    assert [side.story.headline for side in found.states] == [
        "left added; shared changed; torn changed",
        "shared changed; torn changed",
    ]
    assert [tuple(side.changes[:2]) for side in found.states] == [(1, 2), (0, 2)]
    assert [side.checkpoint.verdict is not None for side in found.states] == [True, False]


def test_on_one_line_the_older_one_is_where_they_parted(
    ws: Workspace, parted: tuple[str, str, str]
) -> None:
    base, left, _ = parted
    found = ws.forks.compare([left, base])

    assert found.ancestor.id.hex() == base
    assert [side.changes.total for side in found.states] == [3, 0]
    assert found.states[1].story.headline == "nothing changed"


def test_a_moment_beside_itself_is_its_own_ancestor(
    ws: Workspace, parted: tuple[str, str, str]
) -> None:
    found = ws.forks.compare(["@", parted[2]])

    assert found.ancestor.id.hex() == parted[2]
    assert found.paths == ()


def test_where_they_parted_may_be_deleted(ws: Workspace, project: Path, quiet: FakeHost) -> None:
    (project / "file").write_text("1\n")
    first = save(ws)
    (project / "file").write_text("2\n")
    middle = save(ws)
    (project / "file").write_text("3\n")
    left = save(ws)
    ws.restore(middle)
    (project / "file").write_text("4\n")
    right = save(ws)
    ws.delete([middle])
    monitor = RecordingMonitor()

    assert ws.forks.compare([left, right], monitor=monitor).ancestor.id.hex() == first
    assert monitor.notices == ["The common ancestor was deleted; comparing with an earlier one"]


def test_the_line_of_a_checkpoint_leads_to_the_first(
    ws: Workspace, parted: tuple[str, str, str]
) -> None:
    base, left, right = (ws.resolve(ref) for ref in parted)

    assert list(line_from(ws._access.context, left.id)) == [left.id, base.id]
    assert nearest_common(ws._access.context, [left.id, right.id, base.id]) == (base.id, 0)


def test_what_has_nothing_in_common_is_not_compared(
    ws: Workspace, parted: tuple[str, str, str]
) -> None:
    left = ws.resolve(parted[1])
    ws._access.store.database.execute(
        "UPDATE checkpoints SET parent = NULL WHERE id = ?", (left.id,)
    )

    with pytest.raises(NoCommonAncestor, match=r"^No common ancestor: '.*', '@'$"):
        ws.forks.compare([parted[1], "@"])


# Forks


def test_forks_are_compared_by_their_names(
    ws: Workspace, project: Path, tmp_path: Path, quiet: FakeHost
) -> None:
    (project / "file").write_text("1\n")
    base = save(ws)
    ws.forks.create(base, str(tmp_path / "one"))
    ws.forks.create(base, str(tmp_path / "two"))
    (tmp_path / "one" / "file").write_text("one\n")
    (project / "file").write_text("2\n")
    save(ws)
    found = ws.forks.compare(["one", "fork:two", "@"])

    assert found.ancestor.id.hex() == base
    assert [(side.name, side.fork) for side in found.states] == [
        ("one", "one"), ("fork:two", "two"), ("@", ""),
    ]  # fmt: skip
    assert paths(found) == {b"file": ([0, 2], False)}  # unsaved work in the fork's directory counts


def test_a_fork_of_a_fork_is_compared_with_where_both_came_from(
    ws: Workspace, project: Path, tmp_path: Path, quiet: FakeHost
) -> None:
    (project / "file").write_text("1\n")
    base = save(ws)
    ws.forks.create(base, str(tmp_path / "one"))
    with opening.open(tmp_path / "one", store=ws.store.path) as one:
        (tmp_path / "one" / "file").write_text("2\n")
        save(one)
        one.forks.create("@", str(tmp_path / "two"))
        (tmp_path / "two" / "new").write_text("x\n")
        found = one.forks.compare(["two", "@"])

    assert found.ancestor.record.sequence == 2
    assert paths(found) == {b"new": ([0], True)}


def test_a_name_that_two_things_have_must_be_told_apart(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    base = save(ws, name="same")
    ws.forks.create(base, str(tmp_path / "same"))

    with pytest.raises(AmbiguousReference, match="fork:same, name:same"):
        ws.forks.compare(["same", "@"])
    assert ws.forks.compare(["fork:same", "name:same"]).states[0].fork == "same"


def test_what_only_looks_takes_a_forks_name_too(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    base = save(ws)
    ws.forks.create(base, str(tmp_path / "grown"))

    assert ws.show("grown").checkpoint.record.parent == ws.resolve(base).id
    assert ws.diff("fork:grown", "@").changes == ()
    with pytest.raises(UnknownReference):
        ws.resolve("grown")
    with pytest.raises(UnknownReference):
        ws.restore("grown")
    with pytest.raises(UnknownReference, match="'nothing'"):
        ws.show("nothing")
