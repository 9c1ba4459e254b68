"""What a person saved, named, verified or forked from does not disappear by itself.

By old rules the newest hundred were kept, whoever had made them: after 120 checkpoints of hooks,
or 160 saves by hand, a "before the refactoring" of some minutes ago was gone without a word.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.model.record import Origin
from clew.operations.maintenance import auto_prune
from clew.workspace import Workspace
from tests.kit.fake_host import DAY, HOUR, FakeHost
from tests.kit.running import Clew

PATIENCE = 60


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def ws(clew: Clew, host: FakeHost) -> Iterator[Workspace]:
    with opening.open(clew.workspace, store=str(clew.store), create=True, host=host) as opened:
        yield opened


def save(ws: Workspace, clew: Clew, text: str, origin: str = Origin.HOOK) -> str:
    """Change a file and save as a hook does, or by hand; pruning is considered after each."""
    (clew.workspace / "file").write_text(text)
    saved = ws.save(text, origin=origin, files_only=origin == Origin.HOOK)
    return saved.checkpoint.id.hex()


def prune_in_background(ws: Workspace) -> None:
    """Start the prune that saves start, and wait until it has ended."""

    def last() -> int:
        with ws.reading_context() as context:
            key = f"pruned:{context.workspace.hex()}"
            row = context.store.database.one("SELECT value FROM meta WHERE key = ?", (key,))
            return row[0] if row is not None else 0

    before, deadline = last(), time.monotonic() + PATIENCE
    with pytest.MonkeyPatch.context() as patch, ws.reading_context() as context:
        patch.setenv("CLEW_BACKGROUND", "on")
        auto_prune.prune_in_background(context)
    while last() == before:
        assert time.monotonic() < deadline, "the prune in the background has not ended"
        time.sleep(0.05)


def test_a_save_by_hand_outlives_the_checkpoints_of_hooks(ws: Workspace, clew: Clew) -> None:
    mine = save(ws, clew, "before the refactoring", Origin.MANUAL)
    for number in range(150):
        save(ws, clew, f"step {number}")
    prune_in_background(ws)
    clew.ok("prune")

    assert mine in clew.ids()
    assert len(clew.ids()) == 151  # and those of the last day are all there


def test_a_save_by_hand_outlives_later_ones(ws: Workspace, clew: Clew) -> None:
    made = [save(ws, clew, f"by hand {number}", Origin.MANUAL) for number in range(160)]
    prune_in_background(ws)
    clew.ok("prune")

    assert clew.ids() == made[::-1]


def test_days_later_hooks_are_thinned_out_and_what_a_person_did_is_there(
    ws: Workspace, clew: Clew, host: FakeHost
) -> None:
    with host.shifted(-3 * DAY):
        mine = save(ws, clew, "before the refactoring", Origin.MANUAL)
        named, pinned, judged, base, *hooks = (save(ws, clew, f"step {n}") for n in range(60))
        ws.edit(named, name="agreed")
        ws.edit(pinned, pin=True)
        ws.forks.create(base, name="another-way")
    ws.verify(judged, "false")
    for number in range(12):  # further than undo reaches
        save(ws, clew, f"today {number}")
    prune_in_background(ws)
    left = clew.ids()

    assert {mine, named, pinned, judged, base} <= set(left)
    assert len(set(left) & set(hooks)) <= 2  # one for each hour; the judged one may be that
    assert len(left) == 5 + 12 + len(set(left) & set(hooks))


def test_the_newest_good_one_stays_when_it_is_old(
    ws: Workspace, clew: Clew, host: FakeHost
) -> None:
    with host.shifted(-100 * DAY):
        good = save(ws, clew, "it works")
        ws.verify(good, "true")
        with ws.reading_context() as context:  # as if the check had been asked of its twin
            context.store.database.execute("UPDATE verdicts SET checkpoint = zeroblob(32)")
        for number in range(20):
            save(ws, clew, f"broken {number}")
    for number in range(12):
        save(ws, clew, f"today {number}")
    clew.ok("prune")

    assert clew.json("good")["checkpoint"]["id"] == good


def test_a_rescue_stays_for_thirty_days(ws: Workspace, clew: Clew, host: FakeHost) -> None:
    with host.shifted(-29 * DAY):
        target = save(ws, clew, "old", Origin.MANUAL)
        (clew.workspace / "file").write_text("never saved")
        rescue = ws.restore(target).rescue
        assert rescue is not None
        for number in range(30):
            save(ws, clew, f"step {number}")
    clew.ok("prune")
    kept = rescue.id.hex() in clew.ids()
    with host.shifted(1 * DAY + HOUR):
        ws.prune()

    assert kept
    assert rescue.id.hex() not in clew.ids()  # others of its week are newer


def test_steps_of_a_library_are_automatic(ws: Workspace, clew: Clew, host: FakeHost) -> None:
    with host.shifted(-2 * DAY):
        for number in range(20):
            with ws.step(f"step {number}"):
                (clew.workspace / "file").write_text(str(number))
    for number in range(12):
        save(ws, clew, f"today {number}")
    clew.ok("prune")

    assert len(clew.ids()) < 12 + 4


def test_a_clock_that_was_ahead_or_behind_costs_nothing_recent(
    ws: Workspace, clew: Clew, host: FakeHost
) -> None:
    made = [save(ws, clew, "now")]
    with host.shifted(400 * DAY):
        made += [save(ws, clew, f"ahead {number}") for number in range(15)]
    with host.shifted(-400 * DAY):
        made += [save(ws, clew, f"behind {number}") for number in range(15)]
    made += [save(ws, clew, f"again {number}") for number in range(15)]
    clew.ok("prune")

    assert clew.ids() == made[::-1]


# A limit, and the yes


def old_steps(ws: Workspace, clew: Clew) -> None:
    for number in range(16):
        save(ws, clew, f"mine {number}", Origin.MANUAL)


def test_a_limit_on_the_command_line_asks_first(ws: Workspace, clew: Clew) -> None:
    old_steps(ws, clew)
    refused = clew.run("prune", "--keep-last", "2")
    kept = len(clew.ids())
    code, error = clew.error("prune", "--keep-last", "2")
    clew.ok("prune", "--keep-last", "2", "--yes")

    assert refused.code == code == 5
    assert "Would remove 5 checkpoints" in refused.out
    assert refused.talk == [
        "Error: Confirmation required: 5 manual checkpoints would be removed",
        "Hint: List them with --dry-run, or remove them with --yes",
    ]
    assert error["kind"] == "prune-needs-confirmation"
    assert kept == 16
    assert len(clew.ids()) == 11  # here, and ten steps of undo


def test_a_limit_that_is_set_is_the_yes(ws: Workspace, clew: Clew) -> None:
    old_steps(ws, clew)
    clew.ok("config", "set", "keep-last", "2")
    clew.ok("prune")

    assert len(clew.ids()) == 11


def test_a_dry_run_tells_the_rule_of_each(ws: Workspace, clew: Clew, host: FakeHost) -> None:
    with host.shifted(-3 * DAY):
        for number in range(15):
            save(ws, clew, f"step {number}")
    for number in range(12):
        save(ws, clew, f"today {number}")
    told = clew.ok("prune", "--dry-run").out
    found = clew.json("prune", "--dry-run")

    assert "by rule hourly: one automatic checkpoint an hour is kept after a day" in told
    assert found["rules"] == ["hourly"] * len(found["removed"])
    assert len(clew.ids()) == 27


# References


@pytest.fixture
def pruned(ws: Workspace, clew: Clew, host: FakeHost) -> list[str]:
    """Checkpoints of an hour three days ago, all but one of them pruned; oldest first."""
    start = time.time_ns() - 3 * DAY
    with host.shifted(
        -3 * DAY - start % HOUR
    ):  # at the beginning of an hour: all of them are in it
        made = [save(ws, clew, f"step {number}") for number in range(5)]
    for number in range(12):
        save(ws, clew, f"today {number}")
    clew.ok("prune")
    return made


def test_a_pruned_checkpoint_says_when_and_by_which_rule(pruned: list[str], clew: Clew) -> None:
    gone, left = pruned[1], pruned[-1]
    today = time.strftime("%Y-%m-%d", time.gmtime())
    for ref in (gone, gone[:8], gone[:12].upper(), "id:" + gone[:10], "checkpoint-2"):
        ran = clew.run("show", ref)

        assert ran.code == 2
        assert ran.talk[0].startswith(f"Error: Checkpoint was pruned: {gone[:8]} ({today} ")
        assert ran.talk[0].endswith(" UTC, one automatic checkpoint an hour is kept after a day)")
    assert left in clew.ids()


@pytest.mark.parametrize("verb", ["show", "restore", "diff", "cat", "fork", "verify", "edit"])
def test_every_command_says_so(pruned: list[str], clew: Clew, verb: str) -> None:
    more = {"cat": ["file"], "verify": ["--", "true"], "edit": ["--pin"]}.get(verb, [])
    code, error = clew.error(verb, pruned[1], *more)

    assert (code, error["kind"]) == (2, "checkpoint-removed")
    assert error["checkpoint"] == pruned[1]
    assert error["rule"] == "hourly"
    assert error["removed_time"].endswith("Z")
    assert error["nearest"] in clew.ids()
    assert error["nearest"][:8] in error["hint"]


def test_a_step_back_onto_a_pruned_one_says_what_is_used_instead(
    pruned: list[str], clew: Clew, ws: Workspace
) -> None:
    ws.restore(pruned[-1])
    gone = clew.run("show", "@~2")
    (clew.workspace / "file").write_text("after")
    clew.save("after")
    passed = clew.run("show", "@~2")

    assert gone.code == 2  # nothing is left above the oldest that stayed
    assert f"Checkpoint was pruned: {pruned[2][:8]}" in gone.err
    assert passed.code == 2


def test_a_time_of_a_pruned_one_says_what_is_used_instead(
    clew: Clew, host: FakeHost, ws: Workspace
) -> None:
    start = time.time_ns() - 3 * DAY
    with host.shifted(-3 * DAY - start % HOUR):
        first = save(ws, clew, "by hand", Origin.MANUAL)
    with host.shifted(-3 * DAY - start % HOUR + 5 * 60 * 1_000_000_000):
        gone = save(ws, clew, "step 1")
    moment = time.strftime("%Y-%m-%d %H:%M", time.gmtime((start - start % HOUR) // 10**9 + 300))
    with host.shifted(-3 * DAY - start % HOUR + 30 * 60 * 1_000_000_000):
        save(ws, clew, "step 2")
    for number in range(12):
        save(ws, clew, f"today {number}")
    clew.ok("prune")
    ran = clew.run("show", moment)

    assert gone not in clew.ids()
    assert ran.code == 0, ran.err
    assert first[:8] in ran.out
    assert f"Checkpoint was pruned: {gone[:8]}" in ran.err
    assert f"using the nearest remaining checkpoint: {first[:8]}" in ran.err


def test_what_was_deleted_by_name_says_that(clew: Clew, ws: Workspace) -> None:
    gone = save(ws, clew, "deleted", Origin.MANUAL)
    save(ws, clew, "here", Origin.MANUAL)
    clew.ok("delete", gone)
    error = clew.error("show", gone)[1]

    assert error["message"].startswith(f"Checkpoint was deleted: {gone[:8]} (")
    assert error["rule"] == "delete"


def test_a_rebuilt_catalogue_knows_it_still(pruned: list[str], clew: Clew, ws: Workspace) -> None:
    ws.close()
    clew.ok("check", "--rebuild")
    rebuilt = clew.error("show", pruned[1])[1]
    clew.ok("save", "so that there is a backup")
    for side in ("", "-wal", "-shm"):
        Path(f"{clew.store}/catalog.db{side}").unlink(missing_ok=True)
    clew.ok("check", "--rebuild")
    from_backup = clew.error("show", pruned[1])[1]

    assert rebuilt["rule"] == from_backup["rule"] == "hourly"
    assert rebuilt["removed_time"] == from_backup["removed_time"]
