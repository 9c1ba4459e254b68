from __future__ import annotations

import itertools
import re

import pytest

from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.drill import Drill
from clew.model.failed_call import FailedCall
from clew.model.position import Position
from clew.model.record import Origin
from clew.model.results import Branches, ForkPoint, Log
from clew.model.shorten import width_of
from clew.render.style import Style
from clew.render.timeline.lines import lines
from tests.cli import samples

WIDTHS = [60, 80, 100, 160, 240]
WIDE_TEXT = "日本語のとても長い意図 🚀 " * 9
LONG_HEADLINE = "! app.db: table orders dropped (50 rows); " + "happened " * 7


def log_of(*checkpoints: Checkpoint, **more: object) -> Log:
    parents = {newer.id: older.id for newer, older in itertools.pairwise(checkpoints)}
    here = next((one.id for one in checkpoints if one.is_here), None)
    return Log(here, checkpoints, Branches(parents)._replace(**more))  # type: ignore[arg-type]


def drawn(
    *checkpoints: Checkpoint, width: int = 120, colour: bool = False, **more: object
) -> list[str]:
    look = Style(samples.NOW, lambda _: 0, width, colour)
    return list(lines(log_of(*checkpoints, **more), look))


def by_agent(number: int, intent: str, prompt: str = "", **more: object) -> Checkpoint:
    found = samples.checkpoint(
        number, Labels(intent, prompt=prompt), origin=Origin.HOOK, minutes_ago=60 - number
    )
    position = Position(session=b"1" * 16, agent="claude-code")
    return found._replace(record=found.record._replace(position=position), **more)  # type: ignore[arg-type]


def test_a_timeline_reads_in_columns() -> None:
    assert drawn(*samples.LOG.checkpoints, width=100) == [
        "  today",
        "  check: npm test",
        "@ 04040404 11:00 ✘ try the new login ← here incomplete            +3 ~2 -1",
        "◦ 03030303 10:27   ↩ before restoring before-auth                 ~1",
        "│ yesterday",
        "● 02020202 10:07 ✔ before-auth · before the auth refactor pinned  +3 ~2 -1",
        "│ Sat 6 Dec 2025",
        "● 01010101 11:07                                                  +12",
    ]


def test_checkpoints_of_today_need_no_day() -> None:
    assert drawn(samples.LATEST)[0] == "  check: npm test"
    assert len(drawn(samples.RESCUE)) == 1


def test_an_agents_work_is_below_its_prompt() -> None:
    prompt = "add discounts"
    steps = [
        by_agent(4, prompt, prompt),
        by_agent(3, "add discounts: npm ci", prompt),
        by_agent(2, "before: rm -rf build", prompt),
    ]
    mine = samples.checkpoint(5, Labels("my own"), is_here=True)

    assert drawn(mine, *steps, width=80) == [
        "@ 05050505 11:07 you my own ← here         +3 ~2 -1",
        "│ claude-code: add discounts (3 checkpoints)",
        "○ 04040404 10:11     end of the turn       +3 ~2 -1",
        "○ 03030303 10:10     npm ci                +3 ~2 -1",
        "○ 02020202 10:09     before: rm -rf build  +3 ~2 -1",
    ]


def test_a_single_step_names_its_agent_and_its_prompt() -> None:
    mine = samples.checkpoint(5, Labels("my own"))

    assert "claude make" in drawn(mine, by_agent(2, "make"))[1]
    assert drawn(mine, by_agent(2, "fix: make", "fix"))[1] == "│ claude-code: fix (1 checkpoint)"


def test_a_reason_is_shown_without_the_rules_that_programs_draw() -> None:
    failed = FailedCall("make", "=" * 70 + " FAILED", 0, b"1" * 16, *[samples.FIRST.id] * 2)

    assert any(
        line.endswith("failed: make: FAILED") for line in drawn(samples.FIRST, failures=(failed,))
    )


def test_what_happened_to_the_package_that_was_asked_for_is_shown() -> None:
    log = log_of(samples.FIRST._replace(headline="installed 40 packages"))
    log = log._replace(matches={samples.FIRST.id: "added mitt 3.0.1 (npm:web)"})
    found = list(lines(log, Style(samples.NOW, lambda _: 0, 100, False)))

    assert found[-1].endswith("added mitt 3.0.1 (npm:web)")


def test_seconds_are_shown_where_a_minute_is_not_enough() -> None:
    first, second, third = (samples.checkpoint(number) for number in (1, 2, 3))
    third = third._replace(record=third.record._replace(time_ns=samples.NOW + 90 * samples.SECOND))

    assert [line.split()[2] for line in drawn(third, second, first)] == [
        "11:08", "11:07:00", "11:07:00",
    ]  # fmt: skip


def test_a_failed_call_has_a_row_between_the_checkpoints() -> None:
    failed = FailedCall(
        "pytest -q", "Exit code 1", samples.NOW, b"1" * 16, samples.FIRST.id, samples.FIRST.id
    )

    found = drawn(samples.RESCUE, samples.FIRST, failures=(failed,))
    assert "×          11:07:00 failed: pytest -q: Exit code 1" in found


def test_a_call_that_failed_and_changed_files_is_marked() -> None:
    one, two = by_agent(2, "make"), by_agent(1, "x")
    failed = FailedCall("make", "Exit code 1", samples.NOW, b"1" * 16, two.id, one.id)

    assert "make failed" in drawn(one, two, failures=(failed,))[1]


def test_a_fork_and_its_adoption_are_connected() -> None:
    adopting, base = samples.checkpoint(3, Labels("adopted again")), samples.checkpoint(1)
    fork = ForkPoint("again", b"f" * 16, base.id, samples.NOW - 1, 3, "edited main.py")
    base = base._replace(record=base.record._replace(time_ns=samples.NOW - 2))
    found = drawn(adopting, base, forks=(fork,), adopted={adopting.id: fork.workspace})

    assert found[0].startswith("●─╮ 03030303")
    assert found[1] == "├─◇          11:06 fork again, 3 checkpoints: edited main.py"
    assert found[2].startswith("●   01010101")


def test_folded_steps_name_the_first_and_the_last() -> None:
    steps = [by_agent(number, f"step {number}", headline="a.py: +f()") for number in (4, 3, 2)]
    found = drawn(*steps, routine=frozenset(one.id for one in steps))

    assert found[1] == "○ 04040404 10:11 3 edits from 02020202  a.py: +f()"


def test_the_current_checkpoint_is_shown_below_a_gap() -> None:
    found = drawn(samples.checkpoint(9), here=samples.LATEST, unlisted_count=14)

    assert [line.strip() for line in found][1:3] == ["14 checkpoints not shown", "check: npm test"]
    assert found[3].startswith("@   04040404")


def test_a_check_is_named_where_its_command_changes() -> None:
    found = drawn(
        samples.checkpoint(4, verdict=samples.verdict()),
        samples.checkpoint(3, verdict=samples.verdict(1)),
        samples.checkpoint(2, verdict=samples.verdict(command="make test")),
        samples.checkpoint(1, verdict=samples.verdict()),
    )

    assert [line.strip(" │") for line in found if "check:" in line] == [
        "check: npm test", "check: make test", "check: npm test",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "cell"),
    [
        ({}, "✔"),
        ({"exit_code": 1}, "✘"),
        ({"is_flaky": True}, "~"),
        ({"exit_code": None, "end_reason": "timeout"}, "?"),
        ({"exit_code": 125, "end_reason": "skipped"}, "?"),
        ({"changed_count": 1}, "✔!"),
        ({"exit_code": 1, "changed_count": 1}, "✘!"),
    ],
)
def test_a_verdict_is_one_sign(change: dict[str, object], cell: str) -> None:
    verdict = samples.verdict()._replace(**change)  # type: ignore[arg-type]

    assert drawn(samples.checkpoint(1, Labels("x"), changes=None, verdict=verdict)) == [
        "  check: npm test",
        f"● 01010101 11:07 {cell} x",
    ]


def test_a_column_that_nobody_needs_is_left_out() -> None:
    assert drawn(samples.checkpoint(1, Labels("first"), changes=None)) == ["● 01010101 11:07 first"]


def test_an_empty_timeline_has_no_lines() -> None:
    assert drawn() == []


def test_without_a_graph_there_are_marks() -> None:
    look = Style(samples.NOW, lambda _: 0, 100, False)
    log = log_of(samples.RESCUE, by_agent(2, "a: b", "a"), by_agent(1, "a: c", "a"))
    found = list(lines(log, look, graph=False))

    assert [line[:2] for line in found] == ["◦ ", "  ", "○ ", "○ "]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_line_fits_and_no_id_is_cut(width: int) -> None:
    checkpoints = [
        by_agent(
            number,
            f"{WIDE_TEXT}: npm install {number}",
            WIDE_TEXT if number > 4 else "",
            headline=LONG_HEADLINE,
            verdict=samples.verdict(number % 2, command=WIDE_TEXT),
            is_here=number == 7,
            drill=Drill(samples.NOW, "proven") if number == 6 else None,
        )
        for number in range(9, 0, -1)
    ]
    parents = {one.id: checkpoints[-1].id for one in checkpoints[:-1]}
    failed = FailedCall(
        WIDE_TEXT, WIDE_TEXT, samples.NOW, b"1" * 16, checkpoints[3].id, checkpoints[3].id
    )
    fork = ForkPoint(WIDE_TEXT, b"f", checkpoints[4].id, samples.NOW, 2, LONG_HEADLINE)
    found = drawn(*checkpoints, width=width, parents=parents, failures=(failed,), forks=(fork,))

    assert all(width_of(line) <= width for line in found)
    assert re.findall(r"\b(0\d)\1{3}\b", "\n".join(found)) == [f"0{n}" for n in range(9, 0, -1)]
    assert sum("← here" in line for line in found) == 1
    assert all(line == line.rstrip() for line in found)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_most_telling_part_of_a_story_is_seen(width: int) -> None:
    one = samples.checkpoint(1, Labels("a long intent " * 9))._replace(headline=LONG_HEADLINE)
    (line,) = drawn(one, width=width)

    assert "a long" in line
    assert "! app.db: table" in line if width > 60 else "! app.db: ta" in line


def test_columns_start_at_the_same_place_for_wide_characters() -> None:
    wide = samples.checkpoint(9, Labels(WIDE_TEXT))._replace(headline="one")
    narrow = samples.checkpoint(8, Labels("short"))._replace(headline="two")
    found = drawn(wide, narrow, width=100)

    assert width_of(found[0].split("one")[0]) == width_of(found[1].split("two")[0])


def test_a_screen_too_narrow_still_has_the_ids() -> None:
    assert "04040404" in drawn(samples.LATEST, width=10)[1]


def test_a_story_has_the_room_that_titles_leave() -> None:
    told = samples.checkpoint(8, Labels("short"))._replace(headline="happened " * 5)
    (line,) = drawn(told, width=80)

    assert line.endswith("short  " + "happened " * 4 + "happened")


def test_automatic_checkpoints_are_quieter_unless_named() -> None:
    automatic = samples.checkpoint(1, Labels("step"), origin=Origin.AUTOMATIC)
    named = samples.checkpoint(2, Labels(name="v1", named=True), origin=Origin.HOOK)

    assert [line[0] for line in drawn(automatic, named)] == ["○", "●"]


def test_counts_have_a_sign_each() -> None:
    changes = ChangeCounts(1, 2, 3, 4, 5)

    assert "+1 ~2 -3 →4 *5" in drawn(samples.checkpoint(1, changes=changes))[0]
    assert drawn(samples.checkpoint(1, Labels("x"), changes=ChangeCounts()))[0].endswith("x  =")


@pytest.mark.parametrize("width", [60, 300])
def test_hostile_text_stays_in_its_line(width: int) -> None:
    hostile = samples.checkpoint(
        1,
        Labels(samples.HOSTILE, samples.HOSTILE, True, prompt=samples.HOSTILE),
        verdict=samples.verdict(command=samples.HOSTILE),
    )._replace(headline=samples.HOSTILE)
    position = Position(session=b"1" * 16, agent=samples.HOSTILE)
    hostile = hostile._replace(record=hostile.record._replace(position=position))
    failed = FailedCall(samples.HOSTILE, samples.HOSTILE, 0, b"1" * 16, hostile.id, hostile.id)
    fork = ForkPoint(samples.HOSTILE, b"f", hostile.id, 0, 1, samples.HOSTILE)
    found = drawn(hostile, hostile, width=width, failures=(failed,), forks=(fork,))

    assert all(line.isprintable() for line in found)


def test_colours_only_wrap_the_same_text() -> None:
    checkpoints = (samples.LATEST, samples.RESCUE, samples.NAMED, samples.FIRST)
    coloured, plain = drawn(*checkpoints, colour=True), drawn(*checkpoints)

    assert [re.sub("\x1b\\[\\d+m", "", line).rstrip() for line in coloured] == plain
    assert coloured != plain


def test_a_rescue_is_dim_from_end_to_end() -> None:
    (line,) = drawn(samples.RESCUE, colour=True)

    assert set(re.findall("\x1b\\[(\\d+)m", line)) == {"0", "2"}


def test_a_warning_is_red() -> None:
    (line,) = drawn(samples.RESCUE._replace(headline="! gone"), colour=True)

    assert "\x1b[31m! gone" in line
