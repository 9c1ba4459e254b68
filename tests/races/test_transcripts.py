"""An agent that writes its transcript while a restore brings the earlier conversation back.

Every line that it wrote is in the store, in the transcript, or in a file that the restore names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clew import opening
from clew.model.restore_results import RestoreResult
from clew.model.session import Format
from clew.operations.sessions.conversation import content
from clew.workspace import Workspace
from clew.worktree import transcript_file
from tests.kit.child import Child
from tests.kit.fake_host import FakeHost
from tests.operations.forks.forked import cut, cut_short

_APPENDING = """
import itertools, os, random, sys, time
path, stop, how = sys.argv[1:]
flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
kept = os.open(path, flags, 0o600) if how == "open" else None
for number in itertools.count(1):
    if os.path.exists(stop):
        break
    file = kept if kept is not None else os.open(path, flags, 0o600)
    os.write(file, b'{"type": "user", "line": %d, "sessionId": "s", "uuid": "%d"}\\n' % (number, number))
    if kept is None:
        os.close(file)
    print(number, flush=True)
    time.sleep(random.choice((0, 0, 0.001, 0.02)))
"""


@contextmanager
def appending(transcript: Path, stop: Path, how: str) -> Iterator[list[int]]:
    """Have another process append lines; at the end the list has all that it wrote."""
    stop.unlink(missing_ok=True)
    command = [sys.executable, "-c", _APPENDING, str(transcript), str(stop), how]
    written: list[int] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        try:
            written.append(int(agent.stdout.readline()))
            yield written
        finally:
            stop.touch()
            written += [int(line) for line in agent.stdout]
    assert agent.returncode == 0


def lines_in(text: bytes) -> set[int]:
    found = set()
    for line in text.splitlines():
        value = json.loads(line) if line.startswith(b"{") and line.endswith(b"}") else {}
        if "line" in value:
            found.add(value["line"])
    return found


def lines_anywhere(ws: Workspace, transcript: Path, result: RestoreResult) -> set[int]:
    """Return the lines that the store, the transcript and the files named by a restore hold."""
    found = lines_in(transcript.read_bytes())
    for problem in result.problems:
        path = Path(os.fsdecode(problem.path))
        if path.is_file():
            found |= lines_in(path.read_bytes())
    with ws.reading_context() as context:
        get = context.store.objects.get
        for checkpoint in ws.log(limit=1000).checkpoints:
            conversation = checkpoint.record.position.conversation
            found |= lines_in(b"".join(content(conversation, get)))
    return found


@pytest.mark.parametrize("how", ["open", "reopen"])
@pytest.mark.parametrize("form", [Format.JSONL, Format.CLAUDE_CODE, Format.CODEX])
def test_no_line_that_an_agent_writes_during_a_restore_is_lost(
    tmp_path: Path, how: str, form: str
) -> None:
    (tmp_path / "project").mkdir()
    name = "11111111-2222-4333-8444-555555555555"
    total = 0
    for attempt in range(4):
        transcript = tmp_path / f"{attempt}" / f"rollout-2026-11-17T10-00-00-{name}.jsonl"
        transcript.parent.mkdir()
        transcript.write_text(
            '{"type": "user", "sessionId": "s", "uuid": "0", "message": {"role": "user"}}\n'
        )
        with opening.open(tmp_path / "project", store=tmp_path / "store", create=True) as ws:
            ws.sessions.open(agent="example", transcript=str(transcript), kind=form)
            first = ws.save("first").checkpoint.id.hex()
            with appending(transcript, tmp_path / "stop", how) as written:
                result = ws.restore(first)
            missing = set(written) - lines_anywhere(ws, transcript, result)

            total += len(written)
            assert missing == set(), f"attempt {attempt}: {result.problems}"
    assert total > 4, "nothing was written while a restore was at work"


def test_an_agent_that_has_its_transcript_open_is_named(tmp_path: Path) -> None:
    """Its lines go on in the old file, and the restore says in which."""
    (tmp_path / "project").mkdir()
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text('{"line": 0}\n')
    with opening.open(tmp_path / "project", store=tmp_path / "store", create=True) as ws:
        ws.sessions.open(agent="example", transcript=str(transcript))
        first = ws.save("first").checkpoint.id.hex()
        with open(transcript, "ab", buffering=0) as file:
            file.write(b'{"line": 1}\n')
            result = ws.restore(first)
            file.write(b'{"line": 2}\n')

        kept = [problem for problem in result.problems if b"talk.jsonl.clew-" in problem.path]
        assert result.is_partial
        assert len(kept) == 1
        assert transcript.read_text() == '{"line": 0}\n'
        assert lines_in(Path(os.fsdecode(kept[0].path)).read_bytes()) == {0, 1, 2}


_STEPS = {
    "open": ("kept = os.open(PATH, FLAGS)", "os.write(kept, LINE)"),
    "reopen": ("pass", "late = os.open(PATH, FLAGS); os.write(late, LINE); os.close(late)"),
    "opened before, written and closed after": (
        "kept = os.open(PATH, FLAGS)",
        "os.write(kept, LINE); os.close(kept); kept = os.open(PATH, FLAGS)",
    ),
}


@pytest.mark.parametrize("how", _STEPS)
@pytest.mark.parametrize("direction", ["restore", "undo"])
def test_lines_written_right_before_and_right_after_the_exchange_are_somewhere(
    tmp_path: Path, how: str, direction: str
) -> None:
    (tmp_path / "project").mkdir()
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text('{"line": 0}\n')
    host = FakeHost()
    begin, write = _STEPS[how]
    with (
        opening.open(tmp_path / "project", store=tmp_path / "store", create=True, host=host) as ws,
        Child() as agent,
    ):
        ws.sessions.open(agent="example", transcript=str(transcript))
        first = ws.save("first").checkpoint.id.hex()
        with transcript.open("a") as file:
            file.write('{"line": 1}\n')
        if direction == "undo":
            ws.restore(first)
        agent.do(f"import os; PATH = {str(transcript)!r}; FLAGS = os.O_WRONLY | os.O_APPEND")
        agent.do(begin)

        def say(number: int) -> None:
            agent.do(f"LINE = b'{{\"line\": {number}}}\\n'; " + write)

        with (
            host.at("transcript.exchange", lambda: say(2)),
            host.at("transcript.exchanged", lambda: say(3)),
        ):
            result = ws.restore(first) if direction == "restore" else ws.undo()
        agent.do("LINE = b'{\"line\": 4}\\n'; " + write)

        assert lines_anywhere(ws, transcript, result) >= {0, 1, 2, 3, 4}
        assert result.is_partial
        assert any(b"talk.jsonl.clew-" in problem.path for problem in result.problems)


def test_a_line_written_before_a_killed_restore_is_finished_is_somewhere(tmp_path: Path) -> None:
    """The exchange was made, a line went into the old file, and then the power was cut."""
    (tmp_path / "project").mkdir()
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text('{"line": 0}\n')
    with opening.open(tmp_path / "project", store=tmp_path / "store", create=True) as ws:
        ws.sessions.open(agent="example", transcript=str(transcript))
        first = ws.save("first").checkpoint.id.hex()
    with transcript.open("a") as file:
        file.write('{"line": 1}\n')

    def die() -> None:
        exchange = transcript_file._exchange

        def then_die(*arguments: Any) -> None:
            with transcript.open("a") as late:
                exchange(*arguments)
                late.write('{"line": 2}\n')
                late.flush()
                cut()

        transcript_file._exchange = then_die  # type: ignore[assignment]
        with opening.open(tmp_path / "project", store=tmp_path / "store") as own:
            own.restore(first)

    cut_short(die)
    with transcript.open("a") as file:
        file.write('{"line": 3}\n')
    with opening.open(tmp_path / "project", store=tmp_path / "store") as ws:
        ws.save("next")
        continued = ws.continued_restore
    files = [path for path in tmp_path.iterdir() if path.is_file() and "talk" in path.name]
    found = set().union(*(lines_in(path.read_bytes()) for path in files))

    assert found == {0, 1, 2, 3}
    assert lines_in(transcript.read_bytes()) == {0, 3}
    assert continued is not None
    assert [b"talk.jsonl.clew-" in item.path for item in continued.problems] == [True]
