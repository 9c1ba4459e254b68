"""Links that lead nowhere, because what they led to was deleted."""

from __future__ import annotations

import time

import pytest

from clew.detectors.files.dangling_links import DanglingLinks
from clew.detectors.files.links import Links
from clew.model.fact import Fact
from tests.kit.moments import Moment, evidence, facts, findings, link, story

RELEASES: Moment = {"releases/11/a.php": b"1", "releases/12/a.php": b"2"}
ONE_LEFT: Moment = {"releases/11/a.php": b"1"}


def _facts(old: Moment, new: Moment) -> list[Fact]:
    return list(facts(DanglingLinks(), old, new))


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("current", "releases/12"),
        ("current", "./releases/12"),
        ("current", "releases/12/a.php"),
        ("current", "/srv/shop/releases/12"),
        ("releases/current", "12"),
        ("etc/nginx/sites-enabled/shop", "../../../releases/12/a.php"),
        ("bin/start", "../releases/12/a.php"),
    ],
)
def test_a_link_to_what_was_deleted_is_a_warning(path: str, target: str) -> None:
    (fact,) = _facts({**RELEASES, path: link(target)}, {**ONE_LEFT, path: link(target)})

    assert (fact.subject, fact.after, fact.severity) == (path, target, "high")
    assert fact.marks == ("leads nowhere",)


def test_the_headline_says_where_it_led() -> None:
    current = {"current": link("releases/12")}

    told = story([DanglingLinks()], {**RELEASES, **current}, {**ONE_LEFT, **current}, [Links()])

    assert told.headline.startswith("! current → releases/12 leads nowhere")


def test_a_link_to_a_link_that_leads_nowhere_counts_too() -> None:
    links = {"live": link("current"), "current": link("releases/12")}

    assert len(_facts({**RELEASES, **links}, {**ONE_LEFT, **links})) == 2


@pytest.mark.parametrize(
    ("path", "target", "deleted"),
    [
        ("current", "releases/11", "releases/12/a.php"),  # leads elsewhere
        ("current", "missing", "releases/12/a.php"),  # led nowhere before
        ("latest", "build/app.js", "build/app.js"),  # build output
        ("latest.log", "logs/1.log", "logs/1.log"),
        ("python", ".venv/bin/python", ".venv/bin/python"),
        ("node_modules/.bin/x", "../x/cli.js", "node_modules/x/cli.js"),
        ("README", "/usr/share/doc/README", "doc/README"),
        ("README", "/home/me/README", "README"),
    ],
)
def test_a_look_alike_is_no_news(path: str, target: str, deleted: str) -> None:
    old = {**RELEASES, "keep": b"", deleted: b"x", path: link(target)}
    new = {one: content for one, content in old.items() if one != deleted}

    assert _facts(old, new) == []


def test_a_link_that_changed_itself_is_left_to_its_own_detector() -> None:
    assert _facts({**RELEASES, "current": link("releases/12")}, ONE_LEFT) == []
    moved = {**ONE_LEFT, "current": link("releases/11")}
    assert _facts({**RELEASES, "current": link("releases/12")}, moved) == []


def test_many_links_of_a_directory_are_counted() -> None:
    links = {f"bin/{number}": link("../releases/12/a.php") for number in range(9)}

    (fact,) = _facts({**RELEASES, **links}, {**ONE_LEFT, **links})

    assert fact.marks == ("9 links", "lead nowhere")


def test_a_link_in_a_circle_ends() -> None:
    links = {"a": link("b"), "b": link("a"), "c/d": link("../c/d/e")}

    assert _facts({**RELEASES, **links}, {**ONE_LEFT, **links}) == []


def test_many_deleted_paths_and_directories_take_little_time() -> None:
    old: dict[str, bytes] = {f"d{n % 500}/e{n % 7}/{n}.php": b"x" for n in range(30_000)}
    new = {path: content for path, content in old.items() if int(path.split("/")[2][:-4]) % 2}
    both = evidence(old, new)

    began = time.perf_counter()
    assert findings(DanglingLinks(), both) == []
    assert time.perf_counter() - began < 1
