"""A store over its budget: saving goes on, and says what pruning would free."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from clew.model.record import Origin
from clew.monitor import RecordingMonitor
from clew.workspace import Workspace

MB = 1_000_000


@pytest.fixture
def outgrown(ws: Workspace, project: Path) -> Workspace:
    """A store of 16 MB, nearly all of it automatic, that may take 1 MB."""
    ws.settings.set("max-bytes", "1MB")
    for number in range(16):
        (project / "noise").write_bytes(random.Random(number).randbytes(MB))
        ws.save(str(number), origin=Origin.HOOK)
    (project / "noise").unlink()
    return ws


def warnings(notices: tuple[str, ...] | list[str]) -> list[str]:
    return [one for one in notices if "The store uses" in one]


def test_a_save_within_the_budget_says_nothing(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    assert warnings(ws.save("small").notices) == []


def test_a_save_over_the_budget_says_how_large_it_is_and_what_pruning_would_free(
    outgrown: Workspace,
) -> None:
    result = outgrown.save("by hand")

    assert result.created
    assert len(warnings(result.notices)) == 1
    found = re.fullmatch(
        r"The store uses (16\.\d) MB, more than max-bytes 1\.0 MB; "
        r"`clew prune --max-bytes 1MB` would free up to (\d+\.\d) MB of automatic checkpoints",
        warnings(result.notices)[0],
    )
    assert found is not None, result.notices
    assert 4 < float(found[2]) < 8  # all but here, and the ten steps of undo


def test_what_the_warning_promises_is_what_the_command_frees(outgrown: Workspace) -> None:
    text = warnings(outgrown.save("by hand").notices)[0]
    promised = float(text.split("up to ")[1].split(" MB")[0])
    freed = outgrown.prune(max_bytes="1MB", confirm=lambda _: pytest.fail("asked")).freed_bytes

    assert freed / MB > 0.95 * promised > 1


def test_nothing_goes_because_of_it(outgrown: Workspace) -> None:
    for _ in range(3):
        outgrown.save("by hand")
    outgrown.prune()

    assert len(outgrown.log().checkpoints) == 16 + 3


def test_a_hook_is_told_nothing_and_a_person_who_looks_is(outgrown: Workspace) -> None:
    monitor = RecordingMonitor()
    hook = outgrown.save("step", origin=Origin.HOOK)
    outgrown.status(monitor=monitor)

    assert warnings(hook.notices) == []
    assert len(warnings(monitor.notices)) == 1
    assert len(warnings(outgrown.store.warnings())) == 1


def test_what_only_people_made_is_said_to_stay(ws: Workspace, project: Path) -> None:
    ws.settings.set("max-bytes", "1MB")
    for number in range(3):
        (project / "noise").write_bytes(random.Random(number).randbytes(MB))
        result = ws.save(str(number))

    assert warnings(result.notices)[0].endswith(
        "; pruning automatic checkpoints would free nothing"
    )


def test_a_budget_of_nothing_is_none(ws: Workspace, project: Path) -> None:
    ws.settings.set("max-bytes", "0")
    (project / "file").write_text("x")

    assert warnings(ws.save("small").notices) == []


def test_of_a_large_store_the_last_prune_has_left_the_figure(
    outgrown: Workspace, project: Path
) -> None:
    for number in range(5_000):
        (project / f"{number}").write_text(f"{number}")
    before = warnings(outgrown.save("by hand").notices)[0]
    outgrown.prune()
    after = warnings(outgrown.save("by hand").notices)[0]

    assert before.endswith("`clew prune --max-bytes 1MB --dry-run` shows what pruning would free")
    assert "would free up to" in after
