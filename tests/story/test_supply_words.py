"""Sentences about where packages come from and how they are checked, in three lengths."""

from __future__ import annotations

import pytest

from clew.model.fact import Fact
from clew.story.words import phrase

HOST = "packages.example.net"


def _fact(word: str, scope: str, subject: str, before: str | None = None, after: str | None = None, *marks: str, severity: str = "high") -> Fact:  # fmt: skip
    return Fact(f"security.{word}", scope, subject, before, after, severity=severity, marks=marks)


_SAID = [
    (
        _fact("registry", "lock", "web/package-lock.json", "registry.npmjs.org", HOST, "a", "b", "c"),
        f"package-lock.json: 3 packages now from {HOST}",
        f"web/package-lock.json: 3 packages now from {HOST}, before from registry.npmjs.org (a, b and c)",
        f"3 packages now from {HOST}",
    ),
    (
        _fact("registry", "lock", "uv.lock", None, HOST, "a", "b", "c", "d", "e", "1,200 more"),
        f"uv.lock: 1,205 packages from {HOST}",
        f"uv.lock: 1,205 packages from {HOST} (a, b, c, d, e and 1,200 more)",
        f"1,205 packages from {HOST}",
    ),
    (
        _fact("registry", "registry", ".npmrc", "npm.corp.example", HOST, "registry"),
        f".npmrc: packages now from {HOST}",
        f".npmrc: packages now come from {HOST}, before from npm.corp.example (registry)",
        f"packages now from {HOST}",
    ),
    (
        _fact("registry", "registry", "pip.conf", None, HOST, "extra-index-url"),
        f"pip.conf: packages also from {HOST}",
        f"pip.conf: packages also come from {HOST} (extra-index-url)",
        f"packages also from {HOST}",
    ),
    (
        _fact("registry", "registry", ".npmrc", "npm.corp.example", None, "−registry", severity="note"),
        ".npmrc: packages no longer come from npm.corp.example",
        ".npmrc: packages no longer come from npm.corp.example (−registry)",
        ".npmrc: packages no longer come from npm.corp.example",
    ),
    (
        _fact("registry", "apt", "etc/apt/apt.conf.d/99x", None, None, "post-invoke"),
        "etc/apt/apt.conf.d/99x: a program runs around every package (post-invoke)",
        "etc/apt/apt.conf.d/99x: a program runs around every package (post-invoke)",
        "etc/apt/apt.conf.d/99x: a program runs around every package (post-invoke)",
    ),
    (
        _fact("tls", "git", ".git/config", None, None, "http.sslVerify"),
        ".git/config: certificates no longer verified (http.sslVerify)",
        ".git/config: certificates are no longer verified (http.sslVerify)",
        "certificates not verified (.git/config)",
    ),
    (
        _fact("install_script", "project", "package.json", None, "node x.js", "postinstall"),
        "package.json: new postinstall script runs at installation",
        "package.json: new postinstall script runs node x.js at each installation",
        "package.json: new postinstall script",
    ),
    (
        _fact("install_script", "npm:.", "string-tools", "1.0.0", "1.0.1", "new in this version"),
        "string-tools 1.0.1 has a new install script",
        "string-tools 1.0.1 runs a program when it is installed: install script (new in this version)",
        "string-tools: new install script",
    ),
    (
        _fact("install_script", "setting", ".npmrc", None, None, "ignore-scripts"),
        ".npmrc: install scripts of packages run again",
        ".npmrc: install scripts of packages run again (ignore-scripts)",
        ".npmrc: install scripts of packages run again",
    ),
    (
        _fact("integrity", "lock: another hash", "package-lock.json", None, "another hash", "left-pad 1.3.0"),
        "package-lock.json: left-pad 1.3.0 has another hash than before",
        "package-lock.json: left-pad 1.3.0 has another hash than before",
        "left-pad 1.3.0 has another hash than before",
    ),
    (
        _fact("integrity", "lock: no hash", "requirements.txt", None, "no hash", "idna", "six"),
        "requirements.txt: 2 packages are no longer checked against a hash",
        "requirements.txt: 2 packages are no longer checked against a hash (idna and six)",
        "2 packages are no longer checked against a hash",
    ),
    (
        _fact("dependency", "package.json", "is-odd", "a registry", f"git at {HOST}/someone/is-odd"),
        f"is-odd now from git at {HOST}/someone/is-odd (package.json)",
        f"is-odd now comes from git at {HOST}/someone/is-odd, before from a registry (package.json)",
        f"is-odd now from git at {HOST}",
    ),
    (
        _fact("dependency", ".github/workflows/ci.yml", "someone/checkout", "actions/checkout@v4", "someone/checkout@main", "action", severity="note"),
        "ci.yml: action someone/checkout@main instead of actions/checkout@v4",
        ".github/workflows/ci.yml: action someone/checkout@main instead of actions/checkout@v4",
        "ci.yml: action someone/checkout@main",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "short", "text", "shortest"), _SAID)
def test_each_danger_has_words_in_three_lengths(
    fact: Fact, short: str, text: str, shortest: str
) -> None:
    words = phrase("security", [fact])

    assert (words.short, words.text, words.shortest) == (short, text, shortest)


def test_nothing_is_told_as_packages_from_elsewhere_that_is_not() -> None:
    for fact, *_ in _SAID:
        if fact.kind != "security.registry":
            assert "packages come from" not in phrase("security", [fact]).text


def test_locks_name_what_was_asked_for_and_count_the_rest() -> None:
    facts = [
        Fact("lock.changed", "web/uv.lock", "six", "1.16.0", "1.17.0"),
        Fact("lock.added", "web/uv.lock", "idna", None, "3.7", direct=False),
        Fact("lock.removed", "web/uv.lock", "toml", "0.10.2", None, direct=False),
    ]

    assert phrase("lock", facts).short == "six 1.16.0 → 1.17.0 and 2 more (uv.lock)"
    assert phrase("lock", facts[1:]).text == "+idna 3.7 and −toml 0.10.2 (web/uv.lock)"
    down = Fact("lock.changed", "uv.lock", "six", "1.17.0", "1.16.0", marks=("downgrade",))
    assert phrase("lock", [down]).short == "six downgraded 1.17.0 → 1.16.0 (uv.lock)"
