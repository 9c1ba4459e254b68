"""After a restore the model is told what is true again, and what is not."""

from __future__ import annotations

from pathlib import Path

from clew.render.brief import lines
from clew.render.style import Style
from clew.workspace import Workspace

LOOK = Style(0, lambda _: 0, 100, False)


def message(ws: Workspace, ref: str | None = None) -> str:
    return "\n".join(lines(ws.sessions.brief(ref), LOOK))


def test_everything_a_model_needs_is_in_it(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open(agent="example")
    session.add_task("write the code")
    session.add_task("tell the others")
    session.complete_task(1)
    (project / "kept.py").write_text("x = 1\n")
    before = ws.save("before the deploy", verify="true").checkpoint
    with session.effect("deploy web v3", undo="deploy web v2"):
        pass
    (project / "lost.py").write_text("y = 2\n")
    ws.save("after the deploy")
    ws.restore(before.id.hex())
    text = message(ws)

    assert f"exactly as it was at {before.id.hex()[:8]} (before the deploy)" in text
    assert "Its check: ✔ true (passing)" in text
    assert "no longer on disk: added lost.py" in text
    assert "do not repeat them:\n- deploy web v3; undo with: deploy web v2" in text
    assert "2. tell the others (pending)" in text
    assert "write the code" not in text


def test_a_saved_moment_left_nothing_behind(ws: Workspace, project: Path) -> None:
    ws.save("one")
    (project / "file").write_text("x")
    ws.save("two")
    found = ws.sessions.brief()

    assert (found.left, found.undone, found.effects) == (None, None, ())
    assert "no longer on disk" not in message(ws)


def test_a_restore_can_be_briefed_beforehand(ws: Workspace, project: Path) -> None:
    first = ws.save("one").checkpoint
    (project / "file.py").write_text("x = 1\n")
    second = ws.save("two").checkpoint
    found = ws.sessions.brief(first.id.hex())

    assert found.left is not None
    assert found.left.id == second.id
    assert found.undone == "added file.py"


def test_it_is_short_and_harmless_whatever_the_names(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open()
    ws.save("\x1b[31mred\x07 " + "long " * 500)
    for number in range(50):
        session.add_task(f"task \x1b[2J {number} " + "x" * 500)
        with session.effect(f"act {number} \u202e " + "y" * 500):
            pass
    ws.restore("@")
    text = message(ws)

    assert len(text) < 6000
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
