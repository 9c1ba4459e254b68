from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.os_packages.apt_sources import (
    AptSources,
    parse_list,
    parse_stanzas,
    shown_address,
)
from clew.model.fact import Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, problems, story

DATA = Path(__file__).parent / "testdata" / "apt"
LIST = "etc/apt/sources.list"
PARTS = "etc/apt/sources.list.d"
CANARY = "canary-7f3a"

DEBIAN = b"deb http://deb.debian.org/debian bookworm main\n"


def reported(old: Moment, new: Moment) -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.subject, fact.severity) for fact in facts(AptSources(), old, new)]


def test_real_files_give_the_places_that_apt_itself_would_ask() -> None:
    """Expected: the output of `apt-get update --print-uris` of Debian 12 for the same files."""
    found = [
        source
        for name in sorted(path.name for path in DATA.iterdir())
        for parse in [parse_stanzas if name.endswith(".sources") else parse_list]
        for source in parse((DATA / name).read_text() if not name.endswith(".txt") else "")
    ]

    asked = {
        f"{source.address.rstrip('/')}/{source.suite}/InRelease"
        if source.suite == "./"
        else f"{source.address.rstrip('/')}/dists/{source.suite}/InRelease"
        for source in found
    }
    truth = {
        line.replace("/./", "/.//").replace("cdrom://", "cdrom:").replace(f"user:{CANARY}@", "")
        for line in (DATA / "print-uris.txt").read_text().splitlines()
    }
    assert asked == truth


def test_a_new_address_is_loud_and_names_its_file() -> None:
    new = {LIST: DEBIAN, f"{PARTS}/node.sources": (DATA / "nodesource.sources").read_bytes()}

    (fact,) = facts(AptSources(), {LIST: DEBIAN}, new)

    assert (fact.kind, fact.scope) == ("source.added", "apt")
    assert (fact.subject, fact.after) == (
        "https://deb.nodesource.com/node_20.x",
        f"{PARTS}/node.sources",
    )
    assert fact.severity == Severity.HIGH


def test_another_suite_of_a_known_address_is_only_noted() -> None:
    new = {LIST: DEBIAN + b"deb http://deb.debian.org/debian bookworm-backports main\n"}

    assert reported({LIST: DEBIAN}, new) == [
        ("source.added", "http://deb.debian.org/debian bookworm-backports", Severity.NOTE)
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"deb [trusted=yes] http://deb.debian.org/debian bookworm main\n",
        b"deb [arch=amd64 allow-insecure=yes] http://deb.debian.org/debian bookworm main\n",
    ],
)
def test_a_known_source_that_needs_no_signature_any_more_is_loud(content: bytes) -> None:
    (fact,) = facts(AptSources(), {LIST: DEBIAN}, {LIST: content})

    assert (fact.severity, fact.marks) == (Severity.HIGH, ("no signature needed",))


def test_trust_in_a_stanza_counts_as_it_does_in_a_line() -> None:
    stanza = b"Types: deb\nURIs: http://a.example\nSuites: x\nComponents: main\n"
    new = {f"{PARTS}/a.sources": stanza + b"Trusted: yes\n"}

    (fact,) = facts(AptSources(), {f"{PARTS}/a.sources": stanza}, new)

    assert fact.marks == ("no signature needed",)


def test_a_source_that_moved_into_the_newer_format_is_no_new_one() -> None:
    old = {LIST: DEBIAN}
    new = {
        f"{PARTS}/debian.sources": b"Types: deb\nURIs: http://deb.debian.org/debian\n"
        b"Suites: bookworm\nComponents: main\n"
    }

    assert reported(old, new) == []


def test_comments_components_and_files_that_apt_ignores_say_nothing() -> None:
    new = {
        LIST: b"# deb http://a.example x main\n" + DEBIAN.replace(b"main", b"main contrib"),
        f"{PARTS}/b.list.save": b"deb http://b.example x main\n",
        f"{PARTS}/c.sources": b"Enabled: no\nTypes: deb\nURIs: http://c.example\nSuites: x\n",
        f"{PARTS}/sp ace.list": b"deb http://d.example x main\n",
    }

    assert reported({LIST: DEBIAN}, new) == []


def test_a_source_that_is_commented_out_or_deleted_is_a_changed_configuration() -> None:
    extra = {f"{PARTS}/a.list": b"deb http://a.example x main\n"}

    (changed,) = facts(AptSources(), {LIST: DEBIAN}, {LIST: b"# " + DEBIAN})
    (removed,) = facts(AptSources(), {LIST: DEBIAN, **extra}, {LIST: DEBIAN})

    assert (changed.kind, changed.marks) == (
        "config.changed",
        ("−http://deb.debian.org/debian bookworm",),
    )
    assert (removed.kind, removed.subject) == ("config.removed", f"{PARTS}/a.list")


def test_a_new_or_changed_key_is_loud_and_a_removed_one_is_not() -> None:
    trusted, keyring = "etc/apt/trusted.gpg.d/a.asc", "etc/apt/keyrings/b.gpg"

    assert reported({}, {trusted: b"1", keyring: b"1"}) == [
        ("source.added", keyring, Severity.HIGH),
        ("source.added", trusted, Severity.HIGH),
    ]
    assert reported({trusted: b"1"}, {trusted: b"2"}) == [("source.added", trusted, Severity.HIGH)]
    assert reported({trusted: b"1"}, {}) == [("config.removed", trusted, Severity.NONE)]


def test_what_a_package_brought_along_warns_nobody() -> None:
    key, source = "etc/apt/trusted.gpg.d/debian.asc", f"{PARTS}/vendor.list"
    old = {"usr/share/keyrings/k.gpg": b"1"}
    new = {key: b"1", source: b"deb http://a.example x main\n", "usr/share/keyrings/k.gpg": b"2"}
    found = evidence(old, new)
    found.own(tuple(new), "vendor")

    result = [fact for finding in findings(AptSources(), found) for fact in finding.facts]

    assert [(fact.subject, fact.severity, fact.direct) for fact in result] == [
        (key, Severity.NONE, False),
        ("http://a.example", Severity.NONE, False),
    ]


def test_each_finding_claims_its_own_file() -> None:
    new = {LIST: DEBIAN, f"{PARTS}/README": b"x", "etc/apt/keyrings/a.gpg": b"1"}
    found = evidence({}, new)

    claimed = {path for finding in findings(AptSources(), found) for path in finding.claims}

    assert claimed == {LIST, "etc/apt/keyrings/a.gpg"}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"https://user:{CANARY}@a.example/x", "https://a.example/x"),
        (f"https://{CANARY}@a.example/x?token={CANARY}#{CANARY}", "https://a.example/x"),
        (f"https://user:p/{CANARY}@a.example/x", "https://a.example/x"),
        (f"http:user:{CANARY}@a.example", "http://a.example"),
        ("https://a.example/priv/0123456789abcdef0123456789abcdef/x", "https://a.example/priv/…/x"),
        ("https://deb.nodesource.com/node_20.x", "https://deb.nodesource.com/node_20.x"),
        ("mirror+file:/etc/apt/mirrors/debian.list", "mirror+file:/etc/apt/mirrors/debian.list"),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    assert shown_address(address) == shown


def test_no_secret_is_in_any_fact_or_word() -> None:
    new = {
        LIST: f"deb https://u:{CANARY}@a.example/x?k={CANARY} s main # {CANARY}\n".encode(),
        f"{PARTS}/b.sources": f"Types: deb\nURIs: https://{CANARY}@b.example\nSuites: s\n"
        f"Signed-By:\n -----BEGIN {CANARY}-----\n .\n {CANARY}\n".encode(),
    }

    result = story([AptSources()], {}, new)

    assert {fact.subject for fact in result.facts} == {"https://a.example/x", "https://b.example"}
    assert CANARY not in repr(result)
    assert CANARY not in repr(story([AptSources()], new, {}))


@pytest.mark.parametrize(
    "content",
    [
        b"deb",
        b"deb [",
        b"deb [trusted=yes",
        b"deb cdrom:[",
        b"deb cdrom:[x] \n",
        b"\xff\xfe\x00" * 1000,
        b"Types: deb\n" + b" x\n" * 200_000,
        b"deb http://a.example x main\n" * 30_000,
    ],
)
def test_broken_files_cost_no_more_than_themselves(content: bytes) -> None:
    new = {LIST: content, f"{PARTS}/a.sources": content, f"{PARTS}/z.list": DEBIAN}

    assert "http://deb.debian.org/debian" in [one[1] for one in reported({}, new)]


def test_a_huge_file_is_said_to_be_too_large() -> None:
    ((path, why),) = problems(AptSources(), {}, {LIST: file(b"", size=1 << 40)})

    assert path == LIST
    assert "too large" in why
