"""Words about services, jobs, ports and warnings."""

from __future__ import annotations

from clew.model.fact import Fact, Severity
from clew.story.words import phrase


def _unit(word: str, name: str, after: str | None = None, *marks: str) -> Fact:
    return Fact(f"service.{word}", "systemd", name, None, after, marks=marks)


def test_what_happened_to_one_unit_is_said_at_once() -> None:
    words = phrase(
        "service",
        [_unit("enabled", "worker.service", "enabled"), _unit("added", "worker.service", "/opt/w")],
    )

    assert words.short == "added and enabled service worker"
    assert words.text == "service added and enabled: worker (/opt/w)"


def test_a_unit_that_is_gone_was_not_merely_disabled() -> None:
    words = phrase("service", [_unit("disabled", "old.service"), _unit("removed", "old.service")])

    assert words.short == "removed service old"


def test_whose_job_it_is_stands_on_the_card() -> None:
    job = Fact("cron.added", "user:al", "/opt/poll", None, "* * * * *")

    assert phrase("cron", [job]).short == "new cron job /opt/poll (* * * * *)"
    assert phrase("cron", [job]).text.endswith(", of al")


def test_ports_of_one_program_are_told_together_and_open_ones_stand_out() -> None:
    facts = [
        Fact("port.opened", "tcp", "0.0.0.0:8000", None, "web", severity=Severity.NOTE),
        Fact("port.opened", "tcp", "127.0.0.1:1", None, "db"),
        Fact("port.opened", "tcp", "[::1]:1", None, "db"),
    ]

    assert phrase("port", facts).text == (
        "ports: 0.0.0.0:8000 opened to every network (web) and 127.0.0.1:1 and [::1]:1 opened (db)"
    )


def test_a_warning_is_brief_in_a_headline_and_whole_on_the_card() -> None:
    path = "home/dev/.ssh/authorized_keys"
    fact = Fact(
        "security.authorized_keys", "ssh", path, severity=Severity.HIGH, marks=("+ssh-ed25519 x",)
    )

    assert phrase("security", [fact]).short == f"login by key: {path}"
    assert phrase("security", [fact]).text.endswith("(+ssh-ed25519 x)")


def test_a_long_path_is_cut_to_its_last_names() -> None:
    path = "usr/local/share/ca-certificates/proxy.crt"
    fact = Fact("security.certificate", "certificates", path, severity=Severity.HIGH)

    assert phrase("security", [fact]).short == "new trusted authority …/ca-certificates/proxy.crt"


def test_a_narrow_permission_is_no_instruction() -> None:
    fact = Fact(
        "security.agent", "agent", ".claude/x", severity=Severity.NOTE, marks=("permissions",)
    )

    assert (
        phrase("security", [fact]).text == ".claude/x: the agent's settings changed (permissions)"
    )


def test_a_setting_of_git_is_named_and_a_hook_is_what_will_run() -> None:
    hook = Fact("security.git_hook", "git", ".git/hooks/x", severity=Severity.HIGH, marks=("new",))
    setting = hook._replace(subject=".git/config", marks=("core.hooksPath",))

    assert phrase("security", [hook]).short == "git will run .git/hooks/x"
    assert phrase("security", [setting]).short == ".git/config: core.hooksPath"


def test_a_long_command_leaves_room_in_a_headline() -> None:
    command = "python -m http.server 8000 --bind 0.0.0.0 --directory public"
    port = Fact("port.opened", "tcp", "0.0.0.0:8000", None, command, severity=Severity.NOTE)
    started = Fact("process.started", "/srv", command)

    assert phrase("port", [port]).short == (
        "port 0.0.0.0:8000 opened to every network (python -m http.server 8000…)"
    )
    assert phrase("port", [port]).shortest == "port 8000 opened"
    assert (
        phrase("process", [started, started]).shortest == "started python -m http.serv… and 1 more"
    )
