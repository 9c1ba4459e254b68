"""A preview says what would be overwritten that no checkpoint holds in its present form."""

from __future__ import annotations

from pathlib import Path

from clew.model.parts import RestorePart
from clew.workspace import Workspace
from tests.operations.moments import save


def moments(ws: Workspace, project: Path) -> tuple[str, str]:
    """Return two moments, with a file and a directory that differ and one that does not."""
    (project / "src").mkdir()
    (project / "src" / "app.py").write_text("first")
    (project / "same").write_text("same")
    first = save(ws)
    (project / "src" / "app.py").write_text("second")
    (project / "src" / "new.py").write_text("new")
    return first, save(ws)


def test_what_here_holds_is_not_unsaved(ws: Workspace, project: Path) -> None:
    first, _ = moments(ws, project)
    plan = ws.preview(first)

    assert plan.needs_confirmation
    assert not plan.overwrites_unsaved


def test_an_edit_elsewhere_does_not_make_the_rest_unsaved(ws: Workspace, project: Path) -> None:
    first, _ = moments(ws, project)
    (project / "same").write_text("edited")

    assert ws.preview(first).unsaved == (b"same",)
    assert ws.preview(first, paths=[str(project / "src")]).unsaved == ()


def test_each_kind_of_unsaved_change_is_found(ws: Workspace, project: Path) -> None:
    first, _ = moments(ws, project)
    (project / "src" / "app.py").write_text("third")
    (project / "src" / "new.py").chmod(0o600)
    (project / "same").chmod(0o600)
    (project / "made").write_text("made")

    assert ws.preview(first).unsaved == (b"src/app.py", b"made", b"src/new.py", b"same")


def test_a_touch_is_no_unsaved_change(ws: Workspace, project: Path) -> None:
    first, _ = moments(ws, project)
    (project / "src" / "app.py").write_text("second")

    assert ws.preview(first).unsaved == ()


def test_a_file_that_here_could_not_see_is_unsaved(ws: Workspace, project: Path) -> None:
    """Without the rule it is covered, and the first checkpoint proves that it was absent."""
    first, _ = moments(ws, project)
    (project / "logs").mkdir()
    (project / "logs" / "run.log").write_text("only here")
    ws.settings.set("exclude", "logs/\nsame")
    save(ws)
    ws.settings.unset("exclude")
    (project / "same").write_text("changed while it was excluded")
    plan = ws.preview(first)

    assert {b"logs", b"logs/run.log", b"same"} <= set(plan.unsaved)


def test_a_restore_leaves_nothing_unsaved(ws: Workspace, project: Path) -> None:
    first, second = moments(ws, project)
    ws.restore(first)

    assert ws.preview(second).unsaved == ()


def test_messages_since_here_are_unsaved(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open(agent="example", version="1")
    session.say("build it")
    first = save(ws)
    session.say("done")
    save(ws)
    saved = ws.preview(first)
    session.say("and more")

    assert (saved.brought.moved, saved.unsaved_parts) == ((RestorePart.CONVERSATION,), ())
    assert ws.preview(first).unsaved_parts == (RestorePart.CONVERSATION,)


def test_a_merge_knows_what_it_would_overwrite(ws: Workspace, project: Path) -> None:
    base, _ = moments(ws, project)
    (project / "same").write_text("edited since")
    plan = ws.preview(base, keep_mine=True)

    assert [one.path for one in plan.replaced] == [b"src/app.py"]
    assert plan.unsaved == ()
