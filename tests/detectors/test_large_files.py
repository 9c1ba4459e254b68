from __future__ import annotations

from clew.detectors.data.large_files import LargeFiles
from tests.kit.moments import facts, file


def test_a_large_file_nobody_knows_says_how_large_it_is() -> None:
    (fact,) = facts(LargeFiles(), {}, {"scene.dat": file(size=60_000_000), "small": b"x"})

    assert (fact.kind, fact.subject, fact.after) == ("data.changed", "scene.dat", "60.0 MB")


def test_one_that_shrank_or_went_is_told_by_both_sizes() -> None:
    old = {"a": file(size=20_000_000), "b": file(b"1", size=20_000_000)}

    result = facts(LargeFiles(), old, {"a": file(size=1_000)})

    assert [(fact.subject, fact.before, fact.after) for fact in result] == [
        ("a", "20.0 MB", "1.0 kB"),
        ("b", "20.0 MB", None),
    ]
