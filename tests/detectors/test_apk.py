from __future__ import annotations

import pytest

from clew.detectors.os_packages.apk import Apk, ApkSources, is_older
from clew.model.fact import Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, link, problems, story

DATABASE = "lib/apk/db/installed"
WORLD = "etc/apk/world"
CANARY = "canary-7f3a"


def stanza(name: str, version: str, *files: str, flags: str = "") -> str:
    """Return a stanza as apk-tools 2.14 writes it."""
    lines = [
        "C:Q1pcfTfDNEbNKQc2s1tia7da05M8Q=",
        f"P:{name}",
        f"V:{version}",
        "A:x86_64",
        "S:448728",
    ]
    lines += ["I:1396736", f"T:{name}", "L:MIT", f"o:{name}", "t:1701073495", "D:so:libc.musl"]
    lines += [f"f:{flags}"] if flags else []
    for path in files:
        directory, _, base = path.rpartition("/")
        lines += [f"F:{directory}", f"R:{base}", "a:0:0:755", "Z:Q1pcfTfDNEbNKQc2s1tia7da05M8Q="]
    return "\n".join(lines) + "\n"


def machine(*stanzas: str, world: bytes = b"") -> dict[str, bytes]:
    return {DATABASE: "\n".join(stanzas).encode() + b"\n", WORLD: world}


MUSL = stanza("musl", "1.2.4_git20230717-r4", "lib/ld-musl-x86_64.so.1")


def reported(
    old: Moment, new: Moment
) -> list[tuple[str, str, str | None, str | None, tuple[str, ...]]]:
    return [
        (fact.kind, fact.subject, fact.before, fact.after, fact.marks)
        for fact in facts(Apk(), old, new)
    ]


def test_packages_that_came_went_and_changed_are_named() -> None:
    old = machine(MUSL, stanza("bash", "5.2.21-r0"), stanza("curl", "8.5.0-r0"))
    new = machine(MUSL, stanza("bash", "5.2.26-r0"), stanza("nginx", "1.24.0-r15"))

    assert reported(old, new) == [
        ("package.changed", "bash", "5.2.21-r0", "5.2.26-r0", ()),
        ("package.removed", "curl", "8.5.0-r0", None, ()),
        ("package.added", "nginx", None, "1.24.0-r15", ()),
    ]


def test_world_tells_what_was_asked_for_whatever_its_constraint() -> None:
    names = ("php", "tool", "vim", "lib", "gone")
    new = machine(*(stanza(name, "1") for name in names), world=b"php>8\ntool@edge vim=1\n!gone\n")

    found = {fact.subject: fact.direct for fact in facts(Apk(), {}, new)}

    assert found == {"php": True, "tool": True, "vim": True, "lib": False, "gone": False}
    assert {fact.subject for fact in facts(Apk(), new, {}) if fact.direct} == {"php", "tool", "vim"}


def test_files_are_claimed_and_owned_and_others_are_not() -> None:
    old = {**machine(stanza("curl", "1", "usr/bin/curl")), "usr/bin/curl": b"1"}
    new = {
        **machine(stanza("nginx", "1", "usr/sbin/nginx", "lib/nginx.so"), world=b"nginx"),
        "usr/sbin/nginx": b"1",
        "lib/nginx.so": b"1",
        "etc/passwd-": b"x",
        "usr/sbin/evil": b"x",
        "var/cache/apk/APKINDEX.1.tar.gz": b"x",
        "lib/apk/db/scripts.tar": b"x",
    }
    found = evidence(old, new)

    (finding,) = findings(Apk(), found)

    files = {path for path, change in found.changes.items() if not change.is_directory}
    assert files - set(finding.claims) == {"usr/sbin/evil"}
    assert found.owners["usr/sbin/nginx"] == "nginx"
    assert found.owners["usr/bin/curl"] == "curl"
    assert "usr/sbin/evil" not in found.owners


def test_a_merged_system_is_understood() -> None:
    database = "usr/lib/apk/db/installed"
    old: Moment = {"lib": link("usr/lib")}
    new: Moment = {**old, database: stanza("x", "1", "lib/x.so").encode(), "usr/lib/x.so": b"1"}
    found = evidence(old, new)

    assert [fact.subject for fact in facts(Apk(), old, new)] == ["x"]
    assert "usr/lib/x.so" in findings(Apk(), found)[0].claims


def test_links_of_an_upgraded_busybox_are_its_own() -> None:
    box = stanza("busybox", "1", "bin/busybox")
    new: Moment = {**machine(box), "bin/busybox": b"elf", "bin/ls": link("/bin/busybox")}

    assert "bin/ls" in findings(Apk(), evidence({}, new))[0].claims


def test_what_apk_could_not_finish_is_loud() -> None:
    old, new = machine(stanza("x", "1")), machine(stanza("x", "1", flags="s"))

    (fact,) = facts(Apk(), old, new)

    assert (fact.kind, fact.marks, fact.severity) == (
        "package.changed",
        ("half-configured",),
        Severity.HIGH,
    )
    assert reported(new, old) == [("package.changed", "x", "1", "1", ("configured",))]
    assert reported(old, machine(stanza("x", "1", flags="S"))) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("1.2.4-r0", "1.2.4-r1"),
        ("1.9", "1.10"),
        ("1.2", "1.2.1"),
        ("1.05", "1.1"),
        ("1.2_rc1", "1.2"),
        ("1.2_alpha2", "1.2_beta1"),
        ("1.2", "1.2_p1"),
        ("1.2.4", "1.2.4_git20230717-r4"),
        ("1.2.3", "1.2.3a"),
        ("9" * 80, "1" + "0" * 80),
    ],
)
def test_versions_compare_as_apk_says(older: str, newer: str) -> None:
    assert is_older(older, than=newer)
    assert not is_older(newer, than=older)
    assert not is_older(newer, than=newer)


def test_a_downgrade_is_noted_and_an_unknown_version_is_not() -> None:
    (fact,) = facts(Apk(), machine(stanza("x", "2-r0")), machine(stanza("x", "1-r0")))

    assert (fact.marks, fact.severity) == (("downgrade",), Severity.NOTE)
    assert reported(machine(stanza("x", "2?")), machine(stanza("x", "1?")))[0][4] == ()


def test_refreshed_indexes_and_other_checksums_are_no_fact() -> None:
    old = machine(MUSL)
    new = {**old, "var/cache/apk/APKINDEX.tar.gz": b"2"}

    (finding,) = findings(Apk(), evidence({**old, "var/cache/apk/x": b"1"}, new))

    assert (finding.facts, finding.text) == ((), "package lists refreshed (apk)")
    assert reported(old, {**old, WORLD: b"musl\n"}) == []


def test_scripts_that_changed_without_a_package_are_not_explained() -> None:
    new = {**machine(MUSL), "lib/apk/db/scripts.tar": b"evil"}

    assert findings(Apk(), evidence(machine(MUSL), new)) == []


@pytest.mark.parametrize(
    "content",
    [b"\n" * 100_000, b"P\nV\nF\nR", b"\xff\x00:" * 5000, b"P:\nV:1\n", b"R:" + b"x/" * 100_000],
)
def test_a_broken_database_costs_no_more_than_itself(content: bytes) -> None:
    result = story([Apk()], machine(MUSL), {DATABASE: content, WORLD: b""})

    assert [fact.subject for fact in result.facts if fact.kind == "package.removed"] == ["musl"]


def test_a_database_that_is_too_large_is_said_to_be() -> None:
    ((path, why),) = problems(Apk(), {}, {DATABASE: file(b"", size=1 << 40)})

    assert path == DATABASE
    assert "too large" in why


def test_a_new_repository_and_a_new_key_are_loud_and_another_branch_is_noted() -> None:
    repositories = "etc/apk/repositories"
    old = {repositories: b"https://dl-cdn.alpinelinux.org/alpine/v3.19/main\n"}
    new = {
        repositories: b"https://dl-cdn.alpinelinux.org/alpine/v3.19/main\n"
        b"@edge https://dl-cdn.alpinelinux.org/alpine/edge/testing\n"
        b"# https://no.example/x\n"
        b"https://user:" + CANARY.encode() + b"@evil.example/x\n",
        "etc/apk/keys/evil.rsa.pub": b"key",
    }

    result = story([ApkSources()], old, new)

    assert {(fact.scope, fact.subject, fact.severity) for fact in result.facts} == {
        ("apk", "https://evil.example/x", Severity.HIGH),
        ("apk", "etc/apk/keys/evil.rsa.pub", Severity.HIGH),
        ("apk", "https://dl-cdn.alpinelinux.org/alpine/edge/testing", Severity.NOTE),
    }
    assert CANARY not in repr(result)
    assert [fact.kind for fact in facts(ApkSources(), new, old)] == ["config.changed"]


def test_keys_that_a_package_brought_along_warn_nobody() -> None:
    found = evidence({}, {"etc/apk/keys/alpine.rsa.pub": b"key"})
    found.own(("etc/apk/keys/alpine.rsa.pub",), "alpine-keys")

    ((fact,),) = (finding.facts for finding in findings(ApkSources(), found))

    assert (fact.severity, fact.direct) == (Severity.NONE, False)
