"""A checkpoint with exclude rules that this version does not know is not restored by guessing."""

from __future__ import annotations

import pytest

from clew.errors import StoreTooNew
from clew.model import bencode
from clew.model.ids import ObjectType
from clew.model.small_objects import Rules
from clew.operations.recorded_rules import recorded_rules
from clew.workspace import Workspace


def test_the_rules_of_a_checkpoint(ws: Workspace) -> None:
    ws.settings.set("exclude", "build")
    ws.settings.set("exclude-larger-than", "5MB")
    record = ws.save("first").checkpoint.record
    ws.settings.set("exclude", "")

    found = recorded_rules(ws._access.context.store, record)

    assert found == Rules((b"build",), machine=False, larger_than=5_000_000)


def test_rules_of_a_newer_clew_are_refused(ws: Workspace) -> None:
    store, record = ws._access.context.store, ws.save("first").checkpoint.record
    fields = bencode.decode_dict(Rules().encode())
    with store.writing() as writer:
        newer = writer.put(ObjectType.RULES, bencode.encode({**fields, b"older_than": 7}))
        writer.finish()
        store.commit_objects(writer)

    with pytest.raises(StoreTooNew, match="unknown exclude rules"):
        recorded_rules(store, record._replace(rules=newer))
