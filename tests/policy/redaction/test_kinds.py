"""Redaction by kinds of secrets: each as typed, as printed, and in a file.

First results, before a rule was written for any line of the set:

| set | typed | printed | in a file |
|---|---|---|---|
| kinds: found | 128 of 196 | 129 of 196 | 190 of 202 |
| kinds, held out: found | 90 of 115 | 90 of 115 | 96 of 118 |
| kinds, third: found | 58 of 74 | 59 of 74 | 60 of 74 |
| look-alikes: spoiled | 0 of 103 | 19 of 103 | 22 of 88 |
"""

from __future__ import annotations

import pytest

from clew.policy.redaction.conceal import conceal
from clew.policy.redaction.redact import _TOKENS, redact, redact_words
from clew.policy.redaction.tokens import TOKENS
from tests.policy.redaction.labelled import Kind, benign_files, kinds

SETS = ("kinds.txt", "kinds_held_out.txt", "kinds_third.txt")
KINDS = [kind for name in SETS for kind in kinds(name)]
BENIGN = benign_files("benign_kinds.txt")

KNOWN_MISSES = {
    "algolia": ("typed", "printed"),  # hexadecimal digits without a name
    "low-ruby": ("typed",),
    "postfix": ("typed", "printed"),
    "ppp": ("typed", "printed"),
    "cloud-init": ("typed", "printed"),
    "log-ftp": ("file",),  # lines of a file are read one by one
    "net-user": ("typed", "printed", "file"),  # an argument without a name
}


def _as(way: str, kind: Kind) -> str:
    if way == "file":
        return "\n".join(conceal(kind.path, kind.text.split("\n")))
    return {"typed": redact_words, "printed": redact}[way](kind.text)


def test_there_are_enough_kinds_to_tell() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 300
    assert len(BENIGN) >= 100
    assert all(kind.secrets and all(s in kind.text for s in kind.secrets) for kind in KINDS)


@pytest.mark.parametrize("way", ["typed", "printed", "file"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_secret_of_each_kind_goes(kind: Kind, way: str) -> None:
    if kind.needs_file and way != "file":
        return
    missed = [secret for secret in kind.secrets if secret in _as(way, kind)]

    assert bool(missed) == (way in KNOWN_MISSES.get(kind.name, ()))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_redacting_it_again_changes_nothing(kind: Kind) -> None:
    for function in (redact, redact_words):
        once = function(kind.text)
        assert function(once) == once
    lines = conceal(kind.path, kind.text.split("\n"))

    assert conceal(kind.path, lines) == lines


@pytest.mark.parametrize(("path", "text"), BENIGN, ids=lambda text: text[:50])
def test_what_looks_like_a_secret_and_is_none_stays(path: str, text: str) -> None:
    assert redact_words(text) == text
    assert redact(text) == text
    if path != "-":
        assert "\n".join(conceal(path, text.split("\n"))) == text


def test_each_kind_of_token_is_looked_for() -> None:
    assert [
        token.sign
        for token in TOKENS
        if token.sign and not any(sign in token.sign for sign in _TOKENS)
    ] == []


def test_little_else_goes_from_a_file() -> None:
    """The names beside a secret are what a patch is read for."""
    shown = "\n".join(conceal("values.yaml", ["db:", "  password: Hafen331", "  port: 5432"]))

    assert shown == "db:\n  password: [redacted]\n  port: 5432"
