"""Sessions and tasks that are not there, numbers that are none, and names made to harm."""

from __future__ import annotations

import json

import pytest

from tests.kit.running import Clew

HOSTILE = "../../etc/\x1b[31mred\n\u202e|'\"$(id)"
NOT_THERE = ("../../x", "", "a\nb\x1b[2J")


@pytest.fixture
def at_work(clew: Clew) -> Clew:
    """A session with a task, attached."""
    (clew.workspace / "file").write_text("1")
    clew.save("begin")
    clew.ok("session", "attach", "--agent", "example")
    clew.ok("task", "add", "one")
    return clew


def known(clew: Clew) -> object:
    return (clew.json("session", "list"), clew.json("task", "list"), clew.ids())


@pytest.mark.parametrize("text", NOT_THERE, ids=["path", "empty", "escapes"])
def test_a_session_that_is_not_there_changes_nothing(at_work: Clew, text: str) -> None:
    before = known(at_work)
    for words in (
        ("session", "show", text),
        ("session", "attach", text),
        ("session", "migrate", text, "--to", "2"),
        ("task", "done", "1", "--session", text),
        ("log", "--session", text),
        ("save", "--session", text),
    ):
        code, error = at_work.error(*words)

        assert code == 2, words
        assert error["kind"] == "unknown-session", words
        assert error["message"].isprintable()
        assert error["hint"]
    assert known(at_work) == before


@pytest.mark.parametrize(
    ("number", "kind"),
    [("2", "unknown-task"), ("one", "bad-option"), ("", "bad-option")],
)
def test_a_task_that_is_not_there_changes_nothing(at_work: Clew, number: str, kind: str) -> None:
    before = known(at_work)
    code, error = at_work.error("task", "done", number)

    assert (code, error["kind"]) == (2, kind)
    assert known(at_work) == before


def test_a_task_finished_twice_keeps_what_was_said_first(at_work: Clew) -> None:
    at_work.ok("task", "fail", "1", "--note", "no network")
    code, error = at_work.error("task", "done", "1")

    assert (code, error["kind"]) == (2, "task-ended")
    assert at_work.json("task", "list")["tasks"][0]["note"] == "no network"


def test_names_made_to_harm_are_kept_and_shown_harmlessly(at_work: Clew) -> None:
    at_work.ok(
        *("session", "attach", "--agent", HOSTILE, "--agent-version", HOSTILE, "--name", HOSTILE)
    )
    at_work.ok("task", "add", HOSTILE)
    at_work.ok("save", "seen")
    shown = [
        at_work.ok(*words).out
        for words in (("session", "list"), ("session", "show"), ("task",), ("resume",), ("log",))
    ]

    assert at_work.json("session", "show", HOSTILE)["session"]["agent"] == HOSTILE
    assert at_work.json("task", "list")["tasks"][0]["title"] == HOSTILE
    for text in shown:
        assert all(char.isprintable() or char == "\n" for char in text), text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "yaml"), "must be one of messages, jsonl, claude-code, codex"),
        (("--format", "jsonl"), "requires a transcript"),
        (("--transcript", "."), "not a file"),
        (("--transcript", "/dev/null/x"), "Not a directory"),
    ],
)
def test_a_session_that_could_not_work_is_not_begun(
    at_work: Clew, words: tuple[str, ...], message: str
) -> None:
    before = known(at_work)
    code, error = at_work.error("session", "attach", *words)

    assert code == 2
    assert message in error["message"]
    assert known(at_work) == before


def test_a_transcript_that_is_no_jsonl_is_taken_and_shown_as_it_is(at_work: Clew) -> None:
    transcript = at_work.workspace.parent / "transcript"
    transcript.write_bytes(b"not json\n\xff\xfe\x1b[2J\n" + b'{"role": "user", "content": "cut sho')
    at_work.ok("session", "attach", "--transcript", str(transcript))
    saved = at_work.ok("save", "taken")
    said = at_work.ok("session", "show").out

    assert json.loads(at_work.ok("session", "list", "--json").out)["sessions"][0][
        "conversation_bytes"
    ] == len(transcript.read_bytes())
    assert "not json" in said
    assert "\x1b" not in saved.out + said


def test_outside_a_workspace_the_next_step_is_named(clew: Clew) -> None:
    for words in (("session", "list"), ("session", "attach"), ("task", "add", "x"), ("resume",)):
        code, error = clew.error(*words)

        assert (code, error["kind"]) == (2, "not-a-workspace"), words
