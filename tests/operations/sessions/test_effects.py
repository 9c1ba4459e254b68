"""What was done outside stands whatever is restored, and is not done twice by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import BadOption, DuplicateEffect, EffectSettled, UnknownEffect
from clew.model.effect import EffectOutcome
from clew.workspace import Workspace

DEPLOY = "deploy web v3"


def deploy(ws: Workspace, request_id: str = "1", *, again: bool = False) -> int:
    """Do it, and say so."""
    arguments = {"service": "web", "version": "v3", "request_id": request_id}
    effect = ws.effects.record(
        DEPLOY, tool="deploy", arguments=arguments, undo="deploy web v2", again=again
    )
    ws.effects.settle(effect.number, EffectOutcome.DONE)
    return effect.number


def edit(project: Path, text: str) -> None:
    (project / "file").write_text(text)


def test_the_intent_is_there_before_the_outcome(ws: Workspace) -> None:
    effect = ws.effects.record(DEPLOY)

    assert ws.effects.list().effects[0].status == EffectOutcome.UNKNOWN
    ws.effects.settle(effect.number, "done", outcome="https://example.test")
    [settled] = ws.effects.list().effects
    assert (settled.status, settled.outcome) == ("done", "https://example.test")


def test_a_block_that_ends_is_done_and_one_that_raises_stays_unknown(ws: Workspace) -> None:
    session = ws.sessions.open()
    with session.effect(DEPLOY, reversible=False, undo="deploy web v2") as first:
        pass
    with pytest.raises(TimeoutError), session.effect("send the mail") as second:
        raise TimeoutError
    with session.effect("charge the card") as third:
        third.failed("declined")

    found = {effect.number: effect.status for effect in session.effects()}
    assert found == {first.number: "done", second.number: "unknown", third.number: "failed"}


def test_a_restore_lists_what_stands(ws: Workspace, project: Path) -> None:
    before = ws.save("before").checkpoint
    edit(project, "new")
    number = deploy(ws)
    failed = ws.effects.record("send the mail").number
    ws.effects.settle(failed, "failed")
    preview = ws.preview(before.id.hex())
    result = ws.restore(before.id.hex())

    assert [effect.number for effect in preview.effects] == [number]
    assert [(effect.number, effect.undo) for effect in result.effects] == [
        (number, "deploy web v2")
    ]


def test_what_was_done_and_forgotten_is_refused(ws: Workspace, project: Path) -> None:
    before = ws.save("before").checkpoint
    deploy(ws)
    edit(project, "new")
    ws.save("after")
    ws.restore(before.id.hex())

    with pytest.raises(DuplicateEffect, match=DEPLOY) as refused:
        deploy(ws, "another id")
    assert refused.value.number == 1
    assert deploy(ws, again=True) == 2


def test_doing_it_twice_on_one_line_is_nobody_s_mistake(ws: Workspace) -> None:
    ws.save("before")

    assert [deploy(ws), deploy(ws)] == [1, 2]


def test_undoing_the_restore_remembers_again(ws: Workspace, project: Path) -> None:
    before = ws.save("before").checkpoint
    deploy(ws)
    edit(project, "new")
    ws.save("after")
    ws.restore(before.id.hex())
    ws.undo()

    assert ws.effects.list(outstanding=True).effects == ()
    assert deploy(ws) == 2


def test_what_is_forgotten_stays_so_on_the_new_line(ws: Workspace, project: Path) -> None:
    before = ws.save("before").checkpoint
    deploy(ws)
    edit(project, "old line")
    old_line = ws.save("old line").checkpoint
    ws.restore(before.id.hex())
    edit(project, "new line")
    new_line = ws.save("new line").checkpoint
    ws.restore(old_line.id.hex())
    known = ws.effects.list(outstanding=True).effects
    ws.restore(new_line.id.hex())

    assert known == ()
    assert [effect.number for effect in ws.effects.list(outstanding=True).effects] == [1]
    with pytest.raises(DuplicateEffect):
        deploy(ws)


def test_some_paths_brought_back_forget_nothing(ws: Workspace, project: Path) -> None:
    edit(project, "old")
    before = ws.save("before").checkpoint
    deploy(ws)
    edit(project, "new")
    ws.save("after")
    result = ws.restore(before.id.hex(), paths=[str(project / "file")])

    assert result.effects == ()
    assert deploy(ws) == 2


def test_a_fork_has_done_nothing_yet(ws: Workspace, tmp_path: Path, store: Path) -> None:
    from clew import opening

    deploy(ws)
    ws.save("after")
    ws.forks.create("@", str(tmp_path / "fork"))
    with opening.open(tmp_path / "fork", store=store) as fork:
        assert fork.effects.list().effects == ()


def test_a_rescue_is_taken_when_only_the_conversation_moved(ws: Workspace) -> None:
    session = ws.sessions.open()
    before = ws.save("before").checkpoint
    session.say("something new")
    result = ws.restore(before.id.hex())

    assert result.rescue is not None
    assert result.rescue.record.position.length > before.record.position.length


@pytest.mark.parametrize("number", [0, 7, -1])
def test_an_effect_that_is_not_there_is_said_so(ws: Workspace, number: int) -> None:
    with pytest.raises(UnknownEffect):
        ws.effects.settle(number, "done")


def test_an_outcome_is_not_contradicted(ws: Workspace) -> None:
    number = deploy(ws)
    ws.effects.settle(number, "done")

    with pytest.raises(EffectSettled, match="already settled as done"):
        ws.effects.settle(number, "failed")
    assert ws.effects.settle(number, "undone").status == "undone"
    with pytest.raises(BadOption):
        ws.effects.settle(number, "perhaps")


@pytest.mark.parametrize("what", ["", "  \n"])
def test_an_effect_without_words_is_refused(ws: Workspace, what: str) -> None:
    with pytest.raises(BadOption):
        ws.effects.record(what)


def test_secrets_are_not_kept(ws: Workspace) -> None:
    ws.effects.record(
        "curl -H 'Authorization: Bearer abcdefghijklmnop' https://example.test",
        tool="http",
        arguments={"api_key": "abcdefghijklmnop", "amount": 5},
    )
    [effect] = ws.effects.list().effects

    assert "abcdefghijklmnop" not in repr(effect)
    assert "'amount': 5" in repr(effect)
