from __future__ import annotations

import time

import pytest

from clew.detectors.detector import Detector
from clew.detectors.node.bun import Bun, parse_bun_lock, without_comments
from clew.detectors.node.npm import Npm
from clew.detectors.node.yarn import Yarn, parse_yarn_lock
from clew.detectors.node.yarn_pnp import parse_pnp
from tests.detectors.node_fixtures import (
    Files,
    direct,
    listing_changes,
    manifest,
    package_changes,
    real_moments,
)
from tests.kit.moments import evidence, facts, file, findings, problems, story

CANARY = "canary-7f3a"


@pytest.mark.parametrize(
    ("name", "detector", "scope"),
    [("yarn", Yarn(), "yarn:."), ("yarn-pnp", Yarn(), "yarn:."), ("bun", Bun(), "bun:.")],
)
def test_real_installations_are_told_as_the_manager_lists_them(
    name: str, detector: Detector, scope: str
) -> None:
    (one, listed_one), (two, listed_two) = real_moments(name)

    changed = facts(detector, one, two)

    assert package_changes(facts(detector, {}, one)) == listing_changes({}, listed_one)
    assert package_changes(changed) == listing_changes(listed_one, listed_two)
    assert package_changes(facts(detector, two, {})) == listing_changes(listed_two, {})
    assert {fact.scope for fact in changed} == {scope}
    assert direct(changed) == {"debug", "is-odd", "left-pad", "send"}
    noted = {fact.subject: fact.marks for fact in changed if fact.severity != "none"}
    assert noted == {"is-odd": ("downgrade",)}


@pytest.mark.parametrize(
    ("name", "detector"), [("yarn", Yarn()), ("yarn-pnp", Yarn()), ("bun", Bun())]
)
def test_everything_is_claimed_and_npm_says_nothing(name: str, detector: Detector) -> None:
    (one, _), (two, _) = real_moments(name)
    old, new = {**one, "a.js": b"1"}, {**two, "a.js": b"2"}
    found = evidence(old, new)

    claims = {path for finding in findings(detector, found) for path in finding.claims}

    assert {*found.changes} - claims == {"a.js"}
    assert facts(Npm(), old, new) == []


def test_a_lock_alone_is_nothing_installed() -> None:
    for name, detector in (("yarn.lock", Yarn()), ("bun.lock", Bun()), ("bun.lockb", Bun())):
        assert findings(detector, evidence({name: b"1"}, {name: b"2"})) == []


def test_sources_in_yarns_locks_are_marked_without_their_address() -> None:
    one = (
        f'"x@git+https://u:{CANARY}@h/x.git", x@^1:\n  version "1.0.0"\n'
        f'  resolved "git+https://u:{CANARY}@h/x.git#abc"\n'
    )
    four = (
        '"@s/y@file:./y":\n  version: 2.0.0\n  resolution: "@s/y@file:./y#./y::hash=1"\n'
        '"z@npm:^1":\n  version: 1.0.0\n  resolution: "z@npm:1.0.0"\n'
    )

    lock = parse_yarn_lock((one + four).encode())

    assert {name: copy.source for name, copy in lock.sources.items()} == {
        "x@1.0.0": "from git",
        "@s/y@2.0.0": "from a local path",
    }
    new: Files = {
        "yarn.lock": one.encode(),
        "node_modules/.yarn-integrity": b"{}",
        "node_modules/x/package.json": manifest("x", "1.0.0"),
    }
    told_of = story([Yarn()], {}, new)
    assert [fact.marks for fact in told_of.facts] == [("from git",)]
    assert CANARY not in repr(told_of)


def test_programs_that_yarn_keeps_are_left_to_others() -> None:
    new: Files = {
        ".yarn/releases/yarn-4.0.0.cjs": b"x",
        ".yarn/install-state.gz": b"x",
        ".yarn/cache/a.zip": b"x",
    }

    [finding] = findings(Yarn(), evidence({}, new))

    assert finding.text == "bookkeeping of yarn changed"
    assert {*finding.claims} == {".yarn/install-state.gz", ".yarn/cache/a.zip"}


@pytest.mark.parametrize(
    "content",
    [
        b"const RAW_RUNTIME_STATE =\n'{\\\n",
        b"RAW_RUNTIME_STATE = process.exit()",
        b"{}" * 9,
        b'{"packageRegistryData":' * 9000,
        b"\xff",
    ],
)
def test_a_broken_table_costs_one_line(content: bytes) -> None:
    assert facts(Yarn(), {}, {".pnp.cjs": content}) == []
    assert [path for path, _ in problems(Yarn(), {}, {".pnp.cjs": content})] == [".pnp.cjs"]


@pytest.mark.parametrize(
    "wrong", ["1", "[1]", '[["a"]]', '[["a", 1]]', '[["a", [["b", 1]]]]', "{}"]
)
def test_wrong_types_in_a_table_harm_nobody(wrong: str) -> None:
    table = parse_pnp(f'{{"packageRegistryData": {wrong}}}'.encode())

    assert all(
        copy.version is None for copies in table.packages.values() for copy in copies.values()
    )


def test_a_table_that_is_too_large_costs_one_line() -> None:
    assert len(problems(Yarn(), {}, {".pnp.cjs": file(b"", size=17 << 20)})) == 1


def test_a_string_of_a_table_is_taken_apart() -> None:
    text = r"""const RAW_RUNTIME_STATE =
'{\
"x": "it\'s \\\\ \\"q\\"",\
"packageRegistryData": [["a", [["npm:1.0.0", {}]]]]\
}';
"""

    table = parse_pnp(text.encode())

    assert table.packages["a"]["npm:1.0.0"].version == "1.0.0"


def test_buns_lock_is_json_with_more() -> None:
    text = '{ // no\n "a": "// yes, }", /* no */ "b": [1, 2, ], }'

    assert without_comments(text).replace(" ", "").replace("\n", "") == '{"a":"//yes,}","b":[1,2]}'


def test_sources_in_buns_lock_are_marked() -> None:
    text = (
        '{"packages": {"x": ["x@github:u/r#abc", {}], "@s/y": ["@s/y@file:y.tgz"],'
        ' "z": ["z@1.0.0"], "w": 1, "v": [], "u": [2],}, "workspaces": {"": 1, "p": {"dependencies":'
        ' {"q": "1"}}}}'
    )

    lock = parse_bun_lock(text.encode())

    assert {name: copy.source for name, copy in lock.sources.items()} == {
        "x": "from git",
        "@s/y": "from a local path",
    }
    assert dict(lock.wanted) == {"q": "1"}


def test_a_broken_or_binary_lock_of_bun_does_not_hide_the_tree() -> None:
    for name, lock, expected in (("bun.lock", b"{", 1), ("bun.lockb", b"\x00\x01", 0)):
        new: Files = {name: lock, "node_modules/a/package.json": manifest("a", "1.0.0")}

        assert package_changes(facts(Bun(), {}, new)) == {("package.added", "a", None, "1.0.0")}
        assert len(problems(Bun(), {}, new)) == expected


@pytest.mark.parametrize("unit", ['"\\', '\\"', "/*", "//", ",", ", ", '"', "/**"])
def test_comments_that_never_end_cost_little(unit: str) -> None:
    start = time.perf_counter()

    without_comments(unit * 500_000)

    assert time.perf_counter() - start < 6  # on a busy machine; quadratic would take hours
