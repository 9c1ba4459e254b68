"""Building blocks of the words: a phrase in three lengths, counts and lists of names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple

NUMBERS = re.compile(r"\d[\d,]*")


NAMED_ON_CARD = 6


SEEDS = ("pip", "setuptools", "wheel")
"""Packages of every new Python environment."""


class Phrase(NamedTuple):
    """One line in three lengths."""

    short: str
    """For a headline; about 60 characters at most."""
    text: str
    """For a card."""
    shortest: str = ""
    """For a headline with other parts, about 36 characters at most; empty if `short` is."""


def some(names: Sequence[str], most: int, more: str = "more") -> str:
    """Return `a, b and 6 more`."""
    left = len(names) - most
    if left <= 1:  # "and 1 more" takes more space than the name
        return joined(names)
    return f"{', '.join(names[:most])} and {left:,} {more}"


def place(scope: str) -> str:
    """Return the path in a scope: `web/.venv` for `pip:web/.venv`; empty for the root."""
    found = scope.partition(":")[2]
    return "" if found in ("", ".") else found


def arrow(fact: Fact) -> str:
    """Return `a → b`; of two amounts of the same thing `1,000 → 3 records`."""
    before, after = fact.before or "none", fact.after or "none"
    was, now = _AMOUNT.fullmatch(before), _AMOUNT.fullmatch(after)
    is_same = was is not None and now is not None and was[2] == now[2]
    return f"{was[1] if was is not None and is_same else before} → {after}"


_AMOUNT = re.compile(r"(~?\d[\d,.]*) ([a-z]{3,12}?)s?")
"""A number of things; units of size have capitals or are shorter."""


def versions(fact: Fact) -> tuple[str, str]:
    """Return the versions that went and came, of a package that may have several at once."""
    old, new = (fact.before or "").split(", "), (fact.after or "").split(", ")
    gone = [one for one in old if one and one not in new]
    came = [one for one in new if one and one not in old]
    return ", ".join(gone), ", ".join(came)


def changed_version(fact: Fact) -> str:
    """Return `six 1.16.0 → 1.17.0`, or a clause if one of several versions came or went."""
    gone, came = versions(fact)
    if not fact.before or not fact.after or (gone and came):
        return f"{fact.subject} {gone or 'none'} → {came or 'none'}"
    if came and "," not in fact.before and "," not in came:
        return f"second version {came} of {fact.subject} added"
    number = "versions" if "," in came + gone else "version"
    if came:
        return f"{number} {came} of {fact.subject} added"
    return f"{number} {gone} of {fact.subject} removed"


PATH_LIMIT = 32


def near(path: str) -> str:
    """Return a path, or as much of its end as fits in a headline."""
    path = _in_volume(path)
    return path if len(path) <= PATH_LIMIT else "/".join(path.split("/")[-2:])


def _in_volume(path: str) -> str:
    """Return a path in a volume of containers by the name of the volume: `shop_uploads/invoices`."""
    before, _, rest = path.partition("/_data")
    above, _, name = before.rpartition("/")
    is_volume = above.endswith("volumes") and (not rest or rest[0] == "/")
    return f"{name}{rest}" if is_volume and name else path


def joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def base(path: str) -> str:
    path = path if path[-6:] != "/_data" else _in_volume(path)
    return path.rpartition("/")[2] or path


def summed(marks: Sequence[str]) -> list[str]:
    """Return marks with equal words added up: `+1 lines` and `+3 −1 lines` give `+4 −1 lines`."""
    sums: dict[str, list[int]] = {}
    for mark in marks:
        numbers = [int(number.replace(",", "")) for number in NUMBERS.findall(mark)]
        words = NUMBERS.sub("#", mark)
        words += "s" if words.endswith("# line") else ""
        if words in ("+# lines", "−# lines"):  # one side only
            numbers = [*numbers, 0] if words[0] == "+" else [0, *numbers]
            words = "+# −# lines"
        before = sums.setdefault(words, [0] * len(numbers))
        sums[words] = [one + other for one, other in zip(before, numbers, strict=True)]
    return [_filled(words, numbers) for words, numbers in sums.items()]


def _filled(words: str, numbers: Sequence[int]) -> str:
    for number in numbers:
        words = words.replace("#", f"{number:,}", 1)
    words = words.replace("+0 ", "").replace(" −0 lines", " lines")
    return words.removesuffix("s") if words in ("+1 lines", "−1 lines") else words
