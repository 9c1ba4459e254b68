from __future__ import annotations

import time

import pytest

from clew.detectors.node.npm import Npm
from clew.detectors.node.pnpm import Pnpm
from clew.detectors.node.pnpm_lock import parse_pnpm_lock, split_key
from tests.detectors.node_fixtures import (
    Files,
    direct,
    listing_changes,
    manifest,
    package_changes,
    real_moments,
)
from tests.kit.moments import evidence, facts, file, findings, link, problems, story

LOCK = "node_modules/.pnpm/lock.yaml"
CANARY = "canary-7f3a"


def _stored(name: str, version: str, suffix: str = "") -> str:
    return f"node_modules/.pnpm/{name}@{version}{suffix}/node_modules/{name}/package.json"


def _lock(**versions: str) -> bytes:
    asked = [f"      {n}:\n        version: {v}" for n, v in versions.items()]
    packages = [f"  {n}@{v}:\n    resolution: {{integrity: x}}" for n, v in versions.items()]
    head = ["lockfileVersion: '9.0'", "importers:", "  .:", "    dependencies:"]
    return "\n".join([*head, *asked, "packages:", *packages, ""]).encode()


def test_real_installations_are_told_as_pnpm_lists_them() -> None:
    (one, listed_one), (two, listed_two) = real_moments("pnpm")

    assert package_changes(facts(Pnpm(), {}, one)) == listing_changes({}, listed_one)
    assert package_changes(facts(Pnpm(), one, two)) == listing_changes(listed_one, listed_two)
    assert package_changes(facts(Pnpm(), two, {})) == listing_changes(listed_two, {})


def test_marks_and_what_was_asked_for_are_told() -> None:
    (one, _), (two, _) = real_moments("pnpm")

    found = {fact.subject: fact for fact in facts(Pnpm(), one, two)}

    assert direct(found.values()) == {
        "@babel/code-frame", "core-js-pure", "debug", "is-odd", "send",
    }  # fmt: skip
    assert found["is-odd"].marks == ("downgrade",)
    assert found["core-js-pure"].marks == ("install script",)
    assert {n for n, fact in found.items() if fact.severity != "none"} == {"is-odd", "core-js-pure"}


def test_everything_is_claimed_and_npm_says_nothing() -> None:
    (one, _), (two, _) = real_moments("pnpm")
    old, new = {**one, "a.js": b"1"}, {**two, "a.js": b"2"}
    found = evidence(old, new)

    [finding] = findings(Pnpm(), found)

    assert {*found.changes} - {*finding.claims} == {"a.js"}
    assert facts(Npm(), old, new) == []


def test_members_of_a_workspace_belong_to_its_root() -> None:
    [(files, _)] = real_moments("pnpm-workspace")
    found = evidence({}, files)

    [finding] = findings(Pnpm(), found)

    assert package_changes(finding.facts) == {
        ("package.added", "is-number", None, "4.0.0"),
        ("package.added", "is-odd", None, "2.0.0"),
        ("package.added", "left-pad", None, "1.2.0"),
        ("package.added", "lib", None, "0.1.0"),
    }
    assert direct(finding.facts) == {"is-odd", "left-pad", "lib"}
    assert {fact.scope for fact in finding.facts} == {"pnpm:."}
    assert "packages/a/node_modules/is-odd" in finding.claims
    assert "packages/a/package.json" not in finding.claims
    assert findings(Npm(), found) == []


def test_a_package_of_the_lock_whose_directory_is_gone_is_removed() -> None:
    common: Files = {LOCK: _lock(a="1.0.0", b="1.0.0"), _stored("b", "1.0.0"): manifest("b")}

    found = facts(Pnpm(), {**common, _stored("a", "1.0.0"): manifest("a")}, common)

    assert package_changes(found) == {("package.removed", "a", "1.0.0", None)}


def test_directories_that_outlive_their_package_say_nothing() -> None:
    lock: Files = {LOCK: _lock(a="1.0.0"), _stored("a", "1.0.0"): manifest("a")}
    old: Files = {**lock, _stored("z", "1.0.0"): manifest("z")}

    [finding] = findings(Pnpm(), evidence(old, lock))

    assert (finding.facts, finding.text) == ((), "bookkeeping of pnpm changed")


def test_peers_in_names_of_directories_are_understood() -> None:
    new: Files = {
        LOCK: _lock(a_b="1.0.0"),
        _stored("a_b", "1.0.0", "_react@18.0.0"): manifest("a_b"),
    }

    assert package_changes(facts(Pnpm(), {}, new)) == {("package.added", "a_b", None, "1.0.0")}


def test_files_edited_in_place_are_told_apart() -> None:
    source = _stored("a", "1.0.0").replace("package.json", "index.js")
    common: Files = {LOCK: _lock(a="1.0.0"), _stored("a", "1.0.0"): manifest("a")}

    [finding] = findings(Pnpm(), evidence({**common, source: b"1"}, {**common, source: b"2"}))

    assert [(fact.kind, fact.scope) for fact in finding.facts] == [("code.edited", "pnpm:.")]
    assert list(finding.claims) == [source]


def test_git_is_marked_and_no_address_is_shown() -> None:
    lock = (
        "packages:\n"
        f"  x@git+https://u:{CANARY}@host/x.git#abc:\n"
        f"    resolution: {{commit: abc, repo: https://u:{CANARY}@host/x.git, type: git}}\n"
        "    version: 1.2.3\n"
    )
    place = f"x@git+https+++u+{CANARY}@host+x.git#abc"
    new: Files = {
        LOCK: lock.encode(),
        f"node_modules/.pnpm/{place}/node_modules/x/package.json": manifest("x", "1.2.3"),
    }

    told_of = story([Pnpm()], {}, new)

    assert [(f.subject, f.after, f.marks) for f in told_of.facts] == [("x", "1.2.3", ("from git",))]
    assert CANARY not in repr((told_of.facts, told_of.headline, [x.text for x in told_of.lines]))


def test_switching_from_npm_tells_only_what_is_different() -> None:
    old: Files = {
        "package.json": manifest("me", dependencies={"a": "*"}),
        "node_modules/.package-lock.json": b"{}",
        "node_modules/a/package.json": manifest("a", "1.0.0"),
        "node_modules/b/package.json": manifest("b", "1.0.0"),
    }
    new: Files = {
        "package.json": old["package.json"],
        LOCK: _lock(a="1.0.0", b="2.0.0"),
        _stored("a", "1.0.0"): manifest("a"),
        _stored("b", "2.0.0"): manifest("b"),
        "node_modules/a": link(".pnpm/a@1.0.0/node_modules/a"),
    }

    assert package_changes(facts(Pnpm(), old, new)) == {("package.changed", "b", "1.0.0", "2.0.0")}
    assert facts(Npm(), old, new) == []


@pytest.mark.parametrize(
    ("key", "name", "version"),
    [
        ("a@1.0.0", "a", "1.0.0"),
        ("@s/a@1.0.0", "@s/a", "1.0.0"),
        ("@s/a@1.0.0(@t/b@2.0.0)", "@s/a", "1.0.0"),
        ("/@s/a@1.0.0(b@2.0.0)", "@s/a", "1.0.0"),
        ("/@s/a/1.0.0_b@2.0.0", "@s/a", "1.0.0"),
        ("/a/1.0.0", "a", "1.0.0"),
        ("a@https://host/x.tgz", "a", "https://host/x.tgz"),
    ],
)
def test_keys_of_every_version_are_split(key: str, name: str, version: str) -> None:
    assert split_key(key) == (name, version)


def test_older_locks_are_read() -> None:
    lock = parse_pnpm_lock(
        b"lockfileVersion: 5.4\nspecifiers:\n  a: ^1\ndependencies:\n  a: 1.0.0_b@2.0.0\n"
        b"packages:\n  /a/1.0.0_b@2.0.0:\n    requiresBuild: true\n  /b/2.0.0:\n    dev: false\n"
    )

    assert dict(lock.wanted) == {"a": "1.0.0"}
    assert lock.packages["a"]["1.0.0"].has_install_script
    assert lock.packages["b"]["2.0.0"].version == "2.0.0"


@pytest.mark.parametrize(
    "content",
    [b"", b"packages:", b"\xff" * 99, b"packages:\n  '\n", b":\n  :\n    :", b"packages:\n" * 9999,
     b"packages:\n  ''@1:\n  '@':\n", b" " * 100_000, b"packages:\n  a@" + b"(" * 9999 + b":\n"],
)  # fmt: skip
def test_hostile_locks_harm_nobody(content: bytes) -> None:
    assert facts(Pnpm(), {}, {LOCK: content}) == []


def test_a_lock_that_cannot_be_read_says_nothing_was_removed() -> None:
    old: Files = {LOCK: _lock(a="1.0.0"), _stored("a", "1.0.0"): manifest("a")}
    new: Files = {**old, LOCK: file(b"", size=17 << 20)}

    assert facts(Pnpm(), old, new) == []
    assert [path for path, _ in problems(Pnpm(), old, new)] == [LOCK]


def test_a_lock_of_a_hundred_thousand_keys_costs_little() -> None:
    content = _lock(**{f"p{number}": "1.0.0" for number in range(100_000)}, a="1.0.0")
    start = time.perf_counter()

    found = facts(Pnpm(), {}, {LOCK: content, _stored("a", "1.0.0"): manifest("a")})

    assert package_changes(found) == {("package.added", "a", None, "1.0.0")}
    assert time.perf_counter() - start < 12  # on a busy machine; it must be linear in the lock
