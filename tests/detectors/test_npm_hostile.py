from __future__ import annotations

import json
import time

import pytest

from clew.detectors.node.npm import Npm
from tests.detectors.node_fixtures import Files, hidden_lock, manifest, package_changes
from tests.kit.moments import facts, file, link, problems, story

LOCK = "node_modules/.package-lock.json"
A = "node_modules/a/package.json"
ADDED = {("package.added", "a", None, "1.0.0")}

WRONG: tuple[object, ...] = (None, 1, True, "x", [], [1], {}, {"a": None}, [[]], 1e308)


def test_a_lock_of_a_hundred_thousand_keys_costs_little() -> None:
    keys = {f"p{number}": {"version": "1.0.0"} for number in range(100_000)}
    new: Files = {LOCK: hidden_lock(a={"version": "1.0.0"}, **keys), A: manifest("a", "1.0.0")}
    start = time.perf_counter()

    assert package_changes(facts(Npm(), {}, new)) == ADDED
    assert time.perf_counter() - start < 12  # on a busy machine


def test_a_lock_that_is_too_large_costs_one_line_and_the_tree_is_read() -> None:
    new: Files = {LOCK: file(b"{", size=17 << 20), A: manifest("a", "1.0.0")}

    assert package_changes(facts(Npm(), {}, new)) == ADDED
    assert [path for path, _ in problems(Npm(), {}, new)] == [LOCK]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 200_000,
        b'{"packages":' * 50_000,
        b"\x00" * 99,
    ],
)
def test_a_broken_lock_costs_one_line_and_the_tree_is_read(content: bytes) -> None:
    new: Files = {LOCK: content, A: manifest("a", "1.0.0")}

    assert package_changes(facts(Npm(), {}, new)) == ADDED
    assert len(problems(Npm(), {}, new)) == 1


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_types_anywhere_harm_nobody(wrong: object) -> None:
    for lock in (
        {"packages": wrong},
        {"packages": {"node_modules/a": wrong, "": wrong, "packages/b": wrong}},
        {"packages": {"node_modules/a": {"version": [wrong], "resolved": wrong, "link": wrong}}},
        {"packages": {"packages/b": {"dependencies": wrong, "devDependencies": {"a": wrong}}}},
    ):
        new: Files = {
            LOCK: json.dumps(lock).encode(),
            A: manifest("a", "1.0.0"),
            "package.json": manifest(dependencies=wrong, scripts=wrong, workspaces=wrong),
        }

        assert package_changes(facts(Npm(), {}, new)) == ADDED
        assert problems(Npm(), {}, new) == []


@pytest.mark.parametrize("wrong", WRONG)
def test_a_package_without_a_version_is_still_installed(wrong: object) -> None:
    new: Files = {A: json.dumps({"version": wrong, "scripts": wrong}).encode()}

    after = "x" if wrong == "x" else None

    assert package_changes(facts(Npm(), {}, new)) == {("package.added", "a", None, after)}


def test_manifests_that_cannot_be_read_cost_a_version_and_no_line() -> None:
    new: Files = {
        A: file(b"{", size=2 << 20),
        "node_modules/b/package.json": b"[" * 100_000,
        "node_modules/c/package.json": b"\xff",
        "node_modules/d/package.json": manifest("d", "1\x1b[31m"),
        "node_modules/e/package.json": manifest("e", "9" * 300),
    }

    assert package_changes(facts(Npm(), {}, new)) == {
        ("package.added", name, None, None) for name in "abcde"
    }
    assert problems(Npm(), {}, new) == []


def test_strange_names_are_names() -> None:
    names = ("__proto__", "constructor", "a\x1b[31mb", "\u202egnp", "@s/n", "x" * 250, "\udcff")
    new: Files = {f"node_modules/{name}/package.json": manifest(name, "1.0.0") for name in names}

    assert {subject for _, subject, _, _ in package_changes(facts(Npm(), {}, new))} == {*names}


def test_links_in_a_circle_or_out_of_the_tree_end() -> None:
    new: Files = {
        "node_modules/a": link("b"),
        "node_modules/b": link("a"),
        "node_modules/c": link("../../../../etc"),
        "node_modules/d": link("/etc"),
        "etc/package.json": manifest("wrong", "6.6.6"),
    }

    assert package_changes(facts(Npm(), {}, new)) == {
        ("package.added", name, None, None) for name in "abcd"
    }


def test_many_changed_files_and_deep_nesting_cost_little() -> None:
    deep = "/node_modules/".join(["a"] * 300)
    new: Files = {f"node_modules/{deep}/package.json": manifest("a", "1.0.0")}
    new |= {f"node_modules/p{n % 500}/f{n}.js": b"" for n in range(20_000)}
    new |= {f"node_modules/p{n}/package.json": manifest("p", "1.0.0") for n in range(500)}
    new[LOCK] = hidden_lock(**{f"p{n}": {"version": "1.0.0"} for n in range(500)})
    start = time.perf_counter()

    told_of = story([Npm()], {}, new)

    assert len(told_of.facts) == 501
    assert len(told_of.lines) == 1
    assert time.perf_counter() - start < 12  # on a busy machine


def test_the_same_input_gives_the_same_facts() -> None:
    files: Files = {f"node_modules/p{n}/package.json": manifest("p", "1.0.0") for n in range(50)}
    backwards = dict(reversed(files.items()))

    assert facts(Npm(), {}, files) == facts(Npm(), {}, backwards)
