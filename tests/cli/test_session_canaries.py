"""Secrets in what was said, planned and done are in no output, and still in the conversation."""

from __future__ import annotations

import json

import pytest

from clew import opening
from tests.kit.running import Clew

CANARY = "Kq7canary9fX2vB4nM8pL1zT"
BEARER = f"Authorization: Bearer {CANARY}"
CALL = f"curl -H '{BEARER}' -X POST https://api.example/deploy"
ARGUMENTS = json.dumps({"token": CANARY, "to": f"https://me:{CANARY}@api.example/"})

SAID: tuple[object, ...] = (
    {"role": "user", "content": f"use API_KEY={CANARY} please"},
    {"role": "assistant", "content": [{"type": "text", "text": f"password: {CANARY}"}]},
    {"role": "assistant", "tool_calls": [{"name": "http", "arguments": ARGUMENTS}]},
    {"role": "tool", "content": f"HTTP/1.1 200\n{BEARER}\npostgres://app:{CANARY}@db/app"},
    {"role": "tool", "content": {"db": {"password": CANARY}}},
    f"export AWS_SECRET_ACCESS_KEY={CANARY}",
)

LOOKING = (
    ("log",),
    ("log", "--session", "run 1"),
    ("show", "@", "--paths"),
    ("status",),
    ("session", "list"),
    ("session", "show", "--messages", "50"),
    ("session", "files"),
    ("session", "files", "--checkpoint", "@"),
    ("task", "list"),
    ("resume",),
    ("effect", "list"),
    ("effect", "list", "--outstanding"),
    ("brief",),
    ("brief", "early"),
    ("diff", "early", "@"),
    ("diff", "early", "@", "--facts"),
    ("restore", "early", "--dry-run"),
    ("compare", "early", "@"),
    ("stats",),
    ("fsck",),
)

DOING = (
    ("save", f"deployed with token={CANARY}"),
    ("task", "start", "1", "--note", f"with password={CANARY}"),
    ("task", "done", "1"),
    ("task", "done", "1"),
    ("effect", "settle", "1", "failed", f"token={CANARY}"),
    ("session", "migrate", "--to", "2.0", "--with", "cat >&2; false"),
    ("session", "migrate", "--to", "2.0", "--with", "cat; echo no JSON"),
    ("session", "migrate", "--to", "2.0", "--with", "cat"),
    ("session", "detach"),
    ("session", "attach", "run 1"),
    ("session", "attach", "--agent", f"token={CANARY}", "--name", f"password={CANARY}"),
    ("session", "list"),
    ("session", "show"),
    ("session", "attach", "run 1"),
    ("restore", "early", "--yes"),
    ("effect", "list", "--outstanding"),
    ("brief",),
    ("effect", "record", CALL),
    ("effect", "record", "deploy", "--tool", "deploy", "--arguments", ARGUMENTS),
    ("undo", "--yes"),
    ("redo", "--yes"),
    ("log",),
)


@pytest.fixture(params=["handed over", "transcript"])
def talkative(request: pytest.FixtureRequest, clew: Clew) -> Clew:
    (clew.workspace / "start").write_text("x")
    with opening.open(clew.workspace, store=str(clew.store), create=True) as ws:
        transcript = clew.store.parent / "transcript.jsonl"
        is_file = request.param == "transcript"
        if is_file:
            transcript.touch()
        session = ws.sessions.open(
            agent="example", native="run 1", transcript=str(transcript) if is_file else None
        )
        ws.save("early", name="early")
        if is_file:
            transcript.write_text("".join(json.dumps(one) + "\n" for one in SAID))
        else:
            session.say(*SAID)
        session.set_state({"password": CANARY, "note": f"token={CANARY}"})
        session.add_task(f"set API_KEY={CANARY} on the server")
        session.fail_task(session.add_task("ask").number, f"401 for {BEARER}")
        session.effect(CALL, undo=f"curl -H '{BEARER}' -X DELETE https://api.example/deploy").done(
            f"password={CANARY}"
        )
        arguments = json.loads(ARGUMENTS)
        session.effect("deploy", tool="deploy", arguments=arguments).done(BEARER)
        (clew.workspace / "start").write_text("y")
        ws.save("late")
    return clew


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_command_shows_a_secret_of_a_session(talkative: Clew, as_json: bool) -> None:
    options = ["--json"] if as_json else []
    looked = [(words, talkative.run(*words, *options)) for words in LOOKING]
    did = [(words, talkative.run(*words, *options)) for words in DOING]

    assert [(words, ran.err) for words, ran in looked if ran.code != 0] == []
    assert [words for words, ran in (*looked, *did) if CANARY in ran.out + ran.err] == []


def test_what_was_said_is_kept_whole(talkative: Clew) -> None:
    with opening.open(talkative.workspace, store=str(talkative.store)) as ws:
        found = ws.sessions.current().messages()

    assert found == list(SAID)
    assert talkative.ok("restore", "@", "--conversation", "-").out.count(CANARY) == len(SAID) + 2


def test_an_act_that_is_refused_names_no_secret(talkative: Clew) -> None:
    talkative.ok("restore", "early", "--yes")
    refused = talkative.run("effect", "record", CALL)

    assert refused.code != 0
    assert "Already done as effect" in refused.err
    assert CANARY not in refused.out + refused.err
