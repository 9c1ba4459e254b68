from __future__ import annotations

import pytest

from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.record import Origin
from clew.model.results import Log
from clew.model.shorten import width_of
from clew.render.style import Style
from clew.render.timeline import lines
from tests.cli import samples


def drawn(*checkpoints: Checkpoint, width: int = 120, colour: bool = False) -> list[str]:
    look = Style(samples.NOW, lambda _: 0, width, colour)
    return list(lines(Log(None, checkpoints), look))


def test_a_timeline_reads_in_columns() -> None:
    assert drawn(*samples.LOG.checkpoints) == [
        "●  11:00             try the new login                       ✘ npm test 11:07  +3 ~2 -1  04040404  ← here incomplete",
        "│  10:27             ↩ rescue before restoring before-auth                     ~1        03030303",
        "●  Sun 10:07         before-auth · before the auth refactor  ✔ npm test 11:07  +3 ~2 -1  02020202  pinned",
        "●  2025-12-06 11:07  checkpoint-1                                              +12       01010101",
    ]


@pytest.mark.parametrize(
    ("change", "cell"),
    [
        ({}, "✔ npm test"),
        ({"exit_code": 1}, "✘ npm test"),
        ({"is_flaky": True}, "~ npm test"),
        ({"exit_code": None, "end_reason": "timeout"}, "? npm test"),
        ({"exit_code": 125, "end_reason": "skipped"}, "? npm test"),
        ({"changed_count": 1}, "✔! npm test"),
        ({"exit_code": 1, "changed_count": 1}, "✘! npm test"),
        ({"command": "npm run every-test-there-is"}, "✔ npm run every-test-th…"),
    ],
)
def test_a_verdict_has_a_mark(change: dict[str, object], cell: str) -> None:
    verdict = samples.verdict()._replace(**change)  # type: ignore[arg-type]

    assert drawn(samples.checkpoint(1, Labels("x"), changes=None, verdict=verdict)) == [
        f"●  11:07  x  {cell}  01010101"
    ]


@pytest.mark.parametrize(
    ("minutes", "cell"),
    [
        (1, "✔ npm test"),
        (2, "✔ npm test 11:05"),
        (60 * 12, "✔ npm test Sun 23:07"),
        (60 * 24 * 30, "✔ npm test 2025-12-06"),
    ],
)
def test_a_check_of_another_time_says_when(minutes: int, cell: str) -> None:
    verdict = samples.verdict()
    verdict = verdict._replace(time_ns=verdict.time_ns - minutes * 60 * samples.SECOND)

    assert drawn(samples.checkpoint(1, Labels("x"), changes=None, verdict=verdict)) == [
        f"●  11:07  x  {cell}  01010101"
    ]


def test_a_long_command_leaves_room_for_the_time() -> None:
    verdict = samples.verdict(command="npm run every-test-there-is")
    checkpoint = samples.checkpoint(1, Labels("x"), minutes_ago=9, changes=None, verdict=verdict)

    assert drawn(checkpoint) == ["●  10:58  x  ✔ npm run every-t… 11:07  01010101"]


def test_a_column_that_nobody_needs_is_left_out() -> None:
    assert drawn(samples.checkpoint(1, Labels("first"), changes=None)) == [
        "●  11:07  first  01010101"
    ]


def test_an_empty_timeline_has_no_lines() -> None:
    assert drawn() == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_titles_are_shortened_to_the_width(width: int) -> None:
    wide = samples.checkpoint(9, Labels("日本語のとても長い意図" * 9), is_here=True)
    narrow = samples.checkpoint(8, Labels("a very long intent " * 9))
    found = drawn(wide, narrow, width=width)

    assert all(width_of(line) <= width for line in found)
    assert "…" in found[0]
    assert found[0].index("09090909") != found[1].index("08080808")  # characters differ, but
    assert width_of(found[0].split("09090909")[0]) == width_of(found[1].split("08080808")[0])


def test_a_screen_too_narrow_still_says_the_most() -> None:
    (line,) = drawn(samples.LATEST, width=10)

    assert "try the new login" in line


def test_automatic_checkpoints_are_quieter_unless_named() -> None:
    automatic = samples.checkpoint(1, Labels("step"), origin=Origin.AUTOMATIC)
    named = samples.checkpoint(2, Labels(name="v1", named=True), origin=Origin.HOOK)

    assert [line[0] for line in drawn(automatic, named)] == ["○", "●"]


def test_counts_have_a_sign_each() -> None:
    changes = ChangeCounts(1, 2, 3, 4, 5)

    assert "+1 ~2 -3 →4 *5" in drawn(samples.checkpoint(1, changes=changes))[0]
    assert "  =  " in drawn(samples.checkpoint(1, changes=ChangeCounts()))[0]


def test_a_headline_takes_the_place_of_the_counts() -> None:
    told = samples.checkpoint(1, Labels("first"))._replace(headline="new workspace, 3 entries")

    assert drawn(told) == ["●  11:07  first  new workspace, 3 entries  01010101"]


@pytest.mark.parametrize("width", [80, 120, 160])
def test_title_and_headline_share_the_width(width: int) -> None:
    long = samples.checkpoint(9, Labels("a long intent " * 9))._replace(headline="happened " * 11)
    short = samples.checkpoint(8, Labels("short"))._replace(headline="happened " * 11)
    found = drawn(long, short, width=width)

    assert all(width_of(line) <= width for line in found)
    assert "a long intent" in found[0]
    assert "…" in found[0]
    assert "happened happened" in found[0]
    assert found[0].index("09090909") == found[1].index("08080808")


def test_a_headline_has_the_room_that_titles_leave() -> None:
    told = samples.checkpoint(8, Labels("short"))._replace(headline="happened " * 6)
    (line,) = drawn(told, width=80)

    assert "happened " * 5 + "happened  0808" in line


def test_a_hostile_headline_stays_in_its_line() -> None:
    told = samples.checkpoint(1)._replace(headline=samples.HOSTILE)
    (line,) = drawn(told, width=300)

    assert "\x1b" not in line
    assert "\n" not in line
    assert line.isprintable()


def test_a_hostile_label_stays_in_its_line() -> None:
    hostile = samples.checkpoint(
        1,
        Labels(samples.HOSTILE, samples.HOSTILE, True),
        verdict=samples.verdict(command=samples.HOSTILE),
    )
    (line,) = drawn(hostile, width=300)

    assert "\\x1b[31mred\\x07 \\u202eevil…" in line
    assert "\x1b" not in line
    assert "\n" not in line


def test_colours_only_wrap_the_same_text() -> None:
    coloured, plain = drawn(samples.NAMED, colour=True), drawn(samples.NAMED)
    without = coloured[0]
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        without = without.replace(f"\x1b[{code}m", "")

    assert without.rstrip() == plain[0]
    assert without != coloured[0]


def test_a_rescue_is_dim_from_end_to_end() -> None:
    (line,) = drawn(samples.RESCUE, colour=True)

    assert "\x1b[2m" in line
    assert "\x1b[1m" not in line
    assert "\x1b[36m" not in line
