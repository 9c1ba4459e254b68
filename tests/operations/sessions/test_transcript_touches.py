"""What an agent read and changed is told by its transcript, also once that was compacted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.model.session import Format
from clew.workspace import Workspace
from tests.operations.moments import save
from tests.transcripts.samples import OLD, claude, claude_call, codex, encoded


def calls(project: Path, **given: str) -> bytes:
    """Return lines of Claude Code in which tools are called: `Read="a"` reads a."""
    lines = encoded(
        *(
            claude(
                "assistant",
                f"{name} {path}",
                None,
                claude_call(name, "t", file_path=str(project / path)),
            )
            for name, path in given.items()
        )
    )
    return b"".join(line + b"\n" for line in lines)


@pytest.fixture
def transcript(ws: Workspace, tmp_path: Path) -> Path:
    path = tmp_path / f"{OLD}.jsonl"
    path.touch()
    ws.sessions.open(agent="claude-code", native=OLD, transcript=str(path), kind=Format.CLAUDE_CODE)
    return path


def add(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def touched(ws: Workspace, checkpoint: str | None = None) -> dict[str, str]:
    """Return the files with what was done: r, c or rc."""
    files = ws.sessions.files(checkpoint=checkpoint).files
    return {
        os.fsdecode(file.path): "r" * file.read + "c" * file.changed
        for file in files
        if "reported" in file.basis
    }


def test_reads_and_changes_are_known_by_checkpoint(
    ws: Workspace, project: Path, transcript: Path
) -> None:
    add(transcript, calls(project, Read="a", Write="b"))
    first = save(ws, "first")
    add(transcript, calls(project, Edit="a"))
    second = save(ws, "second")

    assert touched(ws) == {"a": "rc", "b": "c"}
    assert touched(ws, first) == {"a": "r", "b": "c"}
    assert touched(ws, second) == {"a": "c"}


def test_a_line_that_was_being_written_is_seen_once_it_is_whole(
    ws: Workspace, project: Path, transcript: Path
) -> None:
    line = calls(project, Write="a")
    add(transcript, calls(project, Read="b") + line[:50])
    save(ws, "in the middle")
    add(transcript, line[50:])
    second = save(ws, "whole")

    assert touched(ws) == {"a": "c", "b": "r"}
    assert touched(ws, second) == {"a": "c"}


def test_what_is_known_outlives_a_compaction_and_is_not_told_twice(
    ws: Workspace, project: Path, transcript: Path
) -> None:
    add(transcript, calls(project, Read="a", Write="b"))
    save(ws, "first")
    transcript.write_bytes(b'{"summary": "short"}\n' + calls(project, Write="b", Edit="c"))
    second = save(ws, "compacted")

    assert touched(ws) == {"a": "r", "b": "c", "c": "c"}
    assert touched(ws, second) == {"c": "c"}


def test_a_session_that_goes_on_after_a_restore_tells_only_what_is_new(
    ws: Workspace, project: Path, transcript: Path
) -> None:
    add(transcript, calls(project, Read="a"))
    first = save(ws, "first")
    add(transcript, calls(project, Write="b"))
    found = ws.restore(first).brought.resumable
    assert found is not None
    add(Path(found.path.decode()), calls(project, Write="c"))
    after = save(ws, "after")

    assert touched(ws, after) == {"c": "c"}


def test_paths_of_codex_are_of_the_workspace(ws: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    ws.sessions.open(agent="codex", native=OLD, transcript=str(path), kind=Format.CODEX)
    patch = "*** Begin Patch\n*** Update File: src/app.py\n*** Add File: /etc/other\n*** End Patch"
    call = codex(
        "response_item", type="custom_tool_call", name="apply_patch", input=patch, call_id="c"
    )
    add(path, encoded(codex("session_meta", id=OLD), call)[0] + b"\n" + encoded(call)[0] + b"\n")
    save(ws, "first")

    assert touched(ws) == {"src/app.py": "c", "/etc/other": "c"}


def test_a_path_that_is_none_does_no_harm(ws: Workspace, project: Path, transcript: Path) -> None:
    add(transcript, calls(project, Read="a\0b", Write="c") + b"not JSON\n[]\n")
    save(ws, "first")

    assert touched(ws) == {"c": "c"}
