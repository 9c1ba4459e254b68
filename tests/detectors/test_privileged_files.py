from __future__ import annotations

import struct

from clew.detectors.security.privileged_files import PrivilegedFiles
from clew.model.fact import Severity
from tests.kit.moments import evidence, facts, file, findings, link, story

# as `setcap cap_net_raw=ep` writes it: VFS_CAP_REVISION_2 with the effective bit
NET_RAW = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)
BPF = struct.pack("<6I", 0x03000001, 0, 0, 1 << 7, 0, 1000)


def test_a_new_setuid_program_is_a_warning() -> None:
    (fact,) = facts(PrivilegedFiles(), {}, {"usr/local/bin/su2": file(b"x", mode=0o4755)})

    assert fact.identity == ("security.setuid", "setuid", "usr/local/bin/su2")
    assert (fact.severity, fact.marks) == (Severity.HIGH, ("setuid root",))


def test_only_the_mode_has_to_change() -> None:
    (fact,) = facts(PrivilegedFiles(), {"bin/x": file(b"x")}, {"bin/x": file(b"x", mode=0o6755)})

    assert (fact.before, fact.after) == ("0644", "6755")
    assert fact.marks == ("setuid root", "setgid root")


def test_other_bytes_or_another_owner_in_a_setuid_program_are_a_warning() -> None:
    old = {"bin/x": file(b"x", mode=0o4755, uid=1000)}

    for new in (file(b"y", mode=0o4755, uid=1000), file(b"x", mode=0o4755, uid=0)):
        assert [fact.severity for fact in facts(PrivilegedFiles(), old, {"bin/x": new})] == ["high"]


def test_losing_rights_warns_nobody() -> None:
    old = {"bin/x": file(b"x", mode=0o4755), "bin/y": file(b"y", mode=0o4755)}
    new = {"bin/x": file(b"x", mode=0o755), "bin/z": file(b"z", mode=0o755)}

    assert facts(PrivilegedFiles(), old, new) == []
    assert facts(PrivilegedFiles(), old, {**old, "bin/x": file(b"x", mode=0o4711)}) == []


def test_capabilities_are_named() -> None:
    old = {"bin/ping": file(b"x"), "bin/bpf": file(b"x")}
    new = {
        "bin/ping": file(b"x", xattrs={b"security.capability": NET_RAW}),
        "bin/bpf": file(b"x", xattrs={b"security.capability": BPF}),
    }

    found = facts(PrivilegedFiles(), old, new)

    assert [(fact.kind, fact.subject, fact.marks) for fact in found] == [
        ("security.capability", "bin/bpf", ("cap_bpf",)),
        ("security.capability", "bin/ping", ("cap_net_raw",)),
    ]


def test_other_attributes_and_broken_capabilities_say_nothing() -> None:
    for attributes in ({b"user.tag": b"x"}, {b"security.capability": b"\x01"}):
        assert facts(PrivilegedFiles(), {}, {"a": file(b"x", xattrs=attributes)}) == []


def test_what_a_package_ships_warns_nobody() -> None:
    found = evidence(
        {}, {"usr/bin/sudo": file(b"x", mode=0o4755), "usr/bin/su2": file(b"x", mode=0o4755)}
    )
    found.own(["usr/bin/sudo"], "sudo")

    (finding,) = findings(PrivilegedFiles(), found)

    assert (finding.facts[0].subject, finding.claims) == ("usr/bin/su2", ("usr/bin/su2",))


def test_directories_and_links_are_no_programs() -> None:
    assert facts(PrivilegedFiles(), {}, {"a": link("/usr/bin/sudo")}) == []


def test_an_image_of_another_system_deserves_a_note() -> None:
    path = "var/lib/docker/overlay2/1/diff/usr/bin/su"

    assert [fact.severity for fact in facts(PrivilegedFiles(), {}, {path: file(mode=0o4755)})] == [
        "note"
    ]


def test_many_at_once_are_few_lines_and_all_are_claimed() -> None:
    new = {f"root{n % 50}/x{n}": file(mode=0o4755) for n in range(500)}

    result = story([PrivilegedFiles()], {}, new)

    warnings = [line for line in result.lines if line.severity == Severity.HIGH]
    assert len(warnings) == 41
    assert sum(line.path_count for line in warnings) >= 500
