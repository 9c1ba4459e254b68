"""A `node_modules` that is not complete, and complete ones that look like it.

The states were seen after `npm ci`, `npm install`, `pnpm install`, `yarn install` and `bun install`
were killed (npm 11.19, pnpm 9, yarn 1.22, bun 1.2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from clew.detectors.node.incomplete_modules import IncompleteModules
from clew.model.fact import Fact
from clew.story.words import phrase
from tests.kit.moments import Moment, Thing, directory, evidence, facts, file, findings, link, story

Files = dict[str, bytes | Thing]


def _lock(*names: str, **flags: Mapping[str, object]) -> bytes:
    packages: dict[str, object] = {"": {"name": "shop"}}
    packages |= {
        f"node_modules/{name}": {"version": "1.0.0", **flags.get(name, {})} for name in names
    }
    return json.dumps({"lockfileVersion": 3, "packages": packages}).encode()


def _packages(*names: str, within: str = "") -> Files:
    return {f"{within}node_modules/{name}/package.json": b'{"version": "1.0.0"}' for name in names}


MANIFEST = json.dumps({"dependencies": {"lodash": "4", "vue": "3", "zod": "3"}}).encode()
PROJECT: Files = {"package.json": MANIFEST, "package-lock.json": _lock("lodash", "vue", "zod")}
RECORD: Files = {"node_modules/.package-lock.json": b"{}"}
ALL = _packages("lodash", "vue", "zod")


def _said(old: Moment, new: Moment) -> list[tuple[str, tuple[str, ...]]]:
    return [(fact.scope, fact.marks) for fact in facts(IncompleteModules(), old, new)]


def _with(lock: str, **files: bytes) -> Files:
    return {"package.json": MANIFEST, lock: b"x", **files}


@pytest.mark.parametrize(
    ("old", "new", "scope", "mark"),
    [
        (PROJECT, PROJECT | _packages("vue"), "npm:.", "lodash and zod missing (2 of 3 packages)"),
        (PROJECT, PROJECT | {"node_modules/lodash/a.js": b"", "node_modules/vue": directory()},
         "npm:.", "3 of 3 packages missing"),
        (PROJECT | RECORD | ALL,
         PROJECT | RECORD | ALL | {"node_modules/react/index.js": b"", "node_modules/csstype": directory()},
         "npm:.", "csstype and 1 more not unpacked"),
        (PROJECT | RECORD | ALL,
         PROJECT | RECORD | _packages("vue", "zod", ".lodash-AbC12dEf") | {"node_modules/lodash": directory()},
         "npm:.", "lodash missing (1 of 3 packages)"),
        (PROJECT | RECORD | ALL, PROJECT | _packages("vue"), "npm:.", "lodash and zod missing (2 of 3 packages)"),
        (_with("yarn.lock"), _with("yarn.lock") | _packages("lodash"), "yarn:.", "vue and zod missing (2 of 3 packages)"),
        (_with("pnpm-lock.yaml"),
         _with("pnpm-lock.yaml") | {"node_modules/.pnpm/vue@3/node_modules/vue/a.js": b""},
         "pnpm:.", "3 of 3 packages missing"),
        (_with("bun.lock"), _with("bun.lock") | {"node_modules/vue/dist/vue.js": b""},
         "bun:.", "3 of 3 packages missing"),
        ({f"web/{path}": thing for path, thing in PROJECT.items()},
         {f"web/{path}": thing for path, thing in PROJECT.items()} | _packages("vue", within="web/"),
         "npm:web", "lodash and zod missing (2 of 3 packages)"),
    ],
)  # fmt: skip
def test_an_installation_that_was_interrupted_is_incomplete(
    old: Files, new: Files, scope: str, mark: str
) -> None:
    assert _said(old, new) == [(scope, (mark, scope.partition(":")[0]))]


LISTED: Files = {"node_modules/.package-lock.json": _lock("lodash", "vue", "zod")}


@pytest.mark.parametrize(
    ("old", "new", "scope", "mark"),
    [
        (PROJECT | LISTED | ALL, PROJECT | LISTED | _packages("lodash", "zod"),
         "npm:.", "vue missing (1 of 3 packages)"),
        (_with("yarn.lock", **{"node_modules/.yarn-integrity": b"{}"}) | ALL,
         _with("yarn.lock", **{"node_modules/.yarn-integrity": b"{}"}) | _packages("lodash", "zod"),
         "yarn:.", "vue missing (1 of 3 packages)"),
        (_with("pnpm-lock.yaml", **{"node_modules/.modules.yaml": b"a: 1"}) | {"node_modules/vue": link(".pnpm/vue@3/node_modules/vue")},
         _with("pnpm-lock.yaml", **{"node_modules/.modules.yaml": b"a: 1"}) | {"node_modules/.bin/a": b""},
         "pnpm:.", "vue missing (1 of 3 packages)"),
    ],
)  # fmt: skip
def test_a_package_that_somebody_deleted_is_missing(
    old: Files, new: Files, scope: str, mark: str
) -> None:
    assert _said(old, new) == [(scope, (mark, scope.partition(":")[0]))]


def test_a_package_that_npm_uninstalled_is_not_missing() -> None:
    fewer = {"package.json": b"{}", "package-lock.json": _lock("lodash", "zod")}
    record = {"node_modules/.package-lock.json": _lock("lodash", "zod")}

    assert _said(PROJECT | LISTED | ALL, fewer | record | _packages("lodash", "zod")) == []


def test_a_package_that_yarn_removed_is_not_missing() -> None:
    record: dict[str, bytes] = {"node_modules/.yarn-integrity": b"{}"}
    new = {**_with("yarn.lock", **record), "yarn.lock": b"y"} | _packages("lodash", "zod")

    assert _said(_with("yarn.lock", **record) | ALL, new) == []


def test_a_whole_node_modules_that_is_gone_is_not_incomplete() -> None:
    assert _said(PROJECT | LISTED | ALL, PROJECT) == []


DEV = {"vue": {"dev": True}, "zod": {"dev": True}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PROJECT, PROJECT | RECORD | ALL),
        (PROJECT | RECORD | ALL, PROJECT),
        (PROJECT | RECORD | ALL, PROJECT | RECORD | _packages("lodash", "vue")),
        (PROJECT | RECORD | ALL, PROJECT | RECORD | ALL | {"node_modules/.cache/x": b"1"}),
        (PROJECT | RECORD | ALL, PROJECT | RECORD | ALL | {"node_modules/@types": directory()}),
        (PROJECT | RECORD | ALL, PROJECT | RECORD | ALL | {"node_modules/shop": link("../packages/shop")}),
        (PROJECT, PROJECT | ALL),
        (PROJECT | {"package-lock.json": _lock("lodash", "vue", "zod", **DEV)},
         PROJECT | {"package-lock.json": _lock("lodash", "vue", "zod", **DEV)} | _packages("lodash")),
        (PROJECT, PROJECT | {"package-lock.json": _lock("lodash", "fsevents", fsevents={"optional": True})}
         | _packages("lodash")),
        (PROJECT, PROJECT | {"package-lock.json": _lock("lodash", "x", x={"os": ["darwin"]})}
         | _packages("lodash")),
        (PROJECT, PROJECT | {"package-lock.json": _lock("lodash", "p", p={"peer": True})} | _packages("lodash")),
        ({}, {"test/fixtures/node_modules/foo/index.js": b"x"}),
        ({"package.json": MANIFEST}, {"package.json": MANIFEST, "node_modules/foo/index.js": b"x"}),
        (PROJECT, PROJECT | {"node_modules": link("../shared/node_modules")}),
        (_with("yarn.lock"), _with("yarn.lock") | ALL | {"node_modules/.yarn-integrity": b"{}"}),
        (_with("bun.lock") | ALL, _with("bun.lock") | ALL | {"node_modules/.cache/y": b""}),
    ],
)  # fmt: skip
def test_a_complete_or_removed_node_modules_is_not_broken(old: Files, new: Files) -> None:
    assert _said(old, new) == []


def test_an_installation_that_is_completed_later_is_good_news() -> None:
    half = PROJECT | {"node_modules/vue/a.js": b""}

    told = story(
        [IncompleteModules()], half, PROJECT | RECORD | ALL | {"node_modules/vue/a.js": b""}
    )

    assert told.headline == "installation completed (node_modules)"


def test_the_rest_of_a_half_unpacked_package_is_explained() -> None:
    new = PROJECT | {"node_modules/lodash/a.js": b"", "node_modules/lodash/b.js": b""}

    (finding,) = findings(IncompleteModules(), evidence(PROJECT, new))

    assert {"node_modules/lodash/a.js", "node_modules/lodash/b.js"} <= set(finding.claims)
    assert story([IncompleteModules()], PROJECT, new).headline == (
        "! node_modules incomplete: 3 of 3 packages missing"
    )


@pytest.mark.parametrize(
    "lock", [b"", b"[]", b"{", b'{"packages": 3}', b'{"packages": {"node_modules/a": 1}}']
)
def test_a_damaged_lock_says_what_the_manifest_says(lock: bytes) -> None:
    old = PROJECT | {"package-lock.json": lock}

    assert _said(old, old | _packages("vue")) == [
        ("npm:.", ("lodash and zod missing (2 of 3 packages)", "npm"))
    ]


def test_a_huge_lock_is_not_read() -> None:
    old = PROJECT | {"package-lock.json": file(b"", size=1 << 40)}

    assert len(_said(old, old | _packages("vue"))) == 1


def test_the_words_name_the_place_and_the_manager() -> None:
    fact = Fact("broken.install", "npm:web", "node_modules", severity="high",
                marks=("12 of 59 packages missing", "npm"))  # fmt: skip

    words = phrase("broken", [fact])

    assert words.short == "node_modules incomplete in web: 12 of 59 packages missing"
    assert words.text == "node_modules incomplete in web: 12 of 59 packages missing (npm)"
    assert words.shortest == "npm: 12 of 59 packages missing"
