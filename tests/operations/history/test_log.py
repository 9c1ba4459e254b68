"""The timeline: all of it, or what one asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption, OutsideWorkspace, UnknownReference
from clew.workspace import Workspace
from tests.operations.moments import save


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def ws(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace for all: looking changes nothing."""
    store = tmp_path_factory.mktemp("place") / "store"
    with opening.open(project, store=store, create=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def timeline(ws: Workspace, project: Path) -> list[str]:
    """Four checkpoints: made, edited and passing, elsewhere and failing, deleted."""
    assert not ws.log().checkpoints
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    ids = [save(ws, "Begin", meta={"ticket": "AB-12"})]
    (project / "sub" / "file").write_text("2")
    ids.append(save(ws, "edit the FILE", verify="true"))
    (project / "other").write_text("1")
    ids.append(save(ws, "elsewhere", name="before release", verify="false"))
    (project / "sub" / "file").unlink()
    ids.append(save(ws, "gone", description="no longer needed"))
    return ids


def found(ws: Workspace, timeline: list[str], **options: object) -> list[int]:
    """Return which of the timeline were found, counted from one."""
    log = ws.log(**options)  # type: ignore[arg-type]
    return [timeline.index(item.id.hex()) + 1 for item in log.checkpoints]


def test_newest_first_with_here_marked(ws: Workspace, timeline: list[str]) -> None:
    ws.restore(timeline[1])
    try:
        log = ws.log()
    finally:
        ws.undo()

    assert [timeline.index(item.id.hex()) for item in log.checkpoints] == [3, 2, 1, 0]
    assert [item.is_here for item in log.checkpoints] == [False, False, True, False]
    assert log.here is not None
    assert log.here.hex() == timeline[1]


@pytest.mark.parametrize(
    ("limit", "expected"), [(0, []), (1, [4]), (2, [4, 3]), (99, [4, 3, 2, 1])]
)
def test_a_limit(ws: Workspace, timeline: list[str], limit: int, expected: list[int]) -> None:
    assert found(ws, timeline, limit=limit) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the file", [2]),
        ("BEGIN", [1]),
        ("ab-12", [1]),
        ("release", [3]),
        ("no longer", [4]),
        ("new workspace", [1]),
        ("OTHER added", [3]),
        ("checkpoint-4", [4]),
        ("false", [3]),
        ("nowhere", []),
        (".*", []),
    ],
)
def test_words_are_looked_for_in_everything_that_was_said(
    ws: Workspace, timeline: list[str], text: str, expected: list[int]
) -> None:
    assert found(ws, timeline, grep=text) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("sub/file", [4, 2, 1]),
        ("sub", [4, 2, 1]),
        ("other", [3]),
        ("", [4, 3, 2, 1]),
        ("never", []),
    ],
)
def test_a_path_is_found_where_it_changed(
    ws: Workspace, project: Path, timeline: list[str], path: str, expected: list[int]
) -> None:
    assert found(ws, timeline, path=str(project / path)) == expected


def test_a_path_outside_is_refused(ws: Workspace, project: Path) -> None:
    with pytest.raises(OutsideWorkspace):
        ws.log(path=str(project.parent))


@pytest.mark.parametrize(
    ("verdict", "expected"), [("passing", [2]), ("failing", [3]), ("none", [4, 1]), ("unknown", [])]
)
def test_by_verdict(ws: Workspace, timeline: list[str], verdict: str, expected: list[int]) -> None:
    assert found(ws, timeline, verdict=verdict) == expected


def test_filters_come_before_the_limit(ws: Workspace, timeline: list[str]) -> None:
    assert found(ws, timeline, verdict="none", limit=1) == [4]
    assert found(ws, timeline, grep="begin", limit=1) == [1]


@pytest.mark.parametrize(("since", "expected"), [("1h", [4, 3, 2, 1]), ("2099-01-01", [])])
def test_since(ws: Workspace, timeline: list[str], since: str, expected: list[int]) -> None:
    assert found(ws, timeline, since=since) == expected


@pytest.mark.parametrize(
    "options", [{"verdict": "good"}, {"verdict": ""}, {"since": "soon"}, {"since": "-1h"}]
)
def test_what_makes_no_sense_is_refused(ws: Workspace, options: dict[str, str]) -> None:
    with pytest.raises(BadOption):
        ws.log(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "expected"), [(4, [3, 2, 1]), (2, [1]), (1, [])], ids=["newest", "second", "oldest"]
)
def test_before_a_checkpoint(
    ws: Workspace, timeline: list[str], before: int, expected: list[int]
) -> None:
    assert found(ws, timeline, before=timeline[before - 1]) == expected


def test_before_what_does_not_exist_is_an_error(ws: Workspace, timeline: list[str]) -> None:
    with pytest.raises(UnknownReference):
        ws.log(before="never saved")


@pytest.mark.parametrize(
    ("options", "older"),
    [
        ({"limit": 1}, 3),
        ({"limit": 4}, 0),
        ({}, 0),
        ({"limit": 1, "verdict": "none"}, 1),
        ({"limit": 1, "before": "latest"}, 2),
    ],
    ids=str,
)
def test_what_a_limit_leaves_out_is_counted(
    ws: Workspace, timeline: list[str], options: dict[str, object], older: int
) -> None:
    assert ws.log(**options, counts_older=True).older == older  # type: ignore[arg-type]
    assert ws.log(**options).older is None  # type: ignore[arg-type]


def test_by_package(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    wanted = tmp_path / "project" / "requirements.txt"
    with opening.open(tmp_path / "project", store=tmp_path / "store", create=True) as ws:
        for text in ("flask==1.0\nzope_interface==5.0\n", "flask==1.1\nzope_interface==5.0\n"):
            wanted.write_text(text)
            save(ws, text[:10])
        found = ws.log(package="Flask")

        assert [one.labels.intent for one in found.checkpoints] == ["flask==1.1"]
        assert found.matches[found.checkpoints[0].id] == "flask 1.0 → 1.1 (requirements.txt)"
        assert not ws.log(package="zope.interface").checkpoints  # unchanged
        assert not ws.log(package="fla").checkpoints
