from __future__ import annotations

from clew.detectors.security.preload import Preload
from clew.detectors.security.sudoers import Sudoers
from tests.kit.moments import evidence, facts, file, findings


def test_a_rule_for_root_is_a_warning_that_names_the_account() -> None:
    text = b"# by hand\nalice ALL=(ALL) NOPASSWD: ALL\n%ops ALL=/usr/bin/apt --token canary\n"
    (fact,) = facts(Sudoers(), {}, {"etc/sudoers.d/x": text})

    assert fact.identity == ("security.sudoers", "sudo", "etc/sudoers.d/x")
    assert (fact.severity, fact.marks) == ("high", ("alice without password", "%ops"))


def test_an_include_and_a_numeric_account_look_like_comments_and_are_rules() -> None:
    for line in (b"#includedir /tmp/x", b"@include /tmp/x", b"#1000 ALL=(ALL) ALL"):
        old = {"etc/sudoers": b"root ALL=(ALL:ALL) ALL\n"}
        found = facts(Sudoers(), old, {"etc/sudoers": old["etc/sudoers"] + line})
        assert [fact.severity for fact in found] == ["high"]


def test_doas_rules_count_too() -> None:
    (fact,) = facts(Sudoers(), {}, {"etc/doas.conf": b"permit nopass keepenv bob as root\n"})

    assert fact.marks == ("permit bob without password",)


def test_removing_a_rule_is_a_note() -> None:
    old = {"etc/sudoers.d/x": b"alice ALL=(ALL) ALL\n"}

    for new in ({}, {"etc/sudoers.d/x": b"# nobody\n"}):
        assert [(f.severity, f.marks) for f in facts(Sudoers(), old, new)] == [
            ("note", ("−1 rules",))
        ]


def test_comments_and_packaged_rules_say_nothing() -> None:
    assert (
        facts(Sudoers(), {}, {"etc/sudoers.d/README": b"#\n# As of Debian version 1.7.2p1-1\n"})
        == []
    )
    found = evidence({}, {"etc/sudoers": b"root ALL=(ALL:ALL) ALL\n"})
    found.own(["etc/sudoers"], "sudo")
    assert findings(Sudoers(), found) == []


def test_rules_that_others_may_write_are_a_warning() -> None:
    old, new = file(b"root ALL=ALL", mode=0o440), file(b"root ALL=ALL", mode=0o666)

    (fact,) = facts(Sudoers(), {"etc/sudoers": old}, {"etc/sudoers": new})

    assert (fact.severity, fact.marks) == ("high", ("writable by others",))


def test_rules_too_large_to_read_are_a_warning_and_many_rules_are_counted() -> None:
    (fact,) = facts(Sudoers(), {}, {"etc/sudoers": file(size=1 << 30)})
    assert (fact.severity, fact.marks) == ("high", ("too large to look into",))

    (fact,) = facts(
        Sudoers(), {}, {"etc/sudoers": b"".join(b"u%d ALL=ALL\n" % n for n in range(10_000))}
    )
    assert fact.marks == ("u0", "u1", "u2", "u3", "9,996 more rules")


def test_a_preloaded_library_is_a_warning() -> None:
    (finding,) = findings(Preload(), evidence({}, {"etc/ld.so.preload": b"/tmp/evil.so\n"}))

    assert finding.facts[0].identity == ("security.preload", "loader", "etc/ld.so.preload")
    assert (finding.facts[0].severity, finding.facts[0].marks) == ("high", ("+/tmp/evil.so",))
    assert finding.claims == ("etc/ld.so.preload",)


def test_a_library_that_is_preloaded_no_more_is_no_danger() -> None:
    old = {"etc/ld.so.preload": b"/tmp/evil.so\n"}

    assert [(f.kind, f.severity) for f in facts(Preload(), old, {})] == [("config.removed", "none")]


def test_another_place_of_libraries_is_a_note_unless_a_package_brought_it() -> None:
    new = {"etc/ld.so.conf.d/cuda.conf": b"# cuda\n/opt/cuda/lib\n"}

    (fact,) = facts(Preload(), {}, new)
    assert (fact.severity, fact.marks) == ("note", ("library path /opt/cuda/lib",))

    found = evidence({}, new)
    found.own(list(new), "cuda")
    assert findings(Preload(), found) == []
