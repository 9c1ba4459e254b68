from __future__ import annotations

import hashlib

from clew.detectors.os_packages.dpkg import Dpkg
from clew.detectors.os_packages.tampered import TamperedFiles
from clew.model.fact import Severity
from tests.kit.moments import Moment, Thing, evidence, facts, file, findings, link, problems, story

INFO = "var/lib/dpkg/info"
STATUS = "var/lib/dpkg/status"


def machine(**versions: str) -> dict[str, bytes]:
    """Return a merged Debian with `nginx`, whose list still contains `lib`."""
    stanzas = [
        f"Package: {name}\nStatus: install ok installed\nArchitecture: all\nVersion: {version}\n"
        for name, version in {"nginx": "1", **versions}.items()
    ]
    shipped = {
        "usr/sbin/nginx": b"elf",
        "lib/nginx/module.so": b"module",
        "etc/nginx/nginx.conf": b"conf",
        "opt/nginx/settings": b"settings",
    }
    return {
        STATUS: "\n".join(stanzas).encode(),
        f"{INFO}/nginx.md5sums": _sums(shipped),
        f"{INFO}/nginx.conffiles": b"/etc/nginx/nginx.conf\n/opt/nginx/settings\n",
        "usr/sbin/nginx": b"elf",
        "usr/lib/nginx/module.so": b"module",
        "etc/nginx/nginx.conf": b"conf",
        "opt/nginx/settings": b"settings",
    }


def merged(moment: dict[str, bytes]) -> Moment:
    return {**moment, "lib": link("usr/lib")}


def _sums(shipped: dict[str, bytes]) -> bytes:
    return b"".join(
        f"{hashlib.md5(content).hexdigest()}  {path}\n".encode()
        for path, content in shipped.items()
    )


def subjects(old: Moment, new: Moment) -> list[str]:
    return [fact.subject for fact in facts(TamperedFiles(), old, new)]


def test_a_changed_program_of_an_unchanged_package_is_loud() -> None:
    old = machine()

    (fact,) = facts(TamperedFiles(), old, {**old, "usr/sbin/nginx": b"evil"})

    assert (fact.kind, fact.subject) == ("security.tampered", "usr/sbin/nginx")
    assert (fact.severity, fact.marks) == (Severity.HIGH, ("nginx",))


def test_a_list_that_is_older_than_the_merged_usr_still_finds_its_files() -> None:
    old = machine()
    new = {**old, "usr/lib/nginx/module.so": b"evil"}

    assert subjects(merged(old), merged(new)) == ["usr/lib/nginx/module.so"]


def test_an_edited_configuration_file_is_no_tampering_wherever_it_lies() -> None:
    old = machine()
    new = {**old, "etc/nginx/nginx.conf": b"edited", "opt/nginx/settings": b"edited"}

    assert subjects(old, new) == []


def test_a_file_that_is_as_shipped_again_is_no_tampering() -> None:
    new = machine()

    assert subjects({**new, "usr/sbin/nginx": b"patched"}, new) == []


def test_other_rights_new_files_and_deleted_files_are_none_of_this() -> None:
    old = machine()
    new: dict[str, bytes | Thing] = {
        **old,
        "usr/sbin/nginx": file(b"elf", mode=0o700),
        "usr/sbin/other": b"new",
        "usr/local/bin/tool": b"2",
    }
    del new["usr/lib/nginx/module.so"]

    assert subjects(merged({**old, "usr/local/bin/tool": b"1"}), new) == []


def test_an_upgrade_explains_its_files_and_no_others() -> None:
    old = {**machine(other="1"), f"{INFO}/other.list": b"/usr/bin/other\n", "usr/bin/other": b"1"}
    new = {
        **machine(other="2"),
        f"{INFO}/other.list": b"/usr/bin/other\n",
        "usr/bin/other": b"2",
        "usr/sbin/nginx": b"evil",
    }
    old[f"{INFO}/other.md5sums"] = _sums({"usr/bin/other": b"1"})
    new[f"{INFO}/other.md5sums"] = _sums({"usr/bin/other": b"2"})

    result = story([Dpkg(), TamperedFiles()], old, new)

    assert [fact.subject for fact in result.facts] == ["usr/sbin/nginx", "other"]


def test_a_file_replaced_by_a_link_is_tampered_with() -> None:
    old = machine()

    assert subjects(old, {**old, "usr/sbin/nginx": link("/tmp/evil")}) == ["usr/sbin/nginx"]


def test_forged_checksums_hide_nothing() -> None:
    old = machine()
    new = {
        **old,
        "usr/sbin/nginx": b"evil",
        f"{INFO}/nginx.md5sums": _sums({"usr/sbin/nginx": b"evil"}),
    }

    assert subjects(old, new) == [f"{INFO}/nginx.md5sums", "usr/sbin/nginx"]


def test_a_script_that_dpkg_would_run_is_not_changed_without_dpkg() -> None:
    old = machine()
    new = {**old, f"{INFO}/nginx.postinst": b"#!/bin/sh\n"}

    assert subjects(old, new) == [f"{INFO}/nginx.postinst"]
    assert subjects(old, {**new, "var/log/dpkg.log": b"configure nginx\n"}) == []


def test_a_file_that_another_package_replaced_may_be_as_either_shipped_it() -> None:
    old = {
        **machine(),
        f"{INFO}/fork.md5sums": _sums({"usr/sbin/nginx": b"fork"}),
        "usr/sbin/nginx": b"something",
    }

    assert subjects(old, {**old, "usr/sbin/nginx": b"fork"}) == []
    assert subjects(old, {**old, "usr/sbin/nginx": b"elf"}) == []
    assert subjects(old, {**old, "usr/sbin/nginx": b"evil"}) == ["usr/sbin/nginx"]


def test_a_diverted_file_is_judged_where_it_lies() -> None:
    old = {
        **machine(),
        "var/lib/dpkg/diversions": b"/usr/sbin/nginx\n/usr/sbin/nginx.distrib\n:\n",
        "usr/sbin/nginx": b"mine",
        "usr/sbin/nginx.distrib": b"elf",
    }

    assert subjects(old, {**old, "usr/sbin/nginx": b"mine too"}) == []
    assert subjects(old, {**old, "usr/sbin/nginx.distrib": b"x"}) == ["usr/sbin/nginx.distrib"]


def test_what_another_package_manager_overwrote_and_told_of_is_no_tampering() -> None:
    old = machine()
    found = evidence(old, {**old, "usr/sbin/nginx": b"npm"})
    found.own(("usr/sbin/nginx",), "npm")

    assert findings(TamperedFiles(), found) == []


def test_many_files_of_one_package_are_one_warning_that_claims_them_all() -> None:
    shipped = {f"usr/lib/node/npm/{number}.js": b"1" for number in range(40)}
    old = {**machine(), **shipped, f"{INFO}/nodejs.md5sums": _sums(shipped)}
    found = evidence(old, {**old, **dict.fromkeys(shipped, b"2")})

    (finding,) = findings(TamperedFiles(), found)

    assert [(fact.subject, fact.marks) for fact in finding.facts] == [
        ("usr/lib/node/npm", ("nodejs", "40 files"))
    ]
    assert set(finding.claims) == set(shipped)


def test_a_changed_manual_is_only_noted() -> None:
    shipped = {"usr/share/man/man1/x.1.gz": b"1"}
    old = {**machine(), **shipped, f"{INFO}/x.md5sums": _sums(shipped)}

    (fact,) = facts(TamperedFiles(), old, {**old, "usr/share/man/man1/x.1.gz": b"2"})

    assert fact.severity == Severity.NOTE


def test_broken_checksums_cost_only_themselves() -> None:
    old: dict[str, bytes | Thing] = {
        **machine(),
        f"{INFO}/a.md5sums": b"\xff\x00" * 1000 + b"\n" * 1000,
        f"{INFO}/b.md5sums": file(b"", size=1 << 40),
    }
    new = {**old, "usr/sbin/nginx": b"evil"}

    assert subjects(old, new) == ["usr/sbin/nginx"]
    assert [path for path, _ in problems(TamperedFiles(), old, new)] == [f"{INFO}/b.md5sums"]


def test_a_file_too_large_to_hash_is_said_to_be() -> None:
    old = machine()

    ((path, why),) = problems(
        TamperedFiles(), old, {**old, "usr/sbin/nginx": file(b"x", size=1 << 40)}
    )

    assert path == "usr/sbin/nginx"
    assert "too large" in why
