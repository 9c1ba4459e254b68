"""A drill restores a checkpoint beside the workspace, and records whether it is what was saved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption, NoSpaceForCopy, StoreReadOnly, UnknownReference
from clew.model.drill import Drill, DrillDifference, DrillOutcome, decode_differences
from clew.operations.sandbox import drill_process
from clew.operations.sandbox.background_drills import EVERY, is_due, start_background_drill
from clew.workspace import Workspace
from tests.kit import everything, walker
from tests.kit.background import held
from tests.kit.damaged_store import delete, flip
from tests.kit.fake_host import DAY, HOUR, Crash, FakeHost
from tests.operations.moments import save


def copies(store: Path) -> list[str]:
    """Return the names left in `copies/`."""
    return [name for name in os.listdir(store / "copies") if not name.startswith(".")]


def packs(store: Path) -> list[Path]:
    return sorted((store / "packs").iterdir())


@pytest.fixture
def saved(ws: Workspace, project: Path) -> str:
    (project / "src").mkdir()
    (project / "src" / "app.py").write_text("print('hello')\n")
    (project / "large").write_bytes(os.urandom(3 << 20))
    os.link(project / "large", project / "twin")
    os.symlink("large", project / "link")
    return save(ws, "works")


def test_a_whole_checkpoint_is_proven_and_says_when(
    ws: Workspace, host: FakeHost, saved: str
) -> None:
    before = host.now_ns()
    result = ws.drill(saved)
    kept = ws.resolve(saved).drill

    assert result.drill.outcome == DrillOutcome.PROVEN
    assert (result.differences, result.limits, result.verdict) == ((), (), None)
    assert kept == result.drill
    assert kept.time_ns >= before
    assert ws.log().checkpoints[0].drill == kept


@pytest.mark.skipif(os.geteuid() != 0, reason="some kinds of files need root")
def test_every_kind_of_file_is_proven(ws: Workspace, project: Path) -> None:
    everything.build(project)
    result = ws.drill(save(ws, "everything"))

    assert (result.differences, result.limits) == ((), ())


def test_neither_the_workspace_nor_the_copies_are_touched(
    ws: Workspace, project: Path, store: Path, saved: str
) -> None:
    (project / "later").write_text("unsaved")
    before = walker.look(project)
    ws.drill(saved)

    assert walker.differences(before, walker.look(project)) == []
    assert copies(store) == []


def test_the_workspace_may_be_gone(ws: Workspace, project: Path, saved: str) -> None:
    project.rename(project.parent / "elsewhere")

    assert ws.drill(saved, check=False).drill.is_proven


def test_the_default_is_the_newest_good_checkpoint(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    good = ws.save("good", verify="true").checkpoint
    (project / "file").write_text("2")
    ws.save("bad", verify="false")

    assert ws.drill().checkpoint.id == good.id


def test_without_a_good_one_it_is_a_random_one_that_was_never_drilled(
    ws: Workspace, project: Path
) -> None:
    ids = set()
    for number in range(3):
        (project / "file").write_text(str(number))
        ids.add(ws.save(str(number)).checkpoint.id)

    assert {ws.drill().checkpoint.id for _ in range(3)} == ids
    assert ws.drill(random=True).checkpoint.id in ids


def test_without_a_checkpoint_there_is_nothing_to_drill(ws: Workspace) -> None:
    with pytest.raises(UnknownReference):
        ws.drill()


def test_the_check_of_the_workspace_runs_in_the_restored_copy(
    ws: Workspace, project: Path, saved: str
) -> None:
    (project / "src" / "app.py").write_text("broken")
    ws.settings.set("verify", "grep -q hello src/app.py && touch made")
    result = ws.drill(saved)

    assert result.verdict is not None
    assert result.verdict.is_good
    assert result.checkpoint.verdict == result.verdict
    assert not (project / "made").exists()


def test_else_the_command_of_its_verdict_is_repeated(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")
    saved = ws.save("x", verify="test -f file").checkpoint.id.hex()
    result = ws.drill(saved)

    assert result.verdict is not None
    assert (result.verdict.command, result.verdict.is_good) == ("test -f file", True)
    assert ws.drill(saved, check=False).verdict is None


def test_a_check_that_fails_leaves_the_restore_proven(ws: Workspace, saved: str) -> None:
    ws.settings.set("verify", "false")
    result = ws.drill(saved)

    assert result.drill.is_proven
    assert result.verdict is not None
    assert result.verdict.exit_code == 1


@pytest.mark.parametrize(
    ("command", "why"),
    [("http://127.0.0.1:1/", "needs a server"), ("token=ghp_" + "a1B2" * 9, "a secret")],
)
def test_a_check_that_cannot_be_repeated_says_why(
    ws: Workspace, project: Path, command: str, why: str
) -> None:
    (project / "file").write_text("x")
    saved = ws.save("x", verify=command, timeout="5s").checkpoint.id.hex()
    result = ws.drill(saved)

    assert result.drill.is_proven
    assert result.verdict is None
    assert why in result.notices[0]


@pytest.mark.parametrize("damage", [flip(2000), delete], ids=["a flipped bit", "a lost pack"])
def test_damage_is_found_with_the_paths_until_a_later_drill_passes(
    ws: Workspace, project: Path, store: Path, host: FakeHost, damage: object
) -> None:
    (project / "small").write_text("small")
    first = save(ws, "first")
    intact = set(packs(store))
    (project / "large").write_bytes(os.urandom(1 << 20))
    (project / "a").mkdir()
    (project / "a" / "copy").write_bytes((project / "large").read_bytes())
    second = save(ws, "second")
    (pack,) = set(packs(store)) - intact
    whole = pack.read_bytes()
    assert callable(damage)
    with opening.open(project, store=store, host=host) as again:
        pack.chmod(0o600)
        damage(pack)
        result = again.drill(second)
        shown = again.show(second).checkpoint.drill if damage is not delete else result.drill

        assert result.drill.outcome == DrillOutcome.FAILED
        assert again.drill(first).drill.is_proven
        found = again.last_drill()
        assert found is not None
        assert found.id.hex() == second

    assert shown is not None
    assert shown.differing_count == len(result.differences) > 0
    if damage is not delete:
        assert {one.path for one in result.differences} == {b"large", b"a/copy"}
    assert copies(store) == []
    pack.write_bytes(whole)
    with opening.open(project, store=store, host=host) as repaired:
        assert repaired.drill(second).drill.is_proven
        assert repaired.resolve(second).drill.is_proven  # type: ignore[union-attr]


def test_a_difference_in_the_restored_files_is_found(
    ws: Workspace, store: Path, host: FakeHost, saved: str
) -> None:
    def tamper() -> None:
        (name,) = copies(store)
        tree = store / "copies" / name / "tree"
        (tree / "src" / "app.py").write_text("print('other')\n")
        (tree / "new").write_text("")
        (tree / "link").unlink()
        os.chmod(tree / "src", 0o701)

    with host.at("drill.written", tamper):
        result = ws.drill(saved)

    assert not result.drill.is_proven
    assert {(one.path, one.description) for one in result.differences} >= {
        (b"src/app.py", "has other content"),
        (b"new", "is not in the checkpoint"),
        (b"link", "is missing"),
    }
    assert result.verdict is None


def test_a_drill_that_does_not_fit_is_refused_before_it_writes(
    ws: Workspace, store: Path, host: FakeHost, saved: str
) -> None:
    ws.settings.set("min-free", "1GB")
    host.free[store] = 10**9 + (1 << 20)
    with pytest.raises(NoSpaceForCopy):
        ws.drill(saved)

    assert ws.resolve(saved).drill is None
    host.free[store] = 10**9 + (8 << 20)
    assert ws.drill(saved).drill.is_proven


def test_what_a_crash_leaves_is_removed_by_the_next_drill(
    ws: Workspace, project: Path, store: Path, host: FakeHost, saved: str
) -> None:
    (store / "copies" / "drill-0123456789abcdef").mkdir()
    (store / "copies" / "drill-0123456789abcdef" / "tree").mkdir()
    with host.at("drill.compared", Crash()), pytest.raises(Crash):
        ws.drill(saved)
    ws.drill(saved)

    assert copies(store) == []


def test_a_checkpoint_that_is_deleted_meanwhile_leaves_nothing(
    ws: Workspace, project: Path, host: FakeHost, saved: str
) -> None:
    (project / "more").write_text("")
    save(ws, "more")
    with host.at("drill.compared", lambda: ws.delete([saved])):
        result = ws.drill(saved)

    assert "deleted meanwhile" in result.notices[0]
    assert ws.last_drill() is None


def test_a_deleted_checkpoint_takes_its_drill_along(
    ws: Workspace, project: Path, saved: str
) -> None:
    ws.drill(saved)
    (project / "more").write_text("")
    save(ws, "more")
    ws.delete([saved], purge=True)

    assert ws.last_drill() is None
    assert ws.store.check().whole


def test_nothing_is_drilled_in_a_store_that_cannot_be_written(
    ws: Workspace, store: Path, saved: str
) -> None:
    ws._access.store.writable = False
    with pytest.raises(StoreReadOnly):
        ws.drill(saved)


def test_differences_are_stored_up_to_a_number(ws: Workspace) -> None:
    many = tuple(DrillDifference(b"%d" % number, "is missing") for number in range(50))
    drill = Drill(1, DrillOutcome.FAILED, 50, many)

    assert decode_differences(drill.encode_differences()) == many[:20]
    assert decode_differences(None) == ()


# In the background


@pytest.mark.parametrize("value", ["7d", "off", "36h"])
def test_the_period_is_a_duration_or_off(ws: Workspace, value: str) -> None:
    ws.settings.set(EVERY, value)

    assert ws.settings.all()[EVERY] == value
    with pytest.raises(BadOption):
        ws.settings.set(EVERY, "weekly")


def test_a_drill_is_due_once_in_a_period(
    ws: Workspace, host: FakeHost, saved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BACKGROUND", "on")
    with ws.reading_context() as context:
        at_first = is_due(context, "7d")
        ws.drill(saved)
        soon = is_due(context, "7d")
        with host.shifted(8 * DAY):
            later = is_due(context, "7d")
            monkeypatch.setenv("CLEW_BACKGROUND", "off")
            switched_off = is_due(context, "7d")

    assert (at_first, soon, later, switched_off) == (True, False, True, False)


def test_an_attempt_that_came_to_nothing_is_not_repeated_at_once(
    ws: Workspace, store: Path, host: FakeHost, saved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BACKGROUND", "on")
    host.free[store] = 0
    with ws.reading_context() as context:
        run_in_background(ws, host)
        soon = is_due(context, "7d")
        with host.shifted(2 * HOUR):
            later = is_due(context, "7d")

    assert ws.last_drill() is None
    assert (soon, later) == (False, True)


def run_in_background(ws: Workspace, host: FakeHost) -> None:
    """Do what the process does, in this one."""
    with ws.reading_context() as context:
        lock = context.store.locks.try_drill(context.workspace)
        assert lock is not None
        try:
            drill_process.run(context.store.layout.root, context.workspace, lock, host)
        finally:
            os.close(lock)


def test_in_the_background_the_good_one_is_first_then_the_others(
    ws: Workspace, project: Path, host: FakeHost
) -> None:
    (project / "file").write_text("1")
    good = ws.save("good", verify="true").checkpoint
    (project / "file").write_text("2")
    other = ws.save("other").checkpoint
    run_in_background(ws, host)
    first = ws.resolve(good.id.hex()).drill, ws.resolve(other.id.hex()).drill
    run_in_background(ws, host)

    assert first[0] is not None
    assert first[1] is None
    assert ws.resolve(other.id.hex()).drill is not None


def test_in_the_background_only_the_configured_check_runs(
    ws: Workspace, project: Path, host: FakeHost
) -> None:
    (project / "file").write_text("1")
    ws.save("good", verify="true")
    run_in_background(ws, host)
    without = len(ws.show("good").verdicts)
    ws.settings.set("verify", "test -f file")
    run_in_background(ws, host)

    assert without == 1
    assert [one.command for one in ws.show("@").verdicts] == ["test -f file", "true"]


def test_while_one_runs_no_other_is_started(
    ws: Workspace, store: Path, saved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BACKGROUND", "on")
    ws.settings.set(EVERY, "1d")
    lock = store / "locks" / f"drill-{ws.info.uuid.hex()}"
    with ws.reading_context() as context, held(lock):
        start_background_drill(context)

    assert lock.read_bytes() == b""
