"""Bisect looks at the right checkpoints: a line of parents, or the timeline where no line leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import opening
from clew.errors import GoodNewerThanBad
from clew.operations.sandbox.bisect_range import Range, range_between, range_to
from tests.operations.quiet import quiet
from tests.operations.sandbox.bisecting import Bench, bench, sequences

__all__ = ["bench", "quiet"]


def numbers(bench: Bench, line: Range) -> list[int]:
    return [bench.number(one) for one in line.checkpoints]


def test_the_line_leaves_out_what_was_tried_beside_it(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.ws.restore(saved[1].id.hex())
    bench.save(4)
    context = bench.ws._access.context
    here = bench.ws.resolve("@")

    assert numbers(bench, range_to(context, here, lambda _: False)) == [1, 2, 4]
    assert numbers(bench, range_between(context, saved[1], here)) == [2, 4]


def test_a_bad_one_that_is_known_to_pass_is_not_where_it_begins(bench: Bench) -> None:
    last = bench.line(1, 2, 3)[-1]

    assert numbers(bench, range_to(bench.ws._access.context, last, lambda _: True)) == [2, 3]


def test_where_no_line_leads_the_timeline_does_without_rescues(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.file.write_text("unsaved")
    bench.ws.restore(saved[0].id.hex())
    last = bench.line(4, 5)[-1]
    context = bench.ws._access.context

    assert any(one.is_rescue for one in bench.ws.log().checkpoints)
    assert numbers(bench, range_between(context, saved[1], last)) == [2, 3, 4, 5]


def test_on_the_timeline_the_story_is_told_since_the_last_good_one(
    bench: Bench, project: Path
) -> None:
    first = bench.save(1)
    (project / "extra").write_text("x")
    second = bench.save(2)
    bench.ws.restore(first.id.hex())
    third = bench.save(3)
    bench.first_bad = 3
    found = bench.find(line=range_between(bench.ws._access.context, second, third))

    assert sequences(found) == (2, 3)
    assert found.details is not None
    assert "extra" in found.details.story.headline


def test_deleted_ones_are_passed_over_and_counted(bench: Bench) -> None:
    saved = bench.line(1, 2, 3, 4, 5, 6)
    bench.ws.delete([saved[at].id.hex() for at in (1, 3, 4)])
    line = range_to(bench.ws._access.context, saved[5], lambda _: False)

    assert numbers(bench, line) == [1, 3, 6]
    assert line.deleted == 3


def test_what_was_deleted_before_the_oldest_is_not_between(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.ws.delete([saved[0].id.hex()])

    assert range_to(bench.ws._access.context, saved[2], lambda _: False).deleted == 0


def test_the_good_one_after_the_bad_one_is_refused(bench: Bench) -> None:
    saved = bench.line(1, 2)
    with pytest.raises(GoodNewerThanBad) as refused:
        range_between(bench.ws._access.context, saved[1], saved[0])

    assert (refused.value.good, refused.value.bad) == (
        saved[1].id.hex()[:8],
        saved[0].id.hex()[:8],
    )


def test_the_line_of_a_fork_leads_into_the_workspace_that_it_grew_from(
    bench: Bench, tmp_path: Path
) -> None:
    bench.line(1, 2)
    bench.ws.forks.create("@", str(tmp_path / "fork"))
    with opening.open(tmp_path / "fork", bench.ws.store.path) as fork:
        other = Bench(fork, tmp_path / "fork")
        other.save(3)
        other.first_bad = 2
        found = other.find()

    assert sequences(found) == (1, 2)
    assert found.first_bad is not None
    assert found.first_bad.record.workspace == bench.ws.info.uuid
    assert found.candidates == 3  # the fork begins with the state that it grew from
