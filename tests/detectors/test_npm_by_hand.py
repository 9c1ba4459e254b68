"""Cases from real projects: members, declarations, links, caches, a bundled Node."""

from __future__ import annotations

import json

from clew.detectors.node.npm import Npm
from clew.detectors.node.pnpm import Pnpm
from clew.detectors.tools.toolchains import Toolchains
from tests.detectors.node_fixtures import Files, hidden_lock, manifest, package_changes
from tests.kit.moments import evidence, facts, findings, link, story

NODE = ".nvm/versions/node/v22.5.1"


def _wants(*names: str, **more: object) -> bytes:
    return json.dumps({"dependencies": dict.fromkeys(names, "1"), **more}).encode()


def _claims(old: Files, new: Files) -> set[str]:
    return {path for found in findings(Npm(), evidence(old, new)) for path in found.claims}


def test_what_is_asked_for_and_not_installed_is_left_to_be_told() -> None:
    old: Files = {"package.json": _wants()}
    installed: Files = {"node_modules/a/package.json": manifest("a", "1.0.0")}

    assert "package.json" in _claims(old, installed | {"package.json": _wants("a")})
    assert "package.json" not in _claims(old, installed | {"package.json": _wants("a", "b")})


def test_leave_to_run_scripts_is_never_hidden_by_an_installation() -> None:
    new: Files = {
        "package.json": _wants("a", trustedDependencies=["a"]),
        "node_modules/a/package.json": manifest("a", "1.0.0"),
    }

    assert "package.json" not in _claims({"package.json": _wants()}, new)


def test_a_member_that_asks_for_what_came_is_explained_by_it() -> None:
    old: Files = {
        "package.json": json.dumps({"workspaces": ["packages/*"]}).encode(),
        "packages/one/package.json": _wants(),
        "other/package.json": _wants(),
    }
    new = old | {
        "packages/one/package.json": _wants("a"),
        "other/package.json": _wants("b"),
        "node_modules/a/package.json": manifest("a", "1.0.0"),
    }

    assert "packages/one/package.json" in _claims(old, new)
    assert "other/package.json" not in _claims(old, new)


def test_a_member_of_pnpm_is_explained_too() -> None:
    lock = b"lockfileVersion: '9.0'\nimporters:\n  packages/one:\n    dependencies:\n      a:\n        specifier: '1'\n        version: 1.0.0\npackages:\n  a@1.0.0:\n    resolution: {}\n"
    old: Files = {
        "pnpm-workspace.yaml": b"packages: ['packages/*']\n",
        "packages/one/package.json": _wants(),
        "node_modules/.pnpm/lock.yaml": b"lockfileVersion: '9.0'\n",
    }
    new = old | {
        "packages/one/package.json": _wants("a"),
        "node_modules/.pnpm/lock.yaml": lock,
        "node_modules/.pnpm/a@1.0.0/node_modules/a/package.json": manifest("a", "1.0.0"),
    }

    (found,) = findings(Pnpm(), evidence(old, new))

    assert [fact.kind for fact in found.facts] == ["package.added"]
    assert "packages/one/package.json" in found.claims


def test_the_version_of_what_is_linked_from_outside_is_in_the_lock() -> None:
    lock = {
        "packages": {
            "../lib": {"version": "1.2.0"},
            "node_modules/lib": {"resolved": "../lib", "link": True},
        }
    }
    new: Files = {
        "node_modules/lib": link("../../lib"),
        "node_modules/.package-lock.json": json.dumps(lock).encode(),
    }

    assert package_changes(facts(Npm(), {}, new)) == {("package.added", "lib", None, "1.2.0")}


def test_what_bundlers_keep_is_a_cache_and_what_scripts_build_is_output() -> None:
    old: Files = {
        "node_modules/.package-lock.json": hidden_lock(a={"version": "1.0.0"}),
        "node_modules/a/package.json": manifest("a", "1.0.0"),
    }
    cache = story([Npm()], old, old | {"node_modules/.vite/deps/a.js": b"x"})
    built = story([Npm()], old, old | {"node_modules/a/build/Release/a.node": b"x"})

    assert cache.headline.startswith("only logs and caches changed")
    assert built.headline.startswith("build output changed")


def test_what_a_new_node_brings_along_is_not_told_as_installed() -> None:
    node: Files = {
        f"{NODE}/bin/node": b"x",
        f"{NODE}/bin/npm": link("../lib/node_modules/npm/bin/npm-cli.js"),
        f"{NODE}/lib/node_modules/npm/package.json": manifest("npm", "10.8.1"),
        f"{NODE}/lib/node_modules/npm/node_modules/abbrev/package.json": manifest(
            "abbrev", "2.0.0"
        ),
        f"{NODE}/lib/node_modules/corepack/package.json": manifest("corepack", "0.28.0"),
    }
    more = node | {f"{NODE}/lib/node_modules/cow/package.json": manifest("cow", "1.0.0")}

    alone = story([Npm(), Toolchains()], {}, node)
    both = story([Npm(), Toolchains()], {}, more)

    assert alone.headline == "installed node v22.5.1 (nvm)"
    assert [line.path_count for line in alone.lines] == [alone.changed_paths]
    assert {fact.subject for fact in both.facts} == {"node", "cow"}
