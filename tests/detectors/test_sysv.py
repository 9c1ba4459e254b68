from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from clew.detectors.system.sysv import SysV
from clew.model.fact import Fact, Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, link, problems, story

CANARY = "canary-7f3a"
TESTDATA = Path(__file__).parent / "testdata" / "sysv"
SCRIPT = file(b"#!/bin/sh\n", mode=0o755)


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str, str]]:
    return [(*fact.identity, fact.severity) for fact in facts(SysV(), old, new)]


def _only(old: Moment, new: Moment) -> Fact:
    (fact,) = facts(SysV(), old, new)
    return fact


# Real update-rc.d


class Step(NamedTuple):
    command: str
    old: Moment
    new: Moment
    is_enabled: bool
    """The output of systemd-sysv-install."""


def _steps() -> list[Step]:
    tree: dict[str, dict[str, str]] = {}
    steps: list[Step] = []
    for step in json.loads((TESTDATA / "update-rc.d.json").read_text()):
        tree.update(step["there"])
        for path in step["gone"]:
            del tree[path]
        moment = {
            path: link(what["link"]) if "link" in what else file(what["text"].encode(), mode=0o755)
            for path, what in tree.items()
        }
        steps.append(Step(step["command"], steps[-1].new if steps else {}, moment, step["enabled"]))
    return steps[1:]


@pytest.mark.parametrize("step", _steps(), ids=lambda step: step.command)
def test_services_start_as_the_real_tool_arranged(step: Step) -> None:
    fact = _only(step.old, step.new)
    found = evidence(step.old, step.new)
    claimed = {path for finding in findings(SysV(), found) for path in finding.claims}
    word, levels = ("enabled", "runlevels 2 3 4 5") if step.is_enabled else ("disabled", None)

    assert fact.identity == (f"service.{word}", "sysv", "mydaemon")
    assert fact.after == levels
    assert claimed == {*found.changes}


# Init scripts


def test_a_service_in_other_runlevels_is_changed() -> None:
    old = {"etc/rc2.d/S01x": link("../init.d/x"), "etc/rc3.d/S01x": link("../init.d/x")}
    fact = _only(old, {"etc/rc3.d/S01x": link("../init.d/x")})

    assert (fact.kind, fact.before, fact.after) == (
        "service.changed", "runlevels 2 3", "runlevels 3",
    )  # fmt: skip


def test_links_that_only_got_another_number_are_no_news() -> None:
    old = {"etc/rc3.d/S01x": link("../init.d/x"), "etc/rc0.d/K01x": link("../init.d/x")}
    new = {"etc/rc3.d/S09x": link("../init.d/x"), "etc/rc0.d/K09x": link("../init.d/x")}

    (finding,) = findings(SysV(), evidence(old, new))

    assert finding.facts == ()
    assert len(finding.claims) == 4


def test_where_systemd_has_a_unit_the_links_are_bookkeeping() -> None:
    unit = {"usr/lib/systemd/system/redis.service": b"[Service]\n"}
    new: Moment = {**unit, "etc/rc3.d/S01redis": link("../init.d/redis")}

    (finding,) = findings(SysV(), evidence(unit, new))

    assert finding.facts == ()
    assert list(finding.claims) == ["etc/rc3.d/S01redis"]


def test_a_new_script_that_is_started_is_noted_once() -> None:
    new: Moment = {"etc/init.d/x": SCRIPT, "etc/rc3.d/S01x": link("../init.d/x")}

    assert _said({}, new) == [
        ("service.added", "sysv", "x", Severity.NOTE),
        ("service.enabled", "sysv", "x", Severity.NONE),
    ]


def test_what_a_package_brought_came_along_and_warns_nobody() -> None:
    found = evidence({}, {"etc/init.d/x": SCRIPT, "etc/rc3.d/S01x": link("../init.d/x")})
    found.own(("etc/init.d/x",), "x")

    (fact,) = [fact for finding in findings(SysV(), found) for fact in finding.facts]

    assert (fact.kind, fact.direct, fact.severity) == ("service.enabled", False, Severity.NONE)


def test_what_is_no_service_among_the_scripts_is_passed_over() -> None:
    new: Moment = {
        "etc/init.d/README": SCRIPT,
        "etc/init.d/.depend.boot": SCRIPT,
        "etc/init.d/x": file(b"#!"),
        "etc/rc3.d/README": b"",
    }

    assert findings(SysV(), evidence({}, new)) == []


def test_a_local_script_counts_from_when_it_may_be_executed() -> None:
    old = {"etc/rc.local": file(b"#!/bin/sh\n")}

    assert _said(old, {"etc/rc.local": SCRIPT}) == [
        ("service.added", "sysv", "rc.local", Severity.NOTE)
    ]


def test_openrc_has_its_own_runlevels() -> None:
    old = {"etc/runlevels/boot/a": link("/etc/init.d/a")}
    fact = _only(old, {**old, "etc/runlevels/default/x": link("/etc/init.d/x")})

    assert (*fact.identity, fact.after) == ("service.enabled", "openrc", "x", "runlevels default")


# Supervisors


def test_a_program_of_supervisor_is_told_with_its_command() -> None:
    path = "etc/supervisor/conf.d/web.conf"
    new = {path: b"; hi\n[program:web]\ncommand=/opt/web --port 80\nuser=al\n[supervisord]\nx=1\n"}

    fact = _only({}, new)

    assert (*fact.identity, fact.after, fact.severity) == (
        "service.added", "supervisor", "web", "/opt/web --port 80", Severity.NOTE,
    )  # fmt: skip
    changed = _only(new, {path: new[path].replace(b"user=al", b"user=root")})
    assert (changed.kind, changed.marks, changed.severity) == (
        "service.changed", ("user",), Severity.NOTE,
    )  # fmt: skip
    assert _only(new, {}).kind == "service.removed"


def test_no_secret_of_a_program_is_told() -> None:
    text = f'[program:w]\ncommand=w --password {CANARY}\nenvironment=A="{CANARY}",B={CANARY}\n'
    result = story([SysV()], {}, {"etc/supervisord.d/w.ini": text.encode()})

    assert [fact.subject for fact in result.facts] == ["w"]
    assert CANARY not in repr(result)


def test_a_library_loaded_into_a_program_is_a_warning() -> None:
    text = b'[program:w]\ncommand=w\nenvironment=A="1",LD_PRELOAD="/tmp/x.so"\n'
    found = facts(SysV(), {}, {"etc/supervisord.conf": text})

    assert [fact.subject for fact in found if fact.severity == Severity.HIGH] == ["w"]


def test_runit_starts_what_is_linked_and_not_down() -> None:
    service: Moment = {"etc/sv/x/run": SCRIPT}
    linked: Moment = {**service, "etc/service/x": link("/etc/sv/x")}

    assert _said({}, linked) == [
        ("service.added", "runit", "x", Severity.NOTE),
        ("service.enabled", "runit", "x", Severity.NONE),
    ]
    assert _said(service, linked) == [("service.enabled", "runit", "x", Severity.NOTE)]
    assert _said(linked, {**linked, "etc/sv/x/down": b""}) == [
        ("service.disabled", "runit", "x", Severity.NONE)
    ]


def test_s6_starts_what_its_user_bundle_names() -> None:
    service: Moment = {"etc/s6-overlay/s6-rc.d/x/run": SCRIPT}
    named: Moment = {**service, "etc/s6-overlay/s6-rc.d/user/contents.d/x": b""}

    assert _said(service, named) == [("service.enabled", "s6", "x", Severity.NOTE)]
    assert _said(named, {**named, "etc/s6-overlay/s6-rc.d/x/run": b"#!/x\n"}) == [
        ("service.changed", "s6", "x", Severity.NOTE)
    ]


def test_odd_names_and_bytes_break_nothing() -> None:
    new: Moment = {
        "etc/supervisord.conf": b"\xff[program:]\n[[program:a]\n=\ncommand\n[program:b",
        "etc/rc3.d/S": link("x"),
        "etc/rc3.d/Sxxa": link("x"),
        "etc/rc3.d/S01a\x1b{}": link("x"),
        "etc/sv/{0}/run": SCRIPT,
        "etc/service/{": link("loop"),
    }

    assert problems(SysV(), {}, new) == []
    assert ("service.enabled", "sysv", "a\x1b{}", Severity.NOTE) in _said({}, new)


def test_a_huge_configuration_costs_one_line_and_no_other() -> None:
    new: Moment = {
        "etc/supervisord.conf": file(b"x", size=1 << 30),
        "etc/supervisor/conf.d/w.conf": b"[program:w]\ncommand=w\n",
    }

    assert [fact.subject for fact in facts(SysV(), {}, new)] == ["w"]
    assert [path for path, _ in problems(SysV(), {}, new)] == ["etc/supervisord.conf"]


def test_a_script_that_nobody_can_run_started_nothing() -> None:
    old = {"etc/rc2.d/S01x": link("../init.d/x"), "etc/init.d/x": file(b"#!/bin/sh\n", mode=0o644)}

    assert facts(SysV(), old, {}) == []
