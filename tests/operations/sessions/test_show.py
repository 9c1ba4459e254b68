"""Sessions to look at: in a line each, or one on a page with what was said last."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import NoSession, UnknownSession
from clew.model.conversation import ConversationPart, encode_parts
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.operations.sessions.conversation import extend
from clew.operations.sessions.show import last_lines
from clew.workspace import Workspace


def test_a_list_counts_tasks_and_checkpoints_of_each(ws: Workspace) -> None:
    first = ws.sessions.open(agent="first")
    first.add_task("a")
    first.complete_task(first.add_task("b").number)
    ws.save("one")
    ws.save("two")
    second = ws.sessions.open(agent="second")
    ws.save("three")
    found = ws.sessions.list()

    assert [one.info.text_id for one in found] == [second.id, first.id]
    assert [len(one.tasks) for one in found] == [0, 2]
    assert [one.checkpoints for one in found] == [1, 2]
    assert [one.info.attached for one in found] == [True, False]


def test_a_page_has_the_last_messages_those_included_that_no_checkpoint_holds(
    ws: Workspace,
) -> None:
    session = ws.sessions.open()
    for number in range(4):
        session.say({"role": "user", "content": f"message {number}"})
    ws.save("one")
    session.say({"role": "assistant", "content": "the last"})
    page = ws.sessions.show(messages=3)

    assert [one.text for one in page.said] == ["message 2", "message 3", "the last"]
    assert [one.role for one in page.said] == ["user", "user", "assistant"]
    assert page.pending == 1


@pytest.mark.parametrize(
    ("count", "expected"), [(0, []), (1, ["c"]), (2, ["b", "c"]), (9, list("abc"))]
)
def test_as_many_messages_as_are_asked_for(ws: Workspace, count: int, expected: list[str]) -> None:
    session = ws.sessions.open()
    session.say("a")
    ws.save("one")
    session.say("b", "c")

    assert [one.text for one in ws.sessions.show(messages=count).said] == expected


def test_a_page_has_what_belongs_to_the_session_and_nothing_else(ws: Workspace) -> None:
    other = ws.sessions.open(agent="other")
    other.add_task("theirs")
    other.effect("send a mail").done()
    ws.save("theirs")
    mine = ws.sessions.open(agent="mine")
    mine.add_task("mine")
    mine.effect("deploy it").done("it works")
    saved = ws.save("mine").checkpoint
    page = ws.sessions.show(mine.id)

    assert [task.title for task in page.tasks] == ["mine"]
    assert [effect.act.what for effect in page.effects] == ["deploy it"]
    assert [one.id for one in page.checkpoints] == [saved.id]
    assert page.checkpoint_count == 1


def test_of_many_checkpoints_the_newest_are_on_the_page(ws: Workspace) -> None:
    ws.sessions.open()
    for number in range(12):
        ws.save(f"number {number}")
    page = ws.sessions.show()

    assert page.checkpoint_count == 12
    assert [one.labels.intent for one in page.checkpoints][:2] == ["number 11", "number 10"]
    assert len(page.checkpoints) == 10


def test_secrets_are_kept_and_not_shown(ws: Workspace) -> None:
    session = ws.sessions.open()
    session.say({"role": "user", "content": "use api_key=Kq7canary9fX2vB4nM8pL1zT"})
    ws.save("one")

    assert "canary" not in repr(ws.sessions.show())
    assert "canary" in repr(session.messages())


def test_attached_is_whatever_was_attached_last(ws: Workspace) -> None:
    first = ws.sessions.open(agent="first")
    second = ws.sessions.open(agent="second")
    ws.sessions.attach(first.id[:8])
    by_name = ws.sessions.current().id
    second.attach()

    assert by_name == first.id
    assert ws.sessions.detach().text_id == second.id
    with pytest.raises(NoSession):
        ws.sessions.detach()
    with pytest.raises(UnknownSession):
        ws.sessions.attach("nobody")
    assert ws.save("nobody's").checkpoint.record.position.session == b""


def test_a_damaged_conversation_leaves_the_rest_of_the_page(ws: Workspace, store: Path) -> None:
    session = ws.sessions.open()
    session.say("x" * 100)
    ws.save("one")
    with ws.reading_context() as context:
        lost = ObjectId(bytes([7]) * 32)
        context.store.sessions.moved(bytes.fromhex(session.id), lost, 103)
    page = ws.sessions.show()

    assert page.said == ()
    assert page.checkpoint_count == 1


class Objects(dict[ObjectId, bytes]):
    """Objects in memory, counting how often one is read."""

    reads = 0

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self[identifier] = content
        return identifier

    def read(self, identifier: ObjectId) -> bytes:
        self.reads += 1
        return self[identifier]


def test_the_end_of_a_long_conversation_is_read_from_its_end() -> None:
    objects = Objects()
    conversation = None
    for number in range(3000):
        line = b'"%d"' % number
        conversation = extend(conversation, [line], objects.read, objects.put).conversation
    objects.reads = 0

    assert last_lines(conversation, objects.read, 3) == [b'"2997"', b'"2998"', b'"2999"']
    assert objects.reads < 20


def test_a_line_that_is_too_long_to_look_at_is_left_out() -> None:
    objects = Objects()
    huge = b'"' + b"x" * (6 << 20) + b'"'
    conversation = extend(
        None, [b'"first"', huge, b'"last"'], objects.read, objects.put
    ).conversation

    assert last_lines(conversation, objects.read, 3) == [b'"last"']


def test_a_group_that_holds_itself_is_refused() -> None:
    objects = Objects()
    inner = objects.put(ObjectType.CONVERSATION, b"")
    objects[inner] = encode_parts([ConversationPart(1, 5, inner)])

    with pytest.raises(ValueError, match="holds itself"):
        last_lines(inner, objects.read, 1)
