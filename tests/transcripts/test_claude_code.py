from __future__ import annotations

import json
from typing import Any

import pytest

from clew.transcripts import claude_code
from clew.transcripts.dialect import LARGE, NotATranscript, Renewal
from tests.transcripts.samples import CLAUDE, CWD, NEW, OLD, TIME, claude, claude_call, encoded

RENEWAL = Renewal(NEW, None, TIME)


def renewed(lines: list[bytes], renewal: Renewal = RENEWAL) -> list[dict[str, Any]]:
    return [json.loads(line) for line in claude_code.renewed(lines, renewal)]


def test_every_line_that_names_a_session_names_the_new_one() -> None:
    found = renewed(CLAUDE)

    assert {line["sessionId"] for line in found if "sessionId" in line} == {NEW}
    assert found[4] == json.loads(CLAUDE[4])
    assert OLD not in json.dumps(found)


def test_the_chain_of_parents_and_all_else_is_kept() -> None:
    before = [json.loads(line) for line in CLAUDE]
    after = renewed(CLAUDE)[: len(CLAUDE)]

    for old, new in zip(before, after, strict=True):
        assert {**new, "sessionId": OLD} == {**old, "sessionId": OLD}


def test_a_call_without_a_result_gets_one_below_it() -> None:
    *_, last = renewed(CLAUDE)

    assert len(renewed(CLAUDE)) == len(CLAUDE) + 1
    assert (last["parentUuid"], last["type"], last["cwd"]) == ("a2", "user", CWD)
    (block,) = last["message"]["content"]
    assert (block["type"], block["tool_use_id"], block["is_error"]) == ("tool_result", "t2", True)
    assert last["timestamp"] == TIME


def test_results_that_are_added_are_one_chain_and_always_the_same() -> None:
    calls = [*claude_call("Bash", "t3"), *claude_call("Bash", "t4")]
    lines = [*CLAUDE[:4], *encoded(claude("assistant", "a3", "u2", calls))]
    first, second = renewed(lines)[-2:]

    assert second["parentUuid"] == first["uuid"]
    assert first["uuid"] != second["uuid"]
    assert renewed(lines)[-2:] == [first, second]


def test_a_helpers_open_call_is_its_own() -> None:
    helper = claude("assistant", "h1", None, claude_call("Bash", "t9"), isSidechain=True)

    assert len(renewed([*CLAUDE[:4], *encoded(helper)])) == 5


def test_what_was_cut_off_is_left_out() -> None:
    cut = [*CLAUDE[:4], CLAUDE[5][:40]]

    assert len(renewed(cut)) == 4


@pytest.mark.parametrize("lines", [[], [b"not JSON"], [b"[1]", b'{"role": "user"}']])
def test_what_is_no_transcript_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(NotATranscript):
        renewed(lines)


def test_another_directory_is_in_every_line() -> None:
    found = renewed(CLAUDE, Renewal(NEW, "/elsewhere", TIME))

    assert {line["cwd"] for line in found if "cwd" in line} == {"/elsewhere"}


def test_a_huge_line_is_not_taken_apart() -> None:
    result = claude("user", "u3", "a2", [{"tool_use_id": "t2", "content": "x" * LARGE}])
    found = list(claude_code.renewed([*CLAUDE, *encoded(result)], RENEWAL))

    assert len(found) == len(CLAUDE) + 1
    assert f'"sessionId": "{NEW}"'.encode() in found[-1]
    assert len(found[-1]) == len(encoded(result)[0]) + 1


def test_half_a_character_does_no_harm() -> None:
    odd = claude("user", "u3", "a2", "\ud83d")

    assert renewed([*CLAUDE, *encoded(odd)])[6]["message"]["content"] == "\ud83d"


def test_a_transcript_goes_beside_the_old_one_or_to_its_directorys_folder() -> None:
    old = b"/home/me/.claude/projects/-home-me-project/old.jsonl"

    beside = claude_code.place(old, NEW, None, TIME)
    elsewhere = claude_code.place(old, NEW, "/tmp/my_fork.v2", TIME)

    assert beside == f"/home/me/.claude/projects/-home-me-project/{NEW}.jsonl".encode()
    assert elsewhere == f"/home/me/.claude/projects/-tmp-my-fork-v2/{NEW}.jsonl".encode()
    assert claude_code.command(NEW) == f"claude --resume {NEW}"


def test_files_read_and_changed_are_seen_in_the_calls() -> None:
    read = encoded(claude("assistant", "a", None, claude_call("Read", "t", file_path="/x/a")))[0]
    book = encoded(
        claude("assistant", "a", None, claude_call("NotebookEdit", "t", notebook_path="/x/b"))
    )[0]

    assert claude_code.touched(CLAUDE[2]) == ((), (f"{CWD}/app.py",))
    assert claude_code.touched(read) == (("/x/a",), ())
    assert claude_code.touched(book) == ((), ("/x/b",))
    for line in (CLAUDE[1], CLAUDE[3], CLAUDE[5], b"not JSON"):
        assert claude_code.touched(line) == ((), ())
