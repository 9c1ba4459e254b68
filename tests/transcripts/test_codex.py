from __future__ import annotations

import json
from typing import Any

import pytest

from clew.transcripts import codex
from clew.transcripts.dialect import LARGE, NotATranscript, Renewal
from tests.transcripts import samples
from tests.transcripts.samples import CODEX, CWD, NEW, OLD, TIME, encoded

RENEWAL = Renewal(NEW, None, TIME)


def renewed(lines: list[bytes], renewal: Renewal = RENEWAL) -> list[dict[str, Any]]:
    return [json.loads(line) for line in codex.renewed(lines, renewal)]


def test_the_session_is_the_new_one_and_all_else_is_kept() -> None:
    found = renewed(CODEX)

    assert found[0]["payload"]["id"] == NEW
    assert found[0]["payload"]["cwd"] == CWD
    assert found[1 : len(CODEX)] == [json.loads(line) for line in CODEX[1:]]


def test_a_call_without_an_output_gets_one_of_its_sort() -> None:
    *_, last = renewed(CODEX)

    assert len(renewed(CODEX)) == len(CODEX) + 1
    assert (last["type"], last["timestamp"]) == ("response_item", TIME)
    assert last["payload"]["type"] == "custom_tool_call_output"
    assert last["payload"]["call_id"] == "c2"


def test_another_directory_is_where_codex_looks_for_it() -> None:
    found = renewed(CODEX, Renewal(NEW, "/elsewhere", TIME))

    assert [line["payload"].get("cwd") for line in found[:3]] == ["/elsewhere", "/elsewhere", None]


def test_lines_that_name_the_session_and_have_a_number_go_on_so() -> None:
    first = samples.codex("session_meta", id=OLD, session_id=OLD, roots=[CWD], cwd=CWD)
    settings = samples.codex("event_msg", type="settings", thread_id=OLD)
    call = samples.codex("response_item", type="function_call", name="x", call_id="c", id=OLD)
    lines = [{**line, "ordinal": at} for at, line in enumerate((first, settings, call))]
    found = renewed(encoded(*lines), Renewal(NEW, "/elsewhere", TIME))

    assert [line["ordinal"] for line in found] == [0, 1, 2, 3]
    assert found[0]["payload"]["session_id"] == found[1]["payload"]["thread_id"] == NEW
    assert found[0]["payload"]["roots"] == ["/elsewhere"]
    assert found[2]["payload"]["id"] == OLD


def test_what_was_cut_off_is_left_out() -> None:
    assert len(renewed([*CODEX[:5], CODEX[6][:30]])) == 5


def test_a_huge_output_is_not_taken_apart() -> None:
    output = encoded(
        samples.codex(
            "response_item", type="custom_tool_call_output", call_id="c2", output="x" * LARGE
        )
    )[0]

    assert list(codex.renewed([*CODEX, output], RENEWAL))[-1] == output + b"\n"


@pytest.mark.parametrize("lines", [[], [b"not JSON"], [CODEX[2]]])
def test_what_is_no_transcript_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(NotATranscript):
        renewed(lines)


def test_a_transcript_goes_to_the_folder_of_its_day_or_beside_one_that_is_elsewhere() -> None:
    old = b"/home/me/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-old.jsonl"
    name = f"rollout-2026-11-16T10-00-00-{NEW}.jsonl"

    assert codex.place(old, NEW, None, TIME).decode() == (
        f"/home/me/.codex/sessions/2026/11/16/{name}"
    )
    assert codex.place(b"/tmp/kept.jsonl", NEW, "/x", TIME).decode() == f"/tmp/{name}"
    assert codex.command(NEW) == f"codex resume {NEW}"


def test_files_changed_are_seen_in_patches() -> None:
    text = json.dumps({"input": "*** Begin Patch\n*** Delete File: old.py\n*** End Patch"})
    as_function = encoded(
        samples.codex("response_item", type="function_call", name="apply_patch", arguments=text)
    )[0]

    assert codex.touched(CODEX[6]) == ((), ("app.py", "main.py", "new.py"))
    assert codex.touched(as_function) == ((), ("old.py",))
    for line in (CODEX[0], CODEX[3], b"not JSON", b"[]"):
        assert codex.touched(line) == ((), ())
