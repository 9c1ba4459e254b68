from __future__ import annotations

import json
from itertools import pairwise

import pytest

from clew.detectors.node.npm import Npm
from clew.model.fact import Severity
from tests.detectors.node_fixtures import (
    direct,
    hidden_lock,
    listing_changes,
    manifest,
    package_changes,
    real_moments,
)
from tests.kit.moments import Thing, directory, evidence, facts, file, findings, link, story

CANARY = "canary-7f3a"


def test_real_installations_are_told_as_npm_lists_them() -> None:
    moments = [({}, {}), *real_moments("npm"), ({}, {})]

    for (old, before), (new, after) in pairwise(moments):
        found = facts(Npm(), old, new)

        assert package_changes(found) == listing_changes(before, after)
        assert {fact.scope for fact in found} == {"npm:web"}


def test_what_was_asked_for_is_told_from_what_came_along() -> None:
    moments = [files for files, _ in real_moments("npm")]

    assert direct(facts(Npm(), {}, moments[0])) == {"debug", "is-odd", "send"}
    assert direct(facts(Npm(), moments[0], moments[1])) == {
        "core-js-pure", "is-odd", "left-pad", "send",
    }  # fmt: skip
    assert direct(facts(Npm(), moments[1], moments[2])) == {"debug", "is-odd"}


def test_downgrades_and_install_scripts_are_noted_and_nothing_else_is() -> None:
    moments = [files for files, _ in real_moments("npm")]

    noted = {
        (fact.subject, fact.marks)
        for old, new in pairwise(moments)
        for fact in facts(Npm(), old, new)
        if fact.severity != Severity.NONE
    }

    assert noted == {
        ("core-js-pure", ("install script",)),
        ("is-odd", ("downgrade",)),
    }


def test_a_package_that_is_linked_is_marked() -> None:
    moments = [files for files, _ in real_moments("npm")]

    found = {fact.subject: fact for fact in facts(Npm(), moments[3], moments[4])}

    assert found["mylib"].marks == ("from a local path",)
    assert found["mylib"].after == "0.3.0"


def test_every_changed_path_under_node_modules_is_claimed_with_the_lock_and_the_manifest() -> None:
    moments = [files for files, _ in real_moments("npm")]
    old = {**moments[0], "web/package-lock.json": b"{}", "web/src/a.js": b"1"}
    new = {**moments[1], "web/package-lock.json": b"{ }", "web/src/a.js": b"2"}
    found = evidence(old, new)

    [finding] = findings(Npm(), found)

    assert {*found.changes} - {*finding.claims} == {"web/src/a.js"}
    assert not any(path not in found.changes for path in finding.claims)


def test_a_manifest_with_other_changes_is_left_to_others() -> None:
    place = "node_modules/a/package.json"
    old = {"package.json": manifest("me")}
    new = {"package.json": manifest("me", scripts={"x": "y"}), place: manifest("a", "1.0.0")}

    [finding] = findings(Npm(), evidence(old, new))

    assert "package.json" not in finding.claims
    assert place in finding.claims


def test_a_lock_without_node_modules_is_nothing_installed() -> None:
    old = {"package-lock.json": b"{}"}
    new = {"package-lock.json": hidden_lock(a={"version": "1.0.0"})}

    assert findings(Npm(), evidence(old, new)) == []


def test_the_root_is_a_dot_and_projects_are_kept_apart() -> None:
    new = {
        "node_modules/a/package.json": manifest("a", "1.0.0"),
        "web/node_modules/a/package.json": manifest("a", "2.0.0"),
        "my-node_modules/b/package.json": manifest("b", "2.0.0"),
    }

    scopes = [(fact.scope, fact.after) for fact in facts(Npm(), {}, new)]

    assert scopes == [("npm:.", "1.0.0"), ("npm:web", "2.0.0")]


def test_a_global_installation_is_direct_and_brings_its_programs() -> None:
    old = {"usr/local/bin/other": b"x"}
    new: dict[str, bytes | Thing] = {
        **old,
        "usr/local/lib/node_modules/typescript/package.json": manifest("typescript", "5.0.0"),
        "usr/local/lib/node_modules/typescript/node_modules/b/package.json": manifest("b", "1.0.0"),
        "usr/local/bin/tsc": link("../lib/node_modules/typescript/bin/tsc"),
        "usr/local/bin/evil": link("../lib/node_modules/absent/bin/tsc"),
    }
    found = evidence({}, new)

    [finding] = findings(Npm(), found)

    assert [(fact.scope, fact.subject, fact.direct) for fact in finding.facts] == [
        ("npm:usr/local/lib", "typescript", True),
        ("npm:usr/local/lib", "b", False),
    ]
    assert "usr/local/bin/tsc" in finding.claims
    assert not {"usr/local/bin/evil", "usr/local/bin/other"} & {*finding.claims}
    assert found.owners["usr/local/bin/tsc"] == "typescript"


def test_a_stale_lock_is_not_believed() -> None:
    lock = hidden_lock(a={"version": "1.0.0"}, b={"version": "1.0.0"})
    common = {"node_modules/.package-lock.json": lock, "package.json": manifest("me")}
    old = {
        **common,
        "node_modules/a/package.json": manifest("a", "1.0.0"),
        "node_modules/b/package.json": manifest("b", "1.0.0"),
    }
    new = {
        **common,
        "node_modules/a/package.json": manifest("a", "2.0.0"),  # b's directory is deleted
        "node_modules/c/package.json": manifest("c", "3.0.0"),  # and c is not in the lock
    }

    assert package_changes(facts(Npm(), old, new)) == {
        ("package.changed", "a", "1.0.0", "2.0.0"),
        ("package.removed", "b", "1.0.0", None),
        ("package.added", "c", None, "3.0.0"),
    }


def test_a_key_of_the_lock_that_the_tree_does_not_hold_is_not_installed() -> None:
    new = {
        "node_modules/.package-lock.json": hidden_lock(
            a={"version": "1.0.0"}, ghost={"version": "6.6.6"}
        ),
        "node_modules/a/package.json": manifest("a", "1.0.0"),
    }

    assert package_changes(facts(Npm(), {}, new)) == {("package.added", "a", None, "1.0.0")}


@pytest.mark.parametrize("has_lock", [True, False])
def test_a_second_copy_is_a_change_that_names_all_versions(has_lock: bool) -> None:
    def moment(**versions: str) -> dict[str, bytes]:
        places = {place.replace("_in_", "/node_modules/"): v for place, v in versions.items()}
        files = {f"node_modules/{p}/package.json": manifest(p, v) for p, v in places.items()}
        if has_lock:
            lock = hidden_lock(**{place: {"version": v} for place, v in places.items()})
            files["node_modules/.package-lock.json"] = lock
        return files

    old = moment(ms="2.1.3", send="1.0.0", a_in_ms="2.0.0")
    new = moment(ms="2.1.3", send="1.0.0", a_in_ms="2.0.0", send_in_ms="10.0.0")

    assert package_changes(facts(Npm(), old, new)) == {
        ("package.changed", "ms", "2.0.0, 2.1.3", "2.0.0, 2.1.3, 10.0.0")
    }


def test_git_and_addresses_are_marked_without_what_is_secret_in_them() -> None:
    secret = f"git+https://user:{CANARY}@host/x.git#"
    url = f"https://u:{CANARY}@host/y.tgz?token={CANARY}"

    def moment(commit: str) -> dict[str, bytes]:
        return {
            "package.json": manifest(dependencies={"x": secret, "y": url}),
            "node_modules/.package-lock.json": hidden_lock(
                x={"version": "1.0.0", "resolved": secret + commit},
                y={"version": "1.0.0", "resolved": url},
            ),
            "node_modules/x/package.json": manifest("x", "1.0.0"),
            "node_modules/y/package.json": manifest("y", "1.0.0"),
        }

    installed = story([Npm()], {}, moment("a" * 40))
    moved = story([Npm()], moment("a" * 40), moment("b" * 40))

    assert [(fact.subject, fact.marks, fact.severity) for fact in installed.facts] == [
        ("x", ("from git",), "note"),
        ("y", ("from a URL",), "note"),
    ]
    assert [(fact.subject, fact.marks) for fact in moved.facts] == [
        ("x", ("from git", "another commit"))
    ]
    assert CANARY not in repr((installed, moved))


def test_members_of_a_workspace_ask_for_things_too() -> None:
    lock = json.loads(hidden_lock(b={"version": "1.0.0"}, c={"version": "1.0.0"}))
    lock["packages"]["node_modules/member"] = {"resolved": "packages/member", "link": True}
    lock["packages"]["packages/member"] = {"dependencies": {"b": "^1.0.0"}}
    new: dict[str, bytes | Thing] = {
        "package.json": manifest("root", workspaces=["packages/*"]),
        "packages/member/package.json": manifest("member", "0.1.0"),
        "node_modules/.package-lock.json": json.dumps(lock).encode(),
        "node_modules/member": link("../packages/member"),
        "node_modules/b/package.json": manifest("b", "1.0.0"),
        "node_modules/c/package.json": manifest("c", "1.0.0"),
    }

    found = facts(Npm(), {}, new)

    assert direct(found) == {"b", "member"}
    assert ("package.added", "member", None, "0.1.0") in package_changes(found)


def test_files_edited_in_place_are_told_apart_from_packages() -> None:
    def moment(text: bytes, version: str) -> dict[str, bytes]:
        return {
            "node_modules/a/package.json": manifest("a", "1.0.0"),
            "node_modules/a/index.js": text,
            "node_modules/b/package.json": manifest("b", version),
        }

    found = evidence(moment(b"1", "1.0.0"), moment(b"2", "1.0.1"))
    upgraded, edited = findings(Npm(), found)

    assert package_changes(upgraded.facts) == {("package.changed", "b", "1.0.0", "1.0.1")}
    assert [(fact.kind, fact.scope, fact.after) for fact in edited.facts] == [
        ("code.edited", "npm:.", "1"),
    ]
    assert list(edited.claims) == ["node_modules/a/index.js"]
    assert "node_modules/a/index.js" not in found.owners


def test_a_package_that_came_owns_its_files_but_no_setuid_program() -> None:
    new: dict[str, bytes | Thing] = {
        "node_modules/a/package.json": manifest("a", "1.0.0"),
        "node_modules/a/.github/workflows/ci.yml": b"x",
        "node_modules/a/root": file(b"x", mode=0o4755),
    }
    found = evidence({}, new)

    findings(Npm(), found)

    assert found.owners == {
        "node_modules/a/package.json": "a",
        "node_modules/a/.github/workflows/ci.yml": "a",
    }


def test_what_the_system_ships_is_not_npms() -> None:
    found = evidence({}, {"usr/lib/node_modules/npm/package.json": manifest("npm", "9.0.0")})
    found.own(["usr/lib/node_modules/npm/package.json"], "nodejs")

    assert findings(Npm(), found) == []


def test_caches_programs_and_bookkeeping_make_no_package() -> None:
    common = {"node_modules/a/package.json": manifest("a", "1.0.0")}
    new: dict[str, bytes | Thing] = {
        **common,
        "node_modules/.package-lock.json": hidden_lock(a={"version": "1.0.0"}),
        "node_modules/.cache/x/package.json": manifest("x", "1.0.0"),
        "node_modules/a/test/node_modules/y/package.json": manifest("y", "1.0.0"),
        "node_modules/empty": directory(),
    }

    told_of = [
        ([(fact.kind, fact.scope, fact.subject) for fact in found.facts], found.text)
        for found in findings(Npm(), evidence(common, new))
    ]

    assert told_of == [
        ([], "bookkeeping of npm changed"),
        ([("generated.changed", "cache", "node_modules/.cache/x")], ""),
        ([("generated.changed", "build", "node_modules/a/test/node_modules/y")], ""),
    ]


def test_what_another_manager_installed_is_not_npms() -> None:
    for mark in (".yarn-integrity", ".modules.yaml", ".yarn-state.yml"):
        new = {f"node_modules/{mark}": b"", "node_modules/a/package.json": manifest("a", "1.0.0")}

        assert facts(Npm(), {}, new) == []
