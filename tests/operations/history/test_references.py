"""Every kind of reference, on a real timeline."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import AmbiguousReference, BadReference, UnknownReference
from clew.monitor import RecordingMonitor
from clew.workspace import Workspace
from tests.operations.moments import save


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def three(ws: Workspace, project: Path) -> list[str]:
    """Three checkpoints, the last of them *here*."""
    found = []
    for text in ("1", "2", "3"):
        (project / "file").write_text(text)
        found.append(save(ws, text))
    return found


def found(ws: Workspace, ref: str) -> str:
    return ws.resolve(ref).id.hex()


def test_here_and_what_is_above_it(ws: Workspace, three: list[str]) -> None:
    refs = ("@", "here", "@~0", "@~1", "@~2")

    assert [found(ws, ref) for ref in refs] == [three[2], three[2], three[2], three[1], three[0]]


def test_here_is_marked(ws: Workspace, three: list[str]) -> None:
    assert [ws.resolve(ref).is_here for ref in ("@", "@~1")] == [True, False]


def test_above_the_first_there_is_nothing(ws: Workspace, three: list[str]) -> None:
    for ref in ("@~3", "@~999999999"):
        with pytest.raises(UnknownReference):
            ws.resolve(ref)


def test_before_the_first_save_nothing_is_known(ws: Workspace) -> None:
    for ref in ("@", "latest", "good", "10:27", "checkpoint-1"):
        with pytest.raises(UnknownReference):
            ws.resolve(ref)


def test_here_follows_a_restore_and_latest_does_not(ws: Workspace, three: list[str]) -> None:
    ws.restore(three[0])

    assert (found(ws, "@"), found(ws, "latest")) == (three[0], three[2])


def test_ids_whole_and_short(ws: Workspace, three: list[str]) -> None:
    for identifier in three:
        for ref in (identifier, identifier.upper(), identifier[:12], f"id:{identifier[:12]}"):
            assert found(ws, ref) == identifier


def test_a_prefix_of_two_lists_both(ws: Workspace, three: list[str]) -> None:
    one = ws.resolve(three[0]).id
    twin = one[:-1] + bytes([one[-1] ^ 1])  # nobody can save until two ids begin alike
    ws._access.store.database.execute(
        "INSERT INTO checkpoints SELECT ?, workspace, 99, time, parent, state, origin, record,"
        " deleted, rule FROM checkpoints WHERE id = ?",
        (twin, one),
    )

    with pytest.raises(AmbiguousReference) as refused:
        ws.resolve(three[0][:10])

    assert [text[:8] for text in refused.value.candidates] == [three[0][:8]] * 2
    assert found(ws, three[0]) == three[0]


def test_names_given_and_made_up(ws: Workspace, three: list[str]) -> None:
    ws.edit(three[1], name="before auth")

    assert found(ws, "before auth") == three[1]
    assert found(ws, "name:before auth") == three[1]
    assert found(ws, "checkpoint-3") == three[2]


def test_a_name_given_twice_lists_both(ws: Workspace, three: list[str]) -> None:
    for identifier in three[:2]:
        ws.edit(identifier, name="same")

    with pytest.raises(AmbiguousReference) as refused:
        ws.resolve("same")

    assert len(refused.value.candidates) == 2


def test_a_name_of_another_workspace_is_unknown_here(
    ws: Workspace, three: list[str], tmp_path: Path, store: Path
) -> None:
    (tmp_path / "other").mkdir()
    with opening.open(tmp_path / "other", store=store, create=True) as other:
        save(other, name="theirs")
        for ref in ("checkpoint-1", three[0], "@~1"):
            with pytest.raises(UnknownReference):
                other.resolve(ref)
    with pytest.raises(UnknownReference):
        ws.resolve("theirs")


def test_a_time_is_the_newest_up_to_its_end_and_skips_rescues(
    ws: Workspace, project: Path, three: list[str]
) -> None:
    (project / "file").write_text("dirty")
    rescued = ws.restore(three[0])
    assert rescued.rescue is not None
    today = time.strftime("%Y-%m-%d")

    assert found(ws, today) == three[2]
    assert found(ws, f"time:{today}") == three[2]
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 5))
    assert found(ws, soon) == three[2]
    assert found(ws, "latest") == three[2]


def test_a_time_before_everything_finds_nothing(ws: Workspace, three: list[str]) -> None:
    with pytest.raises(UnknownReference):
        ws.resolve("1999-12-31")


def test_good_is_the_newest_whose_check_passes(ws: Workspace, project: Path) -> None:
    ids = []
    for text, command in (("1", "true"), ("2", "true"), ("3", "false")):
        (project / "file").write_text(text)
        ids.append(save(ws, verify=command))

    assert found(ws, "good") == ids[1]


def test_a_later_failure_of_the_same_state_takes_good_away(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    save(ws, verify="true")
    save(ws, verify="false")

    with pytest.raises(UnknownReference):
        ws.resolve("good")


def test_deleted_checkpoints_are_passed_over_and_that_is_said(
    ws: Workspace, three: list[str]
) -> None:
    ws.delete([three[1]])
    monitor = RecordingMonitor()

    assert ws.resolve("@~1", monitor=monitor).id.hex() == three[0]
    assert len(monitor.notices) == 1
    assert monitor.notices[0].startswith(f"Checkpoint was deleted: {three[1][:8]} (20")
    with pytest.raises(UnknownReference):
        ws.resolve(three[1])


def test_what_can_mean_nothing_is_refused(ws: Workspace) -> None:
    for ref in ("", "@~", "@x", "@~-1", "id:zz", "time:never", "a\nb", "x" * 301):
        with pytest.raises(BadReference):
            ws.resolve(ref)


def test_what_names_nothing_is_unknown(ws: Workspace, three: list[str]) -> None:
    for ref in ("../../x", "nope", "abc", "name:nope", "%", "checkpoint-99"):
        with pytest.raises(UnknownReference):
            ws.resolve(ref)
