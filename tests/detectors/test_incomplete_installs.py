"""Installations of conda, RubyGems and Composer that are not complete, and those that are."""

from __future__ import annotations

import json

import pytest

from clew.detectors.tools.incomplete_installs import IncompleteInstalls
from clew.model.entry import Entry, EntryKind
from clew.story.words import phrase
from tests.kit.moments import Moment, Thing, directory, facts, file

FILES = ["bin/tool", "lib/python3.11/site-packages/x/__init__.py", "lib/x.pyc"]
META = {"envs/ml/conda-meta/x-1.json": json.dumps({"name": "x", "files": FILES}).encode()}
LINKED: Moment = {f"envs/ml/{path}": b"x" for path in FILES[:2]}
HOME: Moment = {"vendor/bundle/ruby/3.2.0/specifications/a-1.gemspec": b"x"}
GEM = "vendor/bundle/ruby/3.2.0/gems/nokogiri-1.16.0"
LOCK: Moment = {
    "composer.lock": json.dumps({"packages": [{"name": "a/b"}, {"name": "c/d"}]}).encode()
}
DONE: Moment = {
    "vendor/composer/installed.json": b"{}",
    "vendor/a/b/x.php": b"",
    "vendor/c/d/x.php": b"",
}


def _said(old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.scope, one.subject, one.marks) for one in facts(IncompleteInstalls(), old, new)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({}, {**META, "envs/ml/bin/tool": b"x"}, ("conda:envs/ml", "x", ("1 of 2 files missing",))),
        (HOME, {**HOME, f"{GEM}/lib/a.rb": b""},
         ("gem:vendor/bundle/ruby/3.2.0", "nokogiri", ("no gemspec",))),
        (LOCK, {**LOCK, "vendor/a/b/x.php": b""}, ("composer:.", "vendor", ("1 of 2 packages missing",))),
        ({**LOCK, **DONE}, {**LOCK, "vendor/c/d/x.php": b""},
         ("composer:.", "vendor", ("1 of 2 packages missing",))),
    ],
)  # fmt: skip
def test_an_interrupted_installation_is_incomplete(
    old: Moment, new: Moment, said: tuple[str, str, tuple[str, ...]]
) -> None:
    assert _said(old, new) == [said]


_UNCOVERED = Thing(Entry(b"", EntryKind.UNCOVERED))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {**META, **LINKED}),
        ({}, {**META, "envs/ml/bin/tool": b"x", "envs/ml/lib": _UNCOVERED}),
        (META, {}),
        (HOME, {**HOME, f"{GEM}/lib/a.rb": b"", GEM.replace("gems/", "specifications/") + ".gemspec": b""}),
        ({}, {"src/gems/nokogiri-1.16.0/a.rb": b""}),
        (LOCK, {**LOCK, **DONE}),
        ({**LOCK, **DONE}, LOCK),
        ({}, {"vendor/github.com/pkg/errors/errors.go": b"package errors\n"}),
        ({**LOCK, "vendor/mine.php": b""}, {**LOCK, "vendor/mine.php": b"edited"}),
        ({}, {"conda-meta/x.json": b"[]", "conda-meta/y.json": b"{", "conda-meta/z.json": b'{"files": 1}'}),
        ({}, {"conda-meta/x.json": file(b"", size=1 << 40), "conda-meta/d": directory()}),
    ],
)  # fmt: skip
def test_a_complete_or_removed_installation_is_not_broken(old: Moment, new: Moment) -> None:
    assert _said(old, new) == []


def test_the_words_say_which_manager() -> None:
    found = facts(IncompleteInstalls(), LOCK, {**LOCK, "vendor/a/b/x.php": b""})

    assert (
        phrase("broken", found).short
        == "installation of vendor incomplete (1 of 2 packages missing)"
    )
    assert phrase("broken", found).text.endswith("(composer)")
