"""Changes apart from packages: marks, edited configuration, scripts, settings, alternatives."""

from __future__ import annotations

from hashlib import md5

from clew.detectors.detector import Detector
from clew.detectors.files.config_files import ConfigFiles
from clew.detectors.files.env_files import EnvFiles
from clew.detectors.files.logs import Logs
from clew.detectors.os_packages.dpkg import Dpkg
from clew.detectors.os_packages.tampered import TamperedFiles
from clew.detectors.system.systemd import Systemd
from clew.detectors.system.sysv import SysV
from clew.model.fact import Fact
from clew.story.analyse import analyse
from tests.kit.moments import Moment, directory, evidence, file, findings, link

CANARY = b"canary-7f3a"
STATUS = "var/lib/dpkg/status"
STATES = "var/lib/apt/extended_states"
INFO = "var/lib/dpkg/info"
DEBCONF = "var/cache/debconf"
UNIT = "usr/lib/systemd/system/x.service"
WANTED = "etc/systemd/system/multi-user.target.wants/x.service"


def status(*stanzas: str) -> bytes:
    return "\n".join(
        ("Package: dpkg\nStatus: install ok installed\nArchitecture: amd64\n", *stanzas)
    ).encode()


def stanza(
    name: str,
    version: str = "1",
    state: str = "install ok installed",
    arch: str = "all",
    **shipped: bytes,
) -> str:
    lines = "".join(
        f" /etc/{key}.conf {md5(value).hexdigest()}\n" for key, value in shipped.items()
    )
    conffiles = f"Conffiles:\n{lines}" if lines else ""
    return (
        f"Package: {name}\nStatus: {state}\nArchitecture: {arch}\nVersion: {version}\n{conffiles}"
    )


def found_facts(old: Moment, new: Moment, *others: Detector) -> list[Fact]:
    """Return the findings of dpkg, then of other detectors, then of the sorters."""
    found = evidence(old, new, machine=True)
    sorters: tuple[Detector, ...] = (Logs(), ConfigFiles())
    results = analyse(found, [Dpkg(), *others], sorters)
    return [fact for result in results for finding in result.findings for fact in finding.facts]


def brief(facts: list[Fact]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.kind, fact.subject, fact.marks) for fact in facts]


def automatic(*names: str) -> bytes:
    return "\n".join(
        f"Package: {name}\nArchitecture: amd64\nAuto-Installed: 1\n" for name in names
    ).encode()


# Marks


def test_what_is_marked_as_asked_for_or_not_is_told() -> None:
    both = status(stanza("x"), stanza("y"))
    old, new = {STATUS: both, STATES: automatic("x")}, {STATUS: both, STATES: automatic("y")}

    assert brief(found_facts(old, new)) == [
        ("package.changed", "x", ("marked manual",)),
        ("package.changed", "y", ("marked automatic",)),
    ]


def test_nothing_can_be_hidden_behind_a_hold() -> None:
    held = status(stanza("x", state="hold ok installed"))
    sums = {f"{INFO}/x.list": b"/usr/bin/x\n", f"{INFO}/x.md5sums": b"0" * 32 + b"  usr/bin/x\n"}
    old = {STATUS: status(stanza("x")), **sums, "usr/bin/x": b"good"}
    new = {STATUS: held, **sums, "usr/bin/x": b"evil"}

    assert brief(found_facts(old, new, TamperedFiles())) == [
        ("package.changed", "x", ("on hold",)),
        ("security.tampered", "usr/bin/x", ("x",)),
    ]


def test_the_package_of_another_architecture_leaves_the_native_one_alone() -> None:
    own = stanza("z", arch="amd64")
    old = {STATUS: status(own), f"{INFO}/z:amd64.md5sums": b"a"}
    new = {**old, STATUS: status(own, stanza("z", arch="i386")), f"{INFO}/z:i386.md5sums": b"b"}

    assert brief(found_facts(old, new)) == [("package.added", "z:i386", ())]


def test_other_scripts_are_not_called_other_files() -> None:
    log = {"var/log/dpkg.log": b"x"}
    old = {STATUS: status(stanza("x")), f"{INFO}/x.postinst": b"1"}
    new = {STATUS: status(stanza("x")), f"{INFO}/x.postinst": b"2", **log}

    assert brief(found_facts(old, new)) == [
        ("package.changed", "x", ("same version, other scripts",))
    ]


# Configuration


def test_a_conffile_edited_by_hand_is_said_to_be_a_packages() -> None:
    known = {STATUS: status(stanza("x", a=b"port=1\n"))}
    old, new = {**known, "etc/a.conf": b"port=1\n"}, {**known, "etc/a.conf": b"port=2\n"}

    assert brief(found_facts(old, new)) == [
        ("config.changed", "etc/a.conf", ("port 1 → 2", "conffile of x"))
    ]


def test_a_conffile_as_shipped_is_the_packages_and_an_edited_one_is_not() -> None:
    new = {
        STATUS: status(stanza("x", a=b"1\n", b=b"1\n")),
        f"{INFO}/x.list": b"/etc/a.conf\n/etc/b.conf\n",
        "etc/a.conf": b"1\n",
        "etc/b.conf": b"2\n",
    }

    assert brief(found_facts({STATUS: status()}, new)) == [
        ("package.added", "x", ()),
        ("config.added", "etc/b.conf", ("not as x ships it",)),
    ]


def test_a_conffile_kept_at_an_upgrade_is_told_and_what_lies_beside_it_is_not() -> None:
    names = {f"{INFO}/x.list": b"/etc/a.conf\n"}
    old = {STATUS: status(stanza("x", "1", a=b"p=1\n")), **names, "etc/a.conf": b"p=1\n"}
    new = {
        STATUS: status(stanza("x", "2", a=b"p=2\n")),
        **names,
        "etc/a.conf": b"p=9\n",
        "etc/a.conf.dpkg-dist": b"p=2\n",
    }

    assert [fact.subject for fact in found_facts(old, new)] == ["x", "etc/a.conf"]


def test_what_an_unpacked_package_leaves_beside_is_its_own() -> None:
    new = {
        STATUS: status(stanza("x", state="install ok unpacked")),
        f"{INFO}/x.list": b"/etc/a.conf\n",
        "etc/a.conf.dpkg-new": b"1\n",
    }

    assert [fact.kind for fact in found_facts({STATUS: status()}, new)] == ["package.added"]


def test_an_environment_file_that_a_package_ships_says_nothing() -> None:
    new = {
        STATUS: status(stanza("x")),
        f"{INFO}/x.list": b"/etc/default/x\n",
        "etc/default/x": b"ULIMIT=1\n",
    }

    assert [fact.kind for fact in found_facts({STATUS: status()}, new, EnvFiles())] == [
        "package.added"
    ]


def test_a_purge_of_what_was_removed_before_tells_which_configuration_is_gone() -> None:
    left = status(stanza("x", state="deinstall ok config-files", a=b"1"))
    old = {STATUS: left, f"{INFO}/x.list": b"/etc/a.conf\n", "etc/a.conf": b"1"}

    assert [(fact.kind, fact.subject) for fact in found_facts(old, {STATUS: status()})] == [
        ("config.removed", "etc/a.conf")
    ]


# Scripts


def installed_by(script: bytes, **more: bytes) -> Moment:
    return {
        STATUS: status(stanza("x")),
        f"{INFO}/x.list": b"/usr/share/x/index.html\n",
        f"{INFO}/x.postinst": script,
        "usr/share/x/index.html": b"<p>welcome</p>",
        **more,
    }


def test_what_a_script_names_came_along_and_is_still_told() -> None:
    new = {**installed_by(b"echo a=1 > /etc/x.gen\n"), "etc/x.gen": b"a=1\n", "etc/y.gen": b"a=1\n"}

    found = found_facts({STATUS: status()}, new)

    assert [(fact.subject, fact.direct) for fact in found[1:]] == [
        ("etc/x.gen", False),
        ("etc/y.gen", True),
    ]


def test_empty_logs_and_copies_of_shipped_files_need_no_word() -> None:
    new = {
        **installed_by(b"mkdir -p /var/log/x; touch /var/log/x/$name"),
        "var/log/x/access.log": b"",
        "var/www/html/index.html": b"<p>welcome</p>",
    }

    assert [fact.kind for fact in found_facts({STATUS: status()}, new)] == ["package.added"]


def test_a_copy_that_can_be_run_is_nobodys() -> None:
    new = {**installed_by(b""), "var/tmp/x": file(b"<p>welcome</p>", mode=0o755)}
    found = evidence({STATUS: status()}, new)

    (finding,) = findings(Dpkg(), found)

    assert "usr/share/x/index.html" in finding.claims
    assert "var/tmp/x" not in finding.claims
    assert "var/tmp/x" not in found.owners


def test_what_ucf_put_there_is_the_packages_until_somebody_edits_it() -> None:
    def machine(content: bytes) -> Moment:
        return {
            **installed_by(b"ucf /usr/share/x/conf /etc/x/conf"),
            "var/lib/ucf/registry": b"x /etc/x/conf\n",
            "var/lib/ucf/hashfile": md5(b"UsePAM yes\n").hexdigest().encode() + b"  /etc/x/conf\n",
            "etc/x/conf": content,
        }

    for content, owned in ((b"UsePAM yes\n", True), (b"UsePAM no\n", False)):
        found = evidence({STATUS: status()}, machine(content))
        findings(Dpkg(), found)

        assert ("etc/x/conf" in found.owners) is owned


def test_an_empty_directory_beside_an_install_needs_no_word_and_a_full_one_does() -> None:
    new = {**installed_by(b""), "var/spool/x/queue": directory(), "var/spool/y/job": b"1"}

    (finding,) = findings(Dpkg(), evidence({STATUS: status()}, new))

    assert "var/spool/x/queue" in finding.claims
    assert "var/spool/y" not in finding.claims


def test_a_record_that_is_gone_while_the_files_are_there_is_a_warning() -> None:
    listed = {f"{INFO}/x.list": b"/usr/bin/x\n", "usr/bin/x": b"x"}

    (fact,) = found_facts({STATUS: status(stanza("x")), **listed}, {STATUS: status(), **listed})

    assert (fact.kind, fact.severity, fact.marks) == (
        "package.removed", "high", ("only its record is gone",),
    )  # fmt: skip


# Services removed with their package


def enabled(**more: bytes) -> Moment:
    return {
        STATUS: status(stanza("x")),
        f"{INFO}/x.list": f"/{UNIT}\n".encode(),
        f"{INFO}/x.postrm": b"deb-systemd-helper purge 'x.service'\n",
        UNIT: b"[Service]\nExecStart=/usr/bin/x\n",
        WANTED: link(f"/{UNIT}"),
        **more,
    }


def removed() -> Moment:
    kept = {path: what for path, what in enabled().items() if path not in (UNIT, f"{INFO}/x.list")}
    return {**kept, STATUS: status(stanza("x", state="deinstall ok config-files"))}


def test_a_service_is_gone_with_its_package_and_was_not_disabled() -> None:
    service = found_facts(enabled(), removed(), Systemd())[1]

    assert (service.kind, service.subject, service.direct) == (
        "service.removed",
        "x.service",
        False,
    )
    assert service.marks == ("with its package",)


def test_the_link_that_is_left_says_nothing_when_it_is_purged() -> None:
    assert found_facts(removed(), {STATUS: status()}, Systemd()) == []


def test_a_unit_of_runit_is_told_only_where_runit_is() -> None:
    run = "etc/sv/x/run"
    new: Moment = {
        STATUS: status(stanza("x")),
        f"{INFO}/x.list": b"/etc/sv\n/etc/sv/x\n/etc/sv/x/run\n",
        run: file(b"#!/bin/sh\n", mode=0o755),
        "etc/runit/runsvdir/default/x": link("/etc/sv/x"),
    }
    runit: Moment = {"usr/bin/runsvdir": file(b"x", mode=0o755)}
    old: Moment = {STATUS: status()}

    assert [fact.kind for fact in found_facts(old, new, SysV())] == ["package.added"]
    assert "service.added" in [
        fact.kind for fact in found_facts({**old, **runit}, {**new, **runit}, SysV())
    ]


# Settings of dpkg, debconf and alternatives


def test_a_foreign_architecture_is_a_setting() -> None:
    path = "var/lib/dpkg/arch"

    assert brief(found_facts({path: b"amd64\n"}, {path: b"amd64\ni386\n"})) == [
        ("config.changed", path, ("+i386",))
    ]


def test_questions_are_named_and_answers_are_not() -> None:
    path = f"{DEBCONF}/passwords.dat"
    old = {path: b"Name: x/password\nTemplate: x/password\nValue: a\nOwners: x\n\n"}
    new = {path: old[path].replace(b"Value: a", b"Value: " + CANARY)}

    found = found_facts(old, new)

    assert brief(found) == [("config.changed", path, ("~x/password",))]
    assert CANARY.decode() not in repr(found)


def test_answers_that_come_with_a_package_are_bookkeeping() -> None:
    new = {STATUS: status(stanza("x")), f"{DEBCONF}/config.dat": b"Name: x/y\nValue: 1\n"}

    assert [fact.kind for fact in found_facts({STATUS: status()}, new)] == ["package.added"]


def test_an_alternative_takes_along_the_links_that_follow_it() -> None:
    book = b"auto\n/usr/bin/db\ndb.1.gz\n/usr/share/man/man1/db.1.gz\n\n/usr/bin/sqlite3\n10\n\n"
    new: Moment = {
        "var/lib/dpkg/alternatives/db": book,
        "etc/alternatives/db": link("/usr/bin/sqlite3"),
        "etc/alternatives/db.1.gz": link("/usr/share/man/man1/sqlite3.1.gz"),
        "usr/bin/db": link("/etc/alternatives/db"),
        "usr/share/man/man1/db.1.gz": link("/etc/alternatives/db.1.gz"),
    }

    assert brief(found_facts({}, new)) == [
        ("config.added", "etc/alternatives/db", ("→ /usr/bin/sqlite3",))
    ]


def test_hostile_settings_are_read_in_no_time() -> None:
    for path in ("var/lib/dpkg/arch", f"{DEBCONF}/config.dat", "var/lib/dpkg/diversions", STATUS):
        for content in (b"\0" * 9_000, b"Name: " * 9_000, b"Conffiles:\n " * 9_000, b"/\n" * 9_000):
            found_facts({}, {path: content})
