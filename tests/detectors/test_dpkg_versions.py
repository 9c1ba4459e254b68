from __future__ import annotations

from pathlib import Path

from clew.detectors.os_packages.dpkg_versions import compare, is_older

TABLE = Path(__file__).parent / "testdata" / "dpkg" / "versions.tsv"
"""300 pairs, each with the result of `dpkg --compare-versions` of Debian 12."""


def test_every_pair_compares_as_dpkg_itself_compares_it() -> None:
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]

    wrong = [
        (left, said, right)
        for left, said, right in rows
        if "<=>"[_sign(compare(left, right)) + 1] != said
    ]

    assert len(rows) == 300
    assert wrong == []


def test_comparing_the_other_way_round_gives_the_opposite() -> None:
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]

    assert all(
        _sign(compare(left, right)) == -_sign(compare(right, left)) for left, _, right in rows
    )


def test_a_tilde_and_an_epoch_decide_what_is_older() -> None:
    assert is_older("1.0~rc1", than="1.0")
    assert is_older("9.9", than="1:0.1")
    assert not is_older("1.0", than="1.0")


def test_hostile_versions_of_any_length_are_compared_quickly() -> None:
    assert is_older("1" * 200_000, than="2" * 200_000)
    assert is_older("1.a" * 50_000, than="1.a" * 50_000 + "1")
    assert compare("\udcff\x1b[31m", "") > 0


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
