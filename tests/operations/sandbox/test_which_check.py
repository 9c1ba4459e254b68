"""Which check a save runs: a command, an address, or the workspace's own; and what is none."""

from __future__ import annotations

import socket

import pytest

from clew.errors import BadOption, NoCheckConfigured
from clew.workspace import Workspace
from tests.kit.answering import answering, saying
from tests.operations.moments import checked


@pytest.mark.parametrize(
    ("status", "expected"),
    [(b"200 OK", "passing"), (b"302 Found", "failing"), (b"503 Busy", "failing")],
)
def test_an_address_passes_if_it_answers_well(ws: Workspace, status: bytes, expected: str) -> None:
    with answering(saying(b"HTTP/1.1 " + status + b"\r\n\r\nhow it is")) as address:
        found = checked(ws, address)

    assert (found.status, found.command) == (expected, address)
    assert found.output == f"GET {address} → {int(status[:3])}\nhow it is"


def test_an_address_where_nobody_answers_fails(ws: Workspace) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # taken, so that nobody else can answer there
        found = checked(ws, f"http://127.0.0.1:{silent.getsockname()[1]}/")

    assert (found.status, found.exit_code) == ("failing", 1)
    assert "→ no answer\n" in found.output


def test_an_address_that_takes_too_long_is_unknown(ws: Workspace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        found = ws.save(verify=address, timeout="0.2s").verdict

    assert found is not None
    assert (found.status, found.end_reason) == ("unknown", "timeout")


def test_the_workspaces_own_check_is_run_where_asked_for(ws: Workspace) -> None:
    ws.settings.set("verify", "exit 7")

    assert ws.save().verdict is None
    found = ws.save(check=True).verdict
    assert found is not None
    assert (found.command, found.exit_code) == ("exit 7", 7)


def test_without_a_check_of_its_own_nothing_is_captured(ws: Workspace) -> None:
    with pytest.raises(NoCheckConfigured):
        ws.save(check=True)

    assert ws.log().checkpoints == ()


@pytest.mark.parametrize(
    "options",
    [
        {"verify": ""},
        {"verify": " \n"},
        {"verify": "a\0b"},
        {"verify": "http://nobody:99999/"},
        {"verify": "true", "check": True},
        {"verify": "true", "timeout": "soon"},
        {"verify": "true", "timeout": "0s"},
        {"verify": "true", "timeout": -1},
        {"verify": "true", "timeout": float("nan")},
        {"timeout": 5},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_before_anything_is_captured(
    ws: Workspace, options: dict[str, object]
) -> None:
    with pytest.raises(BadOption):
        ws.save(**options)  # type: ignore[arg-type]

    assert ws.log().checkpoints == ()
