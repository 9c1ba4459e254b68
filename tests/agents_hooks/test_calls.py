"""Short descriptions of tool calls for the timeline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agents.calls import (
    Call,
    EndedCall,
    intent_for,
    prompt_words,
    why_for,
    words_for,
)

SECRET = "hunter2hunter2hunter2"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("Bash", {"command": "make  test\n"}, "make test"),
        ("Write", {"file_path": "/w/src/made.py", "content": "x"}, "Write made.py"),
        ("edit", {"filePath": "a.py"}, "edit a.py"),
        ("LS", {"path": "/w/src/"}, "LS src"),
        ("Glob", {"pattern": "*.py"}, "Glob"),
        ("Write", {"file_path": ["x"]}, "Write"),
        ("mcp__x__y", None, "mcp__x__y"),
        ("Bash", {"command": 7}, "Bash"),
        ("Bash", {"command": f"TOKEN={SECRET} make"}, "TOKEN=[redacted] make"),
    ],
)
def test_a_call_is_said_as_a_person_would(tool: str, arguments: object, words: str) -> None:
    assert words_for(Call(tool, arguments)) == words


def test_a_call_is_known_by_its_id_else_by_its_words() -> None:
    assert Call("Bash", {"command": "make"}, "c1").key == "c1"
    assert Call("Bash", {"command": "make"}).key == "make"
    assert len(Call("Bash", {"command": "x" * 9999}, "c" * 9999).key) == 200


def test_an_intent_is_what_was_asked_for_and_what_was_done() -> None:
    calls = [Call("Bash", {"command": f"make {number}"}) for number in range(4)]

    assert intent_for("build it", calls[:1]) == "build it: make 0"
    assert intent_for("", calls) == "make 0, make 1, make 2, 1 more"
    assert intent_for("build it", []) == "build it"
    assert intent_for("", []) == ""


def test_a_prompt_is_one_short_line_without_secrets() -> None:
    words = prompt_words(f"log in\nwith password={SECRET}\n" + "and so on " * 100_000)

    assert words.startswith("log in with password=[redacted]")
    assert len(words) <= 100


def test_why_a_call_failed_is_one_short_line_without_secrets() -> None:
    why = why_for(EndedCall(Call("Bash"), f"Exit code 1\nTOKEN={SECRET}\n" + "x" * 1_000_000))

    assert why.startswith("Exit code 1 TOKEN=[redacted]")
    assert len(why) <= 120
    assert why_for(EndedCall(Call("Bash"))) == ""


@given(
    st.text(max_size=20),
    st.recursive(
        st.none() | st.text(max_size=9) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["command", "file_path", "path"]), inner)
        ),
        max_leaves=4,
    ),
)
def test_any_call_has_words(tool: str, arguments: object) -> None:
    assert len(words_for(Call(tool, arguments))) <= 80
