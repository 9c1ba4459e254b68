"""Cron detector: jobs of cron, anacron and at.

A job is identified by its command: with another schedule it is the same job, changed.
Scripts in `cron.daily` and similar directories are jobs without a line, if executable.
Jobs of packages of this interval raise no warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.fetching import fetching_marks
from clew.detectors.system.cron_tables import CronTable, Job, Shape, at_job, read_table
from clew.detectors.system.runnable import is_runnable
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_PERIODS = ("hourly", "daily", "weekly", "monthly", "yearly")
_NO_JOB = re.compile(r"\..*|.*(?:~|\.(?:dpkg|rpm|ucf)[\w-]*|\.bak|\.disabled|,v|\.sw[a-z])|tmp\..*")
"""Names that cron ignores: hidden files, and leftovers of editors and package managers."""
_MAX_FACTS = 500
_BOOKKEEPING = "cron noted what it ran"


class Cron:
    """Reports added, removed and changed scheduled jobs."""

    name = "system/cron"
    version = 1
    kinds: tuple[str, ...] = ("cron.added", "cron.changed", "cron.removed", "security.preload")
    watch = WatchedPaths(
        paths=("etc/crontab", "etc/anacrontab"),
        below=(
            "etc/cron.d",
            *(f"etc/cron.{period}" for period in _PERIODS),
            "etc/crontabs",
            "var/spool/cron",
            "var/spool/at",
            "var/spool/anacron",
        ),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        noted: list[str] = []
        for change in changes:
            if change.is_directory:
                continue
            if change.path.startswith("var/spool/anacron/") or change.name == ".SEQ":
                noted.append(change.path)
                continue
            with evidence.guarded(change.path):
                yield from _findings(evidence, change)
        if noted:
            yield Finding((), noted, _BOOKKEEPING)


class _CronPath(NamedTuple):
    """The meaning of a path to cron."""

    scope: str
    shape: str


def _findings(evidence: Evidence, change: PathChange) -> Iterator[Finding]:
    cron_path = _cron_path(change.path)
    if cron_path is None or _NO_JOB.fullmatch(change.name):
        return
    if cron_path.shape in _PERIODS:
        facts = _script_facts(change, cron_path)
    elif change.is_content:
        facts, warning = _table_facts(evidence, change, cron_path)
        if warning is not None and change.path not in evidence.owners:
            yield Finding((warning,))
    else:
        facts = []
    if len(facts) > _MAX_FACTS:  # more than a hand-written table can have
        evidence.problem(change.path, f"more than {_MAX_FACTS:,} jobs changed")
    if facts:
        yield Finding(
            tuple(_without_package_warnings(evidence, facts)[:_MAX_FACTS]), (change.path,)
        )


def _cron_path(path: str) -> _CronPath | None:
    if path == "etc/crontab":
        return _CronPath(path, Shape.SYSTEM)
    if path == "etc/anacrontab":
        return _CronPath(path, Shape.ANACRON)
    above, _, name = path.rpartition("/")
    if above == "etc/cron.d":
        return _CronPath(path, Shape.SYSTEM)
    if above.startswith("etc/cron.") and above[len("etc/cron.") :] in _PERIODS:
        return _CronPath(above, above[len("etc/cron.") :])
    if above in (
        "var/spool/cron/crontabs",
        "var/spool/cron/tabs",
        "var/spool/cron",
        "etc/crontabs",
    ):
        return _CronPath(f"user:{name}", Shape.USER)
    if above in ("var/spool/cron/atjobs", "var/spool/at"):
        return _CronPath("at", "at")
    return None


def _without_package_warnings(evidence: Evidence, facts: list[Fact]) -> list[Fact]:
    return [
        fact._replace(direct=False, severity=Severity.NONE)
        if fact.evidence[0] in evidence.owners
        else fact
        for fact in facts
    ]


# Scripts


def _script_facts(change: PathChange, cron_path: _CronPath) -> list[Fact]:
    was, now = is_runnable(change.old), is_runnable(change.new)
    before, after = cron_path.shape if was else None, cron_path.shape if now else None
    if was == now and not (was and change.is_content):
        return []
    kind = "cron.changed" if was and now else "cron.added" if now else "cron.removed"
    marks = ("script changed",) if was and now else ()
    severity = Severity.NOTE if now else Severity.NONE
    return [
        Fact(
            kind, cron_path.scope, change.name, before, after,
            severity=severity, evidence=(change.path,), marks=marks,
        )
    ]  # fmt: skip


# Tables


def _table_facts(
    evidence: Evidence, change: PathChange, cron_path: _CronPath
) -> tuple[list[Fact], Fact | None]:
    if cron_path.shape == "at":
        sides = [at_job(tree, change.path) for tree in (evidence.old, evidence.new)]
        old, new = (CronTable((job,) if job else ()) for job in sides)
    else:
        old = read_table(evidence.old, change.path, cron_path.shape)
        new = read_table(evidence.new, change.path, cron_path.shape)
    facts = list(_job_facts(change.path, cron_path.scope, old.jobs, new.jobs))
    names = sorted({name for name, _ in new.loads - old.loads})
    warning = Fact(
        "security.preload", "cron", change.path,
        severity=Severity.HIGH, evidence=(change.path,), marks=tuple(names),
    )  # fmt: skip
    return facts, warning if names else None


def _job_facts(path: str, scope: str, old: Sequence[Job], new: Sequence[Job]) -> Iterator[Fact]:
    for subject, was, now in sorted(_pairs(_by_command(old), _by_command(new))):
        kind = "cron.added" if not was else "cron.changed" if now else "cron.removed"
        is_other_code = bool(now) and _runs(was) != _runs(now)
        dangers = _dangers(was, now)
        severity = Severity.HIGH if dangers else Severity.NOTE if is_other_code else Severity.NONE
        yield Fact(
            kind, scope, subject, _schedules(was), _schedules(now),
            severity=severity, evidence=(path,), marks=(*_marks(was, now), *dangers),
        )  # fmt: skip


def _dangers(was: list[Job], now: list[Job]) -> list[str]:
    """Return the marks of dangerous actions in new commands."""
    known = {job.command for job in was}
    found = [
        mark for job in now if job.command not in known for mark in fetching_marks(job.command)
    ]
    return list(dict.fromkeys(found))


_Jobs = dict[str, list[Job]]


def _by_command(jobs: Sequence[Job]) -> _Jobs:
    found: _Jobs = {}
    for job in sorted(jobs):
        found.setdefault(job.command, []).append(job)
    return found


def _pairs(before: _Jobs, after: _Jobs) -> Iterator[tuple[str, list[Job], list[Job]]]:
    """Yield each job that differs, with its lines before and after.

    Two commands that are equal once their secrets are hidden are one changed job.
    """
    gone: dict[str, list[list[Job]]] = {}
    for command, was in before.items():
        if command not in after:
            gone.setdefault(was[0].subject, []).append(was)
        elif was != after[command]:
            yield was[0].subject, was, after[command]
    for command, now in after.items():
        if command not in before:
            alike = gone.get(now[0].subject)
            yield now[0].subject, alike.pop() if alike else [], now
    for subject, left in gone.items():
        for was in left:
            yield subject, was, []


def _marks(was: list[Job], now: list[Job]) -> tuple[str, ...]:
    marks = []
    users = [" and ".join(sorted({job.user for job in jobs if job.user})) for jobs in (was, now)]
    if not was and users[1]:
        marks.append(f"as {users[1]}")
    elif now and users[0] != users[1]:
        marks.append(f"as {users[0]} → {users[1]}")
    if was and now and {job.command for job in was} != {job.command for job in now}:
        marks.append("command changed")
    return tuple(mark[:200] for mark in marks)


def _runs(jobs: list[Job]) -> set[tuple[str, str]]:
    return {(job.user, job.command) for job in jobs}


def _schedules(jobs: list[Job]) -> str | None:
    """Return all schedules of a job as one text; it may have several lines."""
    found = list(dict.fromkeys(job.schedule for job in jobs))
    return ", ".join(found[:5]) + (" …" if len(found) > 5 else "") if found else None
