"""The watch: a checkpoint if files changed, otherwise only the conversation."""

from __future__ import annotations

import json

import pytest

from clew.agents.calls import EndedCall
from clew.agents.watch import Watch
from clew.model.record import Origin
from tests.agents_hooks.watched import Watched, bash

SECRET = "hunter2hunter2hunter2"


def test_where_no_file_changed_nothing_is_added_to_the_timeline(agent: Watched) -> None:
    for event in (
        agent.watch.started,
        lambda: agent.watch.prompted("build it"),
        lambda: agent.watch.before(bash("rm nothing")),
        agent.run,
        agent.watch.stopped,
    ):
        agent.say("and so on")
        event()

    assert len(agent.timeline) == 1


def test_what_was_said_is_in_the_store_all_the_same(agent: Watched) -> None:
    agent.say("first")
    agent.run("ls")
    said = agent.transcript.read_bytes()
    agent.transcript.unlink()
    agent.ws.store.gc()
    checkpoint = agent.work("made.txt")

    assert checkpoint.record.position.length == len(said)
    assert b"".join(agent.ws.sessions.conversation(checkpoint.id.hex())) == said


def test_a_rescue_carries_what_was_said_since_the_last_checkpoint(agent: Watched) -> None:
    first = agent.work("one.txt")
    agent.say("I have an idea")
    agent.run("ls")
    agent.transcript.unlink()
    agent.ws.store.gc()
    result = agent.ws.restore(first.id.hex())

    assert result.rescue is not None
    assert b"an idea" in b"".join(agent.ws.sessions.conversation(result.rescue.id.hex()))


def test_tasks_alone_add_nothing_to_the_timeline_and_are_in_the_next_checkpoint(
    agent: Watched,
) -> None:
    agent.watch.plan([("make it", "in-progress"), ("test it", "pending")])
    agent.run("ls")
    length = len(agent.timeline)
    checkpoint = agent.work("made.txt")
    agent.watch.plan([("make it", "completed"), ("test it", "completed")])
    agent.ws.restore(checkpoint.id.hex())

    assert length == 1
    assert [task.status for task in agent.watch.session.tasks()] == ["in-progress", "pending"]


def test_a_checkpoint_after_a_batch_says_what_was_asked_for_and_what_was_done(
    agent: Watched,
) -> None:
    agent.watch.prompted("  build\n it ")
    agent.change()
    calls = [bash(f"make {number}") for number in range(5)]
    agent.watch.after(*map(EndedCall, calls))

    assert agent.here.labels.intent == "build it: make 0, make 1, make 2, 2 more"
    assert agent.here.record.origin == Origin.HOOK
    assert agent.here.record.position.session == agent.session


def test_a_failing_call_is_with_the_checkpoint_that_it_led_to(agent: Watched) -> None:
    agent.change()
    agent.run("make all", failed="exit code 2")

    assert agent.failed == "make all: exit code 2"


def test_a_failing_call_that_changed_nothing_is_with_where_we_are(agent: Watched) -> None:
    agent.run("make all", failed="exit code 2")
    agent.run("make test", failed="exit code 1")

    assert len(agent.timeline) == 1
    assert agent.failed == "make all: exit code 2; make test: exit code 1"


def test_a_failure_that_was_told_before_its_batch_is_told_once(agent: Watched) -> None:
    ended = EndedCall(bash("make all", "call-1"), "exit code 2")
    agent.watch.failed(ended)
    agent.change()
    agent.watch.after(EndedCall(ended.call))
    first = agent.failed
    agent.work("another.txt")

    assert first == "make all: exit code 2"
    assert agent.failed == ""


def test_failures_are_bounded_however_many_there_are(agent: Watched) -> None:
    for number in range(30):
        agent.run(f"make {number} " + "x" * 1000, failed="y" * 10_000)

    assert 400 < len(agent.failed) <= 500
    assert agent.failed.startswith("make 0 ")


def test_secrets_are_nowhere_in_what_is_kept_of_calls_and_prompts(agent: Watched) -> None:
    agent.watch.prompted(f"log in with password={SECRET}")
    failed = f"curl: PASSWORD={SECRET} was refused"
    line = f"curl -H 'Authorization: Bearer {SECRET}' x; TOKEN={SECRET} make"
    agent.watch.failed(EndedCall(bash(line, "call-1"), failed))
    scratch = agent.scratch
    agent.watch.before(bash(f"TOKEN={SECRET} git push"))
    agent.change()
    agent.run(line, failed=failed)
    shown = agent.ws.show(agent.here.id.hex())
    effects = agent.watch.session.effects()

    assert b"curl" in scratch
    assert b"log in" in scratch
    assert len(effects) == 1
    for text in (scratch.decode(), agent.scratch.decode(), repr(shown), repr(effects)):
        assert SECRET not in text


def test_before_what_may_destroy_files_that_changed_are_kept(agent: Watched) -> None:
    agent.change("precious.txt")
    agent.watch.before(bash("rm precious.txt"))

    assert agent.here.labels.intent == "before: rm precious.txt"
    assert agent.here.record.position.session == agent.session


@pytest.mark.parametrize("line", ["ls -la", "git status", "cat kept.txt | wc -l"])
def test_before_what_only_reads_nobody_looks(agent: Watched, line: str) -> None:
    agent.change("precious.txt")
    agent.watch.before(bash(line))

    assert len(agent.timeline) == 1
    assert agent.scratch == b""


def test_in_the_middle_of_a_batch_nobody_looks(agent: Watched) -> None:
    agent.change("half.txt")
    agent.watch.before(bash("rm half.txt"), alone=False)

    assert len(agent.timeline) == 1


def test_what_a_person_edits_between_two_turns_is_nobodys_and_then_as_the_agent_found_it(
    agent: Watched,
) -> None:
    agent.work("first.txt")
    agent.work("made.txt")
    agent.watch.stopped()
    agent.change("by-hand.txt")
    agent.say("now test it")
    agent.watch.prompted("now test it")
    found, by_hand, *_ = agent.timeline

    assert by_hand.labels.intent == "edited between two turns"
    assert not by_hand.record.position.session
    assert found.labels.intent == "before: now test it"
    assert found.record.position.session == agent.session
    assert found.record.state == by_hand.record.state
    assert [touched.path for touched in agent.watch.session.files().files] == [b"made.txt"]


def test_what_changes_while_helpers_still_run_is_the_agents(agent: Watched) -> None:
    agent.watch.prompted("build it")
    agent.change("made.txt")
    agent.watch.stopped(background=2)
    stopped = agent.here
    agent.change("by-a-helper.txt")
    agent.watch.prompted("go on")
    agent.run("ls")

    assert dict(stopped.labels.meta)["background"] == "2"
    assert agent.here.labels.intent == "go on: ls"
    assert agent.here.record.position.session == agent.session


def test_what_changes_during_a_turn_is_the_agents(agent: Watched) -> None:
    agent.watch.prompted("build it")
    agent.change("made.txt")
    agent.watch.prompted("and test it, too")
    agent.watch.stopped()

    assert len(agent.timeline) == 2
    assert agent.here.record.position.session == agent.session


def test_nothing_edited_between_two_turns_is_nothing_on_the_timeline(agent: Watched) -> None:
    agent.work("made.txt")
    agent.watch.stopped()
    agent.say("go on")
    agent.watch.prompted("go on")

    assert len(agent.timeline) == 2


def test_each_checkpoint_carries_the_session_of_whoever_took_it(agent: Watched) -> None:
    other = Watched(agent.ws, agent.project, agent.transcript.with_name("b.jsonl"), "two")
    mine = agent.work("mine.txt")
    theirs = other.work("theirs.txt")
    again = agent.work("again.txt")
    sessions = [one.record.position.session for one in (mine, theirs, again)]

    assert agent.session != other.session
    assert sessions == [agent.session, other.session, agent.session]
    assert agent.ws.sessions.current().id == other.watch.session.id


def test_a_session_goes_on_in_another_process(agent: Watched) -> None:
    agent.watch.prompted("build it")
    later = Watch.begin(agent.ws, agent="example", native="one")
    agent.change()
    later.after(EndedCall(bash("make")))

    assert later.session.id == agent.watch.session.id
    assert agent.here.labels.intent == "build it: make"


def test_a_desk_of_garbage_costs_words_and_no_checkpoint(agent: Watched) -> None:
    agent.watch.prompted("build it")
    garbage = [b"\xff\0{", b"[" * 200_000, json.dumps({"effects": {"c": 99}, "top": "x"}).encode()]
    for number, content in enumerate(garbage):
        with agent.ws.sessions.scratch(agent.watch.session.id) as (_, put):
            put(content)
        agent.change(f"{number}.txt")
        agent.run("make", id="c")

    assert [one.labels.intent for one in agent.timeline[:3]] == ["make"] * 3


def test_what_was_asked_for_when_files_changed_waits_until_it_is_written_down(
    agent: Watched,
) -> None:
    def settle() -> None:
        agent.say("the result")

    agent.watch.after(EndedCall(bash("ls")), settle=settle)
    waited = agent.transcript.read_bytes()
    agent.change()
    agent.watch.after(EndedCall(bash("make")), settle=settle)

    assert waited == b""
    assert b"the result" in b"".join(agent.ws.sessions.conversation("@"))
