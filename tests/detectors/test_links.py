"""Symbolic links: where they lead, and what deserves a look."""

from __future__ import annotations

import time

import pytest

from clew.detectors.files.links import Links
from clew.model.fact import Fact
from tests.kit.moments import Moment, directory, evidence, facts, file, findings, link, story

RELEASES: Moment = {"releases/41/a": b"1", "releases/42/a": b"2"}


def _one(old: Moment, new: Moment) -> Fact:
    (fact,) = facts(Links(), {**RELEASES, **old}, {**RELEASES, **new})
    return fact


def test_a_link_that_leads_elsewhere_is_told() -> None:
    fact = _one({"current": link("releases/41")}, {"current": link("releases/42")})

    assert fact[:5] == ("link.changed", "symlink", "current", "releases/41", "releases/42")
    assert (fact.severity, fact.marks) == ("none", ())
    told = story(
        [],
        {**RELEASES, "current": link("releases/41")},
        {**RELEASES, "current": link("releases/42")},
        [Links()],
    )
    assert told.headline == "current: releases/41 → releases/42"


def test_links_that_come_and_go_are_told() -> None:
    added: Moment = {"current": link("releases/41")}

    assert (
        story([], {**RELEASES}, {**RELEASES, **added}, [Links()]).headline
        == "new link current → releases/41"
    )
    assert _one(added, {}).kind == "link.removed"
    assert (
        story([], {**RELEASES, **added}, {**RELEASES}, [Links()]).headline
        == "link current removed (→ releases/41)"
    )


@pytest.mark.parametrize(
    ("path", "target", "mark"),
    [
        ("current", "releases/43", "leads nowhere"),
        ("a/b/current", "../../releases/42", ""),
        ("a/b/current", "../../../etc", "not in the workspace"),
        ("current", "/etc/passwd", "not in the workspace"),
        ("current", "/srv/app/releases/42", ""),
        ("current", "current", "leads to itself"),
        ("current", "./releases/../releases/42/a", ""),
        ("current", "releases/42/a/b", "leads nowhere"),
        ("current", "other", ""),
    ],
)
def test_where_a_link_leads_is_followed(path: str, target: str, mark: str) -> None:
    old: Moment = {**RELEASES, "other": link("releases/42"), "a/b/x": b""}
    (fact,) = facts(Links(), old, {**old, path: link(target)})

    assert fact.marks == ((mark,) if mark else ())
    assert fact.severity == ("note" if mark else "none")


def test_a_file_replaced_by_a_link_and_back_is_said() -> None:
    plain: Moment = {"app.toml": file(b"x" * 1200)}
    linked: Moment = {"app.toml": link("releases/42/a")}

    fact = _one(plain, linked)
    assert (fact.kind, fact.before, fact.marks) == (
        "link.added",
        "file (1.2 kB)",
        ("replaces a file (1.2 kB)",),
    )
    fact = _one(linked, plain)
    assert (fact.kind, fact.before, fact.after) == (
        "link.changed",
        "releases/42/a",
        "file (1.2 kB)",
    )
    assert _one({"d": link("releases/42")}, {"d": directory()}).after == "directory"


def test_many_links_of_a_directory_are_counted() -> None:
    old: Moment = {f"bin/{n}": link("../a") for n in range(4)}
    new: Moment = {f"bin/{n}": link("../b") for n in range(2, 9)}
    (finding,) = findings(Links(), evidence(old, new))

    assert finding.facts[0].marks == ("9 links", "+5", "−2", "2 lead elsewhere")
    assert len(finding.claims) == 9
    assert story([], old, new, [Links()]).headline == "9 links in bin (+5, −2, 2 lead elsewhere)"


def test_links_of_packages_builds_and_the_system_are_left_to_others() -> None:
    new: Moment = {
        "node_modules/.bin/a": link("../a/cli.js"), ".venv/bin/python": link("/usr/bin/python3"),
        "dist/latest": link("1.0"), "etc/localtime": link("/usr/share/zoneinfo/UTC"),
        "x/.git/modules": link("y"),
    }  # fmt: skip

    assert facts(Links(), {}, new) == []
    system: Moment = {
        "usr/lib/a.so": link("a.so.1"),
        "usr/local/bin/b": link("../lib/b"),
        "srv/c": link("d"),
    }
    assert [fact.subject for fact in facts(Links(), {}, system, machine=True)] == [
        "srv/c",
        "usr/local/bin/b",
    ]


def test_hostile_targets_are_bounded() -> None:
    loop: Moment = {f"d{n}/l": link("../" * 100 + f"d{n + 1}/l") for n in range(50)}
    long: Moment = {
        "x": link("a/" * 50_000),
        "y": link("\udcff".encode("utf-8", "surrogateescape").decode("latin-1")),
    }
    began = time.process_time()

    assert len(facts(Links(), {}, {**loop, **long})) == 52
    assert all(len(fact.after or "") <= 201 for fact in facts(Links(), {}, long))
    assert time.process_time() - began < 2
