from __future__ import annotations

import pytest

from clew.model import bencode
from clew.model.database_look import DatabaseLook, LookedDatabase, LookedServer, LookedTable

LOOK = DatabaseLook(
    7,
    (
        LookedServer(
            "postgres", "data\udcff", "15.18",
            (LookedDatabase("shop", (LookedTable("orders", 5000), LookedTable("new", -1))),),
            ("postgres",),
        ),
        LookedServer("mariadb", "m", problem="it asks for a password"),
    ),
)  # fmt: skip


def test_a_look_is_read_as_it_was_written() -> None:
    assert DatabaseLook.decode(7, LOOK.encode()) == LOOK


@pytest.mark.parametrize(
    "content", [b"", b"de", b"d7:serversi1ee", bencode.encode({b"servers": [[b"x"]]}), LOOK.encode()[:-9]]
)  # fmt: skip
def test_what_is_no_look_is_an_error(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        DatabaseLook.decode(7, content)
