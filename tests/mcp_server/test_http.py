"""HTTP on loopback: nobody without the token, and nobody by another name."""

from __future__ import annotations

from contextlib import ExitStack

import httpx2
import pytest
from mcp import Client
from mcp.types import CallToolResult

from tests.kit.running import Clew
from tests.mcp_server.talking import MODES, TOKEN, VERSIONS, Person, http_server, ok, talk_http


@pytest.fixture
def edited(clew: Clew) -> Clew:
    (clew.workspace / "file").write_text("one")
    clew.save("first")
    (clew.workspace / "file").write_text("two")
    return clew


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("action", "left"), [("accept", "one"), ("decline", "two")])
def test_tools_and_questions_work_over_http(
    edited: Clew, mode: str, action: str, left: str
) -> None:
    async def body(client: Client) -> tuple[str, CallToolResult, CallToolResult]:
        log = await client.call_tool("log", {})
        return client.protocol_version, log, await client.call_tool("restore", {"ref": "@"})

    person = Person(action)
    with http_server(edited) as served:
        version, log, restored = talk_http(served, body, mode=mode, person=person)

    assert version == VERSIONS[mode]
    assert len(ok(log)["checkpoints"]) == 1
    assert bool(restored.is_error) == (action == "decline")
    assert len(person.asked) == 1
    assert (edited.workspace / "file").read_text() == left


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": TOKEN},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer \u00e9\u00e9".encode("latin-1").decode("latin-1")},
    ],
    ids=str,
)
def test_nobody_comes_in_without_the_token(edited: Clew, headers: dict[str, str]) -> None:
    with http_server(edited) as served:
        for path in ("", "/nowhere"):
            for method in ("GET", "POST", "DELETE"):
                raw = [(key.encode(), value.encode("latin-1")) for key, value in headers.items()]
                answer = httpx2.request(
                    method, served.address + path, headers=raw, trust_env=False, timeout=60
                )

                assert answer.status_code == 401
                assert answer.headers["www-authenticate"] == "Bearer"
                assert answer.content == b""


def test_another_name_or_origin_is_refused(edited: Clew) -> None:
    """A page in a browser can make a name of its own point at loopback."""
    sent = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream"}  # fmt: skip
    with http_server(edited) as served:
        for extra, expected in (
            ({"Host": "evil.example"}, 421),
            ({"Host": "evil.example:80"}, 421),
            ({"Origin": "http://evil.example"}, 403),
        ):
            answer = httpx2.post(
                served.address,
                headers={**sent, **extra},
                content=b"{}",
                trust_env=False,
                timeout=60,
            )

            assert answer.status_code == expected


def test_a_token_of_its_own_is_printed_once_and_is_the_key(edited: Clew) -> None:
    with http_server(edited, token=None) as served:
        address, token = served.said.splitlines()
        found = talk_http(
            served, lambda client: client.list_tools(), token=token.removeprefix("Token: ")
        )

    assert address.startswith("Listening on http://127.0.0.1:")
    assert len(token.removeprefix("Token: ")) >= 32
    assert found.tools


def test_a_token_that_is_given_is_not_printed(edited: Clew) -> None:
    with http_server(edited) as served:
        assert TOKEN not in served.said


def test_what_is_run_does_not_inherit_the_token(edited: Clew) -> None:
    async def body(client: Client) -> CallToolResult:
        return await client.call_tool("save_and_verify", {"command": "env", "detail": True})

    with http_server(edited) as served:
        verdict = ok(talk_http(served, body, person=Person()))["verdict"]

    assert "PATH=" in verdict["output"]
    assert "CLEW_MCP_TOKEN" not in verdict["output"]


def test_only_loopback_listens(edited: Clew) -> None:
    with http_server(edited) as served:
        assert served.address.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("token", ["short", "sixteen or more \x07 but odd", "é" * 20])
def test_a_weak_token_is_refused(edited: Clew, token: str) -> None:
    edited.extra["CLEW_MCP_TOKEN"] = token
    code, refused = edited.error("mcp", "--http")

    assert code == 2
    assert refused["message"] == "--http: requires 16 or more ASCII characters in CLEW_MCP_TOKEN"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--port", "80"), "--port: requires --http"),
        (("--http", "--port", "70000"), "--port: must be at most 65535"),
    ],
)
def test_ports_that_make_no_sense_are_refused(
    edited: Clew, words: tuple[str, ...], message: str
) -> None:
    code, refused = edited.error("mcp", *words)

    assert (code, refused["message"]) == (2, message)


def test_a_port_that_is_taken_is_said(edited: Clew) -> None:
    with http_server(edited) as served:
        port = served.address.split(":")[2].split("/")[0]
        code, refused = edited.error("mcp", "--http", "--port", port)

    assert (code, refused["kind"]) == (1, "os")


def test_two_clients_at_once_are_both_served(edited: Clew) -> None:
    with http_server(edited) as served:

        async def body(client: Client) -> CallToolResult:
            return await client.call_tool("status", {})

        answers = [talk_http(served, body, mode=mode) for mode in MODES]

    assert ok(answers[0])["changes"] == ok(answers[1])["changes"]


def test_an_open_stream_does_not_keep_it_from_stopping(edited: Clew) -> None:
    sent = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
    }
    hello = {"jsonrpc": "2.0", "method": "initialize", "id": 1, "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    with (
        httpx2.Client(headers=sent, timeout=60, trust_env=False) as client,
        ExitStack() as later,
        http_server(edited) as served,
    ):
        began = client.post(served.address, json=hello)
        session = {"mcp-session-id": began.headers["mcp-session-id"]}
        stream = later.enter_context(client.stream("GET", served.address, headers=session))

        assert stream.status_code == 200
