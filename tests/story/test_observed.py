"""Observed facts: processes and ports, which no path shows."""

from __future__ import annotations

import pytest

from clew.model.fact import FactBasis, Severity
from clew.model.signals import Listening, Running, Signals
from clew.story.observed import observed_facts

WEB = Listening("tcp", "0.0.0.0", 8000, "python -m http.server", "/srv")
LOCAL = Listening("tcp", "127.0.0.1", 5432, "postgres", "/var")
WORKER = Running("celery worker", "/srv")


def test_what_began_to_listen_and_what_stopped() -> None:
    facts = observed_facts(Signals((LOCAL,)), Signals((WEB,)))

    assert [(fact.kind, fact.scope, fact.subject, fact.before, fact.after) for fact in facts] == [
        ("port.opened", "tcp", "0.0.0.0:8000", None, "python -m http.server"),
        ("port.closed", "tcp", "127.0.0.1:5432", "postgres", None),
    ]
    assert {fact.basis for fact in facts} == {FactBasis.LIVE}


def test_only_a_port_that_the_world_can_reach_is_noted() -> None:
    opened = observed_facts(Signals(), Signals((LOCAL, WEB)))
    closed = observed_facts(Signals((LOCAL, WEB)), Signals())

    assert {fact.subject: fact.severity for fact in opened} == {
        "127.0.0.1:5432": Severity.NONE,
        "0.0.0.0:8000": Severity.NOTE,
    }
    assert {fact.severity for fact in closed} == {Severity.NONE}


def test_another_program_at_the_same_port_is_no_news() -> None:
    """A restarted server often has another command line."""
    other = WEB._replace(command="gunicorn")

    assert observed_facts(Signals((WEB,)), Signals((other,))) == []


def test_one_port_of_each_protocol() -> None:
    udp = LOCAL._replace(protocol="udp")

    assert [fact.scope for fact in observed_facts(Signals((LOCAL,)), Signals((LOCAL, udp)))] == [
        "udp"
    ]


def test_what_started_and_what_stopped() -> None:
    other = Running("redis-server", "/srv")

    facts = observed_facts(Signals((), (WORKER,)), Signals((), (other,)))

    assert [(fact.kind, fact.scope, fact.subject) for fact in facts] == [
        ("process.started", "/srv", "redis-server"),
        ("process.stopped", "/srv", "celery worker"),
    ]


def test_processes_that_nobody_had_time_to_look_at_did_not_stop() -> None:
    whole = Signals((WEB,), (WORKER,))
    hurried = Signals((), (), complete=False)

    assert [fact.kind for fact in observed_facts(whole, hurried)] == ["port.closed"]
    assert [fact.kind for fact in observed_facts(hurried, whole)] == ["port.opened"]


def test_a_moment_that_was_not_observed_says_nothing() -> None:
    assert observed_facts(None, Signals((WEB,))) == []
    assert observed_facts(Signals((WEB,)), None) == []


def test_a_long_command_is_cut() -> None:
    facts = observed_facts(Signals(), Signals((), (Running("x" * 500, "/"),)))

    assert len(facts[0].subject) == 60
    assert facts[0].subject.endswith("…")


def test_nobody_knows_who_listens() -> None:
    unseen = Listening("tcp", "0.0.0.0", 22, "", "")

    assert observed_facts(Signals(), Signals((unseen,)))[0].after is None


def test_who_is_named_beside_a_port_is_not_named_again() -> None:
    server = Running(WEB.command, WEB.directory)
    serving = Signals((WEB,), (server, WORKER))

    assert [fact.kind for fact in observed_facts(Signals((), (WORKER,)), serving)] == [
        "port.opened"
    ]
    assert [fact.kind for fact in observed_facts(serving, Signals((), (WORKER,)))] == [
        "port.closed"
    ]


def test_processes_that_look_alike_once_cut_are_one() -> None:
    two = (Running("x" * 80 + "1", "/"), Running("x" * 80 + "2", "/"))

    assert len(observed_facts(Signals(), Signals((), two))) == 1


def test_a_program_elsewhere_on_the_machine_is_not_of_this_workspace() -> None:
    other = Listening("tcp", "0.0.0.0", 9000, "python -m http.server 9000", "/home/b/other")
    unseen = Listening("tcp", "0.0.0.0", 22, "", "")
    inside = WEB._replace(directory="/srv/shop/web")

    facts = observed_facts(Signals(), Signals((inside, other, unseen)), "/srv/shop")

    assert [fact.subject for fact in facts] == ["0.0.0.0:8000"]
    assert observed_facts(Signals((other, unseen)), Signals(), "/srv/shop") == []
    assert len(observed_facts(Signals(), Signals((inside, other, unseen)), "/")) == 3


@pytest.mark.parametrize(
    ("command", "is_told"),
    [
        ("nginx -c /srv/shop/nginx.conf", True),
        ("gunicorn --chdir=/srv/shop app", True),
        ("python /srv/shop", True),
        ("java -cp lib:/srv/shop/lib App", True),
        ("python /srv/shop-2/app.py", False),
        ("python /mnt/srv/shop/app.py", False),
        ("python app.py", False),
    ],
)
def test_a_program_elsewhere_that_names_a_path_of_the_workspace_is(
    command: str, is_told: bool
) -> None:
    one = WEB._replace(command=command, directory="/")

    assert bool(observed_facts(Signals(), Signals((one,)), "/srv/shop")) is is_told


def test_a_server_whose_owner_could_not_be_seen_did_not_stop() -> None:
    inside = WEB._replace(directory="/srv/shop")
    hurried = Signals((inside._replace(command="", directory=""),), complete=False)

    assert observed_facts(Signals((inside,)), hurried, "/srv/shop") == []
    assert observed_facts(hurried, Signals((inside,)), "/srv/shop") == []
