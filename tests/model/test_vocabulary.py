"""The vocabulary is closed, and every kind has a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from clew.model.fact import Fact, Severity
from clew.model.vocabulary import FAMILIES, FAMILY, HEADINGS, KINDS, Family, family_of
from clew.story.words import phrase

_ALL = [f"{family.name}.{word}" for family in FAMILIES for word, _ in family.kinds]


def test_every_family_and_every_kind_is_there_once() -> None:
    assert len(FAMILY) == len(FAMILIES)
    assert len(KINDS) == len(_ALL)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_says_what_it_means(family: Family) -> None:
    assert family.kinds
    assert family.weight > 0
    assert all((family.heading, family.scope, family.subject, family.before_after))
    assert all(meaning and not meaning.endswith(".") for _, meaning in family.kinds)


def test_every_heading_is_listed_once_and_warnings_first() -> None:
    assert {family.heading for family in FAMILIES} <= set(HEADINGS)
    assert len(set(HEADINGS)) == len(HEADINGS)
    assert HEADINGS[0] == "Warnings"
    assert {"Files", "Running", "Not analysed"} <= set(HEADINGS)


def facts_of(kind: str) -> Iterator[Fact]:
    """Yield facts with all optional fields and with few."""
    values = [(None, "3"), ("2", None), ("2", "3")]
    if not kind.startswith("code."):  # source files are always counted
        values.append((None, None))
    for (before, after), marks, severity in product(values, [(), ("a mark",)], Severity.ALL):
        yield Fact(kind, "scope:place", "subject", before, after, severity=severity, marks=marks)


@pytest.mark.parametrize("kind", _ALL)
def test_every_kind_has_words_whatever_it_holds(kind: str) -> None:
    for fact in facts_of(kind):
        found = phrase(family_of(kind).name, [fact])
        for text in (found.short, found.text, found.shortest or found.short):
            assert text, fact
            assert text == text.strip(), fact
            assert "None" not in text, fact
            assert "  " not in text, fact


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_many_facts_share_a_line_that_can_be_read(family: Family) -> None:
    facts = [
        Fact(f"{family.name}.{word}", "scope:place", f"subject{number}", "2", "3")
        for word, _ in family.kinds
        for number in range(1 if family.name == "code" else 40)  # code is counted by its detector
    ]

    found = phrase(family.name, facts)

    assert len(found.short) < 1200
    assert len(found.text) < 3000
    assert "subject39" not in found.short


def test_a_kind_that_is_not_in_the_vocabulary_has_no_family() -> None:
    with pytest.raises(KeyError):
        family_of("weather.changed")
