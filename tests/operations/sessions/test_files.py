"""Which files an agent read and changed: what it says, and what the snapshots show."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.errors import BadOption, NoSession
from clew.model.session_results import SessionFiles
from clew.operations.sessions.files import session_files
from clew.workspace import Workspace

REPORTED, SEEN = "reported", "snapshots"


def touched(found: SessionFiles) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return R, M or RM and how we know, by path."""
    return {
        os.fsdecode(file.path): ("R" * file.read + "M" * file.changed, file.basis)
        for file in found.files
    }


def test_what_an_agent_says_is_kept(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open()
    session.read(str(project / "a"))
    session.changed(str(project / "b"))
    session.read(str(project / "b"))

    assert touched(session.files()) == {"a": ("R", (REPORTED,)), "b": ("RM", (REPORTED,))}


def test_a_file_outside_is_named_in_full(ws: Workspace) -> None:
    session = ws.sessions.open()
    session.read("/etc/../etc/hosts")

    assert touched(session.files()) == {"/etc/hosts": ("R", (REPORTED,))}


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_what_is_no_path_is_refused(ws: Workspace, path: str) -> None:
    with pytest.raises(BadOption, match="not a path"):
        ws.sessions.open().read(path)


def test_any_name_will_do(ws: Workspace, project: Path) -> None:
    names = ["new\nline", "\x1b[2J", "bytes\udcff", "\u202e"]
    session = ws.sessions.open()
    for name in names:
        session.changed(str(project / name))

    assert set(touched(session.files())) == set(names)


def test_what_differs_between_two_checkpoints_of_a_session_was_changed_in_it(
    ws: Workspace, project: Path
) -> None:
    (project / "before").write_text("1")
    ws.sessions.open()
    ws.save("first")
    (project / "sub").mkdir()
    (project / "sub" / "new").write_text("1")
    (project / "before").unlink()
    ws.save("second")

    assert touched(ws.sessions.files()) == {
        "before": ("M", (SEEN,)),
        "sub/new": ("M", (SEEN,)),
    }


def test_both_kinds_of_evidence_stand_side_by_side(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open()
    ws.save("first")
    (project / "file").write_text("1")
    session.changed(str(project / "file"))
    ws.save("second")

    assert touched(session.files()) == {"file": ("M", (REPORTED, SEEN))}


def test_what_somebody_else_changed_is_not_ascribed(ws: Workspace, project: Path) -> None:
    (project / "of nobody").write_text("1")
    mine = ws.sessions.open(agent="mine")
    ws.save("first of mine")
    (project / "of another").write_text("1")
    other = ws.sessions.open(agent="other", attach=False)
    other.save("of another")
    ws.save("mine again")

    assert touched(mine.files()) == {}
    assert touched(other.files()) == {}


def test_metadata_alone_is_no_change_of_a_file(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    ws.sessions.open()
    ws.save("first")
    (project / "file").chmod(0o600)
    ws.save("second")

    assert ws.sessions.files().files == ()


def test_of_one_checkpoint_only_what_was_touched_since_the_one_before(
    ws: Workspace, project: Path
) -> None:
    session = ws.sessions.open()
    session.read(str(project / "early"))
    first = ws.save("first").checkpoint
    session.read(str(project / "between"))
    (project / "made").write_text("1")
    second = ws.save("second").checkpoint
    session.read(str(project / "late"))

    assert set(touched(ws.sessions.files(checkpoint=first.id.hex()))) == {"early"}
    assert set(touched(ws.sessions.files(checkpoint=second.id.hex()))) == {"between", "made"}
    assert set(touched(ws.sessions.files())) == {"early", "between", "made", "late"}


def test_a_checkpoint_that_nobody_was_at_has_no_session(ws: Workspace) -> None:
    ws.save("nobody's")
    session = ws.sessions.open()

    with pytest.raises(BadOption, match="checkpoint has no session"):
        ws.sessions.files(checkpoint="@")
    assert ws.sessions.files(session.id, checkpoint="@").files == ()


def test_without_a_session_there_is_nothing_to_tell(ws: Workspace) -> None:
    with pytest.raises(NoSession):
        ws.sessions.files()


def test_a_transcript_that_was_compacted_takes_nothing_away(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text('{"tool": "read a"}\n' * 50)
    session = ws.sessions.open(transcript=str(transcript))
    session.read(str(project / "a"))
    ws.save("long")
    transcript.write_text('{"summary": "read something"}\n')
    ws.save("compacted")

    assert touched(session.files()) == {"a": ("R", (REPORTED,))}


def test_more_than_fits_in_an_answer_is_counted(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open()
    for name in "cabd":
        session.read(str(project / name))
    with ws.reading_context() as context:
        found = session_files(context, session.info, None, most=2)

    assert [file.path for file in found.files] == [b"a", b"b"]
    assert found.omitted_count == 2
