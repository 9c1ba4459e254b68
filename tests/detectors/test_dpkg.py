from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.os_packages.dpkg import Dpkg
from clew.model.fact import Severity
from tests.kit.moments import (
    Moment,
    Thing,
    directory,
    evidence,
    facts,
    file,
    findings,
    link,
    problems,
    story,
)

DATA = Path(__file__).parent / "testdata" / "dpkg"
STATUS = "var/lib/dpkg/status"
INFO = "var/lib/dpkg/info"


def stanza(name: str, version: str, status: str = "install ok installed", arch: str = "all") -> str:
    return f"Package: {name}\nStatus: {status}\nArchitecture: {arch}\nVersion: {version}\n"


DPKG = stanza("dpkg", "1.21.22", arch="amd64")


def machine(*stanzas: str, **others: bytes | Thing) -> dict[str, bytes | Thing]:
    return {STATUS: "\n".join((DPKG, *stanzas)).encode(), **others}


def reported(
    old: Moment, new: Moment
) -> list[tuple[str, str, str | None, str | None, tuple[str, ...]]]:
    return [
        (fact.kind, fact.subject, fact.before, fact.after, fact.marks)
        for fact in facts(Dpkg(), old, new)
    ]


def claimed(found: Evidence) -> set[str]:
    return {path for finding in findings(Dpkg(), found) for path in finding.claims}


def frozen(name: str) -> dict[str, bytes | Thing]:
    """Return a root that dpkg 1.21 created with `dpkg --root`."""
    root = DATA / name
    found: dict[str, bytes | Thing] = {}
    for path in root.rglob("*"):
        where = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[where] = link(str(path.readlink()))
        elif path.is_file():
            found[where] = file(path.read_bytes())
        else:
            found[where] = directory()
    return found


def real_install() -> tuple[dict[str, bytes | Thing], dict[str, bytes | Thing]]:
    """Return the changes of `apt-get install redis-server nginx-light` on Debian 12."""
    sides: tuple[dict[str, bytes | Thing], ...] = ({}, {})
    for path, pair in json.loads((DATA / "install.json").read_text()).items():
        for number, entry in enumerate(pair):
            if entry is None:
                continue
            if entry["kind"] == "link":
                sides[number][path] = link(entry["target"])
            elif entry["kind"] == "directory":
                sides[number][path] = directory(mode=entry["mode"])
            else:
                text = entry.get("text", f"{path} {number}")
                sides[number][path] = file(text.encode(), mode=entry["mode"])
    return sides[0], sides[1]


def test_a_real_install_names_what_dpkg_query_names() -> None:
    truth = [line.split("\t") for line in (DATA / "install.tsv").read_text().splitlines()]

    found = facts(Dpkg(), *real_install())

    assert [[fact.subject, fact.after] for fact in found] == sorted(truth)
    assert {fact.kind for fact in found} == {"package.added"}
    assert [fact.subject for fact in found if fact.direct] == ["nginx-light", "redis-server"]


def test_a_real_install_explains_all_but_accounts_logs_and_a_page() -> None:
    found = evidence(*real_install())

    left = {path for path, change in found.changes.items() if not change.is_directory}
    left -= claimed(found)

    assert left == {
        "etc/group", "etc/gshadow", "etc/passwd", "etc/shadow",
        "var/log/nginx/access.log", "var/log/nginx/error.log",
        "var/www/html/index.nginx-debian.html",
    }  # fmt: skip


def test_a_real_install_owns_what_lists_name_and_links_that_lead_there() -> None:
    found = evidence(*real_install())

    findings(Dpkg(), found)

    assert found.owners["usr/sbin/nginx"] == "nginx"
    assert found.owners["usr/lib/systemd/system/nginx.service"] == "nginx-common"
    wants = "etc/systemd/system/multi-user.target.wants"
    assert found.owners[f"{wants}/redis-server.service"] == "redis-server"
    assert "etc/ld.so.cache" not in found.owners
    assert "etc/passwd" not in found.owners


def test_a_removal_that_leaves_configuration_and_a_failed_script_are_told_as_dpkg_tells() -> None:
    assert (DATA / "after.tsv").read_text().splitlines() == [
        "alpha\tinstall ok installed\t1:1.0-2~beta1",
        "beta\tdeinstall ok config-files\t0.9",
        "broken\tinstall ok half-configured\t3.0",
    ]

    found = facts(Dpkg(), frozen("before"), frozen("after"))

    assert reported(frozen("before"), frozen("after")) == [
        ("package.changed", "alpha", "1:1.0-1", "1:1.0-2~beta1", ()),
        ("package.removed", "beta", "0.9", None, ()),
        ("package.added", "broken", None, "3.0", ("half-configured",)),
    ]
    assert [fact.severity for fact in found] == [Severity.NONE, Severity.NONE, Severity.HIGH]


def test_files_of_upgraded_and_removed_packages_are_claimed_through_the_merged_usr() -> None:
    found = evidence(frozen("before"), frozen("after"))

    assert {"usr/lib/alpha/helper", "usr/lib/alpha/helper2", "usr/share/beta/data"} <= set(
        found.changes
    )
    assert set(found.changes) - claimed(found) == set()
    assert found.owners["usr/lib/alpha/helper2"] == "alpha"


def test_a_downgrade_is_said_to_be_one() -> None:
    found = facts(Dpkg(), frozen("after"), frozen("before"))

    alpha = next(fact for fact in found if fact.subject == "alpha")
    assert (alpha.marks, alpha.severity) == (("downgrade",), Severity.NOTE)


@pytest.mark.parametrize(
    ("old", "new", "kind", "marks"),
    [
        ("hold ok installed", "install ok installed", "changed", ("no longer on hold",)),
        ("install ok installed", "hold ok installed", "changed", ("on hold",)),
        ("install ok installed", "install ok half-configured", "changed", ("half-configured",)),
        (
            "install ok installed",
            "install reinstreq installed",
            "changed",
            ("must be reinstalled",),
        ),
        ("install ok unpacked", "install ok installed", "changed", ("configured",)),
        (
            "deinstall ok config-files",
            "install ok unpacked",
            "added",
            ("unpacked, not configured",),
        ),
        ("deinstall ok config-files", "install ok installed", "added", ()),
        ("install ok half-installed", "purge ok not-installed", "removed", ()),
        ("install ok triggers-awaited", "install ok installed", None, ()),
        ("deinstall ok installed", "install ok installed", None, ()),
        ("install ok unpacked", "install ok half-configured", None, ()),
    ],
)
def test_the_words_of_status_decide(
    old: str, new: str, kind: str | None, marks: tuple[str, ...]
) -> None:
    found = reported(machine(stanza("x", "1", old)), machine(stanza("x", "1", new)))

    assert [(one[0], one[4]) for one in found] == ([(f"package.{kind}", marks)] if kind else [])


def test_only_a_foreign_architecture_is_named() -> None:
    new = machine(stanza("libc6", "1", arch="amd64"), stanza("libc6", "1", arch="i386"))

    assert [one[1] for one in reported(machine(), new)] == ["libc6", "libc6:i386"]


def test_a_package_that_becomes_independent_of_architectures_is_one_package() -> None:
    old, new = machine(stanza("x", "1", arch="amd64")), machine(stanza("x", "2", arch="all"))

    assert reported(old, new) == [("package.changed", "x", "1", "2", ())]


def test_what_came_along_is_not_what_was_asked_for() -> None:
    states = (
        b"Package: dep\nArchitecture: amd64\nAuto-Installed: 1\n\nPackage: x\nAuto-Installed: 0\n"
    )
    old = machine()
    new = {**machine(stanza("x", "1"), stanza("dep", "1")), "var/lib/apt/extended_states": states}

    assert [fact.direct for fact in facts(Dpkg(), old, new)] == [False, True]
    assert [fact.direct for fact in facts(Dpkg(), new, old)] == [False, True]


def test_refreshed_lists_are_no_fact() -> None:
    old = machine()
    new = {**old, "var/lib/apt/lists/x_InRelease": b"1", "var/cache/apt/pkgcache.bin": b"2"}

    (finding,) = findings(Dpkg(), evidence(old, new))

    assert (finding.facts, finding.text) == ((), "package lists refreshed (apt)")
    assert {"var/lib/apt/lists/x_InRelease", "var/cache/apt/pkgcache.bin"} <= set(finding.claims)


def test_account_backups_and_caches_are_left_alone_where_no_package_changed() -> None:
    old = machine()
    new = {**old, "etc/passwd-": b"x", "etc/ld.so.cache": b"x", "var/cache/apt/x": b"x"}

    assert claimed(evidence(old, new)).isdisjoint({"etc/passwd-", "etc/ld.so.cache"})


def test_purging_what_a_removal_left_is_told_without_a_fact() -> None:
    old = {
        **machine(stanza("beta", "1", "deinstall ok config-files")),
        f"{INFO}/beta.list": b"/etc/beta.conf\n",
        "etc/beta.conf": b"x",
    }

    (finding,) = findings(Dpkg(), evidence(old, machine()))

    assert finding.text == "leftover configuration of beta purged (apt)"
    assert {f"{INFO}/beta.list", STATUS} <= set(finding.claims)
    assert finding.facts == ()


def test_other_files_under_the_same_version_are_noted() -> None:
    old = {**machine(stanza("x", "1")), f"{INFO}/x.md5sums": b"a"}
    new = {**old, f"{INFO}/x.md5sums": b"b", "var/log/dpkg.log": b"upgrade x 1 1\n"}

    assert reported(old, new) == [
        ("package.changed", "x", "1", "1", ("same version, other files",))
    ]


def test_a_script_planted_for_a_package_that_did_not_change_is_not_explained() -> None:
    old = machine(stanza("x", "1"))
    new = {**old, f"{INFO}/x.postinst": b"evil", "var/lib/apt/lists/a": b"1"}

    assert f"{INFO}/x.postinst" not in claimed(evidence(old, new))


def test_a_diverted_file_is_claimed_where_it_really_lies() -> None:
    diversions = b"/usr/bin/tool\n/usr/bin/tool.distrib\nother\n"
    old = {**machine(), "var/lib/dpkg/diversions": diversions}
    new = {
        **old,
        **machine(stanza("x", "1")),
        f"{INFO}/x.list": b"/.\n/usr\n/usr/bin/tool\n",
        "usr/bin/tool": b"local",
        "usr/bin/tool.distrib": b"from x",
    }
    found = evidence(old, new)

    assert "usr/bin/tool.distrib" in claimed(found)
    assert "usr/bin/tool" not in claimed(found)


def test_alternatives_that_lead_to_shipped_programs_are_footprint_and_others_are_not() -> None:
    old = machine()
    new = {
        **machine(stanza("vim", "1")),
        f"{INFO}/vim.list": b"/usr/bin/vim.tiny\n",
        "usr/bin/vim.tiny": b"elf",
        "etc/alternatives/vi": link("/usr/bin/vim.tiny"),
        "usr/bin/vi": link("/etc/alternatives/vi"),
        "etc/alternatives/python": link("/tmp/evil"),
        "usr/bin/python": link("/etc/alternatives/python"),
        "home/a/vi": link("/usr/bin/vim.tiny"),
    }

    found = claimed(evidence(old, new))

    assert {"etc/alternatives/vi", "usr/bin/vi"} <= found
    assert found.isdisjoint({"etc/alternatives/python", "usr/bin/python", "home/a/vi"})


def test_images_without_dpkg_have_a_file_for_each_package() -> None:
    directory = "var/lib/dpkg/status.d"
    new = {
        f"{directory}/base": b"Package: base-files\nVersion: 12.4\nArchitecture: amd64\n",
        f"{directory}/base-files.md5sums": b"0" * 32 + b"  etc/debian_version\n",
        "etc/debian_version": b"12",
    }
    found = evidence({}, new)

    assert reported({}, new) == [("package.added", "base-files", None, "12.4", ())]
    assert "etc/debian_version" in claimed(found)


def test_what_dpkg_has_not_yet_written_back_counts() -> None:
    old = machine(stanza("x", "1"))
    new = {**old, "var/lib/dpkg/updates/0001": stanza("x", "2", "install ok unpacked").encode()}

    assert reported(old, new) == [("package.changed", "x", "1", "2", ("unpacked, not configured",))]


def test_lists_of_packages_that_did_not_change_are_never_read() -> None:
    old = {**machine(stanza("x", "1")), f"{INFO}/x.list": file(b"/a\n", size=1 << 40)}
    new = {**machine(stanza("x", "1"), stanza("y", "1")), f"{INFO}/x.list": old[f"{INFO}/x.list"]}

    assert problems(Dpkg(), old, new) == []
    assert problems(Dpkg(), old, machine()) != []


@pytest.mark.parametrize(
    "status",
    [
        b"\x00\xff\xfe" * 1000,
        b"\n" * 100_000,
        b"Package: \nStatus:\nVersion:\n",
        b"Package: x\nStatus: install\n",
        b"Status: install ok installed\nVersion: 1\n",
        stanza("../../etc/shadow", "1").encode(),
        stanza("x", "1" * 100_000).encode(),
    ],
)
def test_a_broken_status_costs_no_more_than_itself(status: bytes) -> None:
    result = story([Dpkg()], {}, {STATUS: status})

    assert all(len(fact.after or "") <= 256 for fact in result.facts)
    assert result.lines[0].paths


def test_a_status_that_is_too_large_is_said_to_be() -> None:
    (problem,) = problems(Dpkg(), machine(), {STATUS: file(b"x", size=1 << 30)})

    assert problem[0] == STATUS
    assert "too large" in problem[1]
