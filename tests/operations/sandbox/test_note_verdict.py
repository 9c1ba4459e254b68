"""A verdict noted by hand: shown as such, counts for `good`, and replaced by the next one."""

from __future__ import annotations

import json

import pytest

from clew.errors import BadOption, ClewError, UnknownReference
from clew.model.verdict import VerdictStatus
from clew.workspace import Workspace
from tests.operations.moments import save


def test_it_belongs_to_the_state_and_says_that_nothing_ran(ws: Workspace) -> None:
    first = save(ws)
    verdict = ws.note_verdict(first, "failing", note="the page is blank").verdict

    assert verdict is not None
    assert (verdict.status, verdict.ran_in, verdict.command) == ("failing", "by hand", "")
    assert verdict.output == "the page is blank"
    assert verdict.state == ws.resolve(first).record.state


def test_it_counts_for_good(ws: Workspace) -> None:
    first = save(ws)
    with pytest.raises(ClewError):
        ws.good()
    ws.note_verdict(first, "passing")

    assert ws.good().id.hex() == first
    assert ws.resolve("good").id.hex() == first


def test_it_counts_beside_the_configured_check(ws: Workspace) -> None:
    ws.settings.set("verify", "false")
    first = save(ws, check=True)
    assert ws.resolve(first).verdict.status == VerdictStatus.FAILING  # type: ignore[union-attr]
    ws.note_verdict(first, "passing")

    assert ws.good().id.hex() == first
    ws.verify(first)  # the later one counts
    found = ws.resolve(first).verdict
    assert found is not None
    assert (found.command, found.status) == ("false", VerdictStatus.FAILING)
    with pytest.raises(ClewError):
        ws.good()


def test_another_check_that_ran_later_does_not_hide_it_where_a_check_is_configured(
    ws: Workspace,
) -> None:
    ws.settings.set("verify", "make test")
    first = save(ws)
    ws.note_verdict(first, "passing")
    ws.verify(first, "false")

    assert ws.good().id.hex() == first


def test_the_opposite_replaces_it(ws: Workspace) -> None:
    first = save(ws)
    ws.note_verdict(first, "passing", note="looked fine")
    verdict = ws.note_verdict(first, "failing").verdict

    assert verdict is not None
    assert (verdict.status, verdict.output) == (VerdictStatus.FAILING, "")
    assert len(ws.show(first).verdicts) == 1
    with pytest.raises(ClewError):
        ws.good()


def test_none_removes_it_and_nothing_else(ws: Workspace) -> None:
    first = save(ws, verify="true")
    ws.note_verdict(first, "failing")
    verdict = ws.note_verdict(first, "none").verdict

    assert verdict is not None
    assert (verdict.command, verdict.status) == ("true", VerdictStatus.PASSING)


def test_a_secret_in_the_note_is_redacted(ws: Workspace) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    verdict = ws.note_verdict(save(ws), "passing", note=f"with {secret}").verdict

    assert verdict is not None
    assert secret not in verdict.output


@pytest.mark.parametrize("status", ["flaky", "good", "", "PASSING"])
def test_another_status_is_refused(ws: Workspace, status: str) -> None:
    first = save(ws)

    with pytest.raises(BadOption, match="passing, failing, none"):
        ws.note_verdict(first, status)
    with pytest.raises(UnknownReference):
        ws.note_verdict("nope", "passing")
    assert ws.resolve(first).verdict is None


def test_it_is_in_the_log_and_filtered_like_any_verdict(ws: Workspace) -> None:
    first = save(ws)
    ws.note_verdict(first, "failing", note="blank")

    assert [one.id.hex() for one in ws.log(verdict="failing").checkpoints] == [first]
    assert json.dumps(ws.log().checkpoints[0].verdict.output) == '"blank"'  # type: ignore[union-attr]
