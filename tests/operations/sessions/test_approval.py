"""Acts on the outside world are written down, and may need a yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import BadOption
from clew.model.effect import EffectOutcome
from clew.workspace import Workspace

PUSH = {"command": "git push origin main"}
PUBLISH = {"command": "npm publish"}


def yes(_: str) -> bool:
    return True


def no(_: str) -> bool:
    return False


def test_what_stays_inside_is_nobody_s_business(ws: Workspace) -> None:
    decision = ws.sessions.open().gate("Bash", {"command": "ls -la"})

    assert decision.allowed
    assert decision.effect is None
    assert ws.sessions.open().effects() == []


def test_an_act_outside_is_written_down_and_not_asked_about(ws: Workspace) -> None:
    session = ws.sessions.open()
    decision = session.gate("Bash", PUSH)

    assert decision.allowed
    assert decision.rule is not None
    assert decision.rule.kind == "push"
    [effect] = session.effects()
    assert effect.status == EffectOutcome.UNKNOWN
    assert effect.act.what == "git push origin main"


def test_with_the_gate_on_and_nobody_to_ask_the_answer_is_no(ws: Workspace) -> None:
    ws.settings.set("gate", "on")
    session = ws.sessions.open()
    decision = session.gate("Bash", PUSH)

    assert not decision.allowed
    assert "no interactive user" in decision.reason
    assert session.effects() == []


@pytest.mark.parametrize(("ask", "allowed"), [(yes, True), (no, False)])
def test_a_person_decides(ws: Workspace, ask: object, allowed: bool) -> None:
    ws.settings.set("gate", "on")
    decision = ws.sessions.open().gate("Bash", PUSH, ask=yes if allowed else no)

    assert decision.allowed is allowed
    assert (decision.effect is not None) is allowed


def test_the_question_says_what_and_why(ws: Workspace) -> None:
    ws.settings.set("gate", "on")
    asked: list[str] = []

    def listen(question: str) -> bool:
        asked.append(question)
        return False

    ws.sessions.open().gate("Bash", {"command": "TOKEN=abcdefgh12345678 npm publish"}, ask=listen)

    [question] = asked
    assert "npm publish" in question
    assert "publish" in question
    assert "abcdefgh12345678" not in question


def test_a_checkpoint_is_taken_before_what_nothing_takes_back(ws: Workspace, project: Path) -> None:
    ws.save("start")
    (project / "file").write_text("x")
    decision = ws.sessions.open().gate("Bash", PUBLISH)

    assert decision.checkpoint is not None
    assert decision.checkpoint.labels.intent == "before: npm publish"
    assert ws.status().changes == ()


def test_no_checkpoint_before_what_can_be_taken_back(ws: Workspace) -> None:
    ws.save("start")

    assert ws.sessions.open().gate("Bash", PUSH).checkpoint is None


def test_rules_can_be_edited(ws: Workspace) -> None:
    ws.settings.set("gate", "on")
    ws.settings.set("gate.rules", "command make release  # publish: it is out then\n")
    session = ws.sessions.open()

    assert session.gate("Bash", PUSH).allowed
    assert not session.gate("Bash", {"command": "make release"}).allowed


@pytest.mark.parametrize(
    ("key", "value"), [("gate", "maybe"), ("gate.rules", "nonsense here"), ("gate", "")]
)
def test_settings_that_make_no_sense_are_refused(ws: Workspace, key: str, value: str) -> None:
    with pytest.raises(BadOption):
        ws.settings.set(key, value)
