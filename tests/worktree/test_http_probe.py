"""A URL is requested once, and every outcome is an answer."""

from __future__ import annotations

import socket
import threading

import pytest

from clew.worktree.http_probe import (
    BODY_READ,
    TIMED_OUT,
    HttpAnswer,
    ask,
    is_address,
    require_address,
)
from tests.kit.answering import PATIENCE, answering, saying


@pytest.mark.parametrize(
    ("status", "is_well"), [(200, True), (204, True), (299, True), (404, False), (503, False)]
)
def test_the_status_says_whether_it_is_well(status: int, is_well: bool) -> None:
    with answering(saying(b"HTTP/1.1 %d Whatever\r\n\r\n" % status)) as address:
        answer = ask(address, PATIENCE)

    assert (answer.status, answer.is_well) == (status, is_well)


def test_the_body_comes_with_it() -> None:
    with answering(saying(b"HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nalas\xff")) as address:
        answer = ask(address, PATIENCE)

    assert answer == HttpAnswer(500, "alas\ufffd")


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    with answering(saying(b"HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n")) as address:
        answer = ask(address, PATIENCE)

    assert (answer.status, answer.is_well) == (302, False)


def test_only_the_beginning_of_a_long_body_is_read() -> None:
    with answering(saying(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (1 << 20))) as address:
        answer = ask(address, PATIENCE)

    assert answer == HttpAnswer(200, "x" * BODY_READ)


def test_a_body_that_never_ends_does_not_hide_the_status() -> None:
    hung_up = threading.Event()

    def trickle(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nticking")
        hung_up.wait(PATIENCE)

    with answering(trickle) as address:
        answer = ask(address, PATIENCE, body_patience=0.2)
        hung_up.set()

    assert answer == HttpAnswer(200, "ticking")


def test_headers_that_drip_are_not_waited_for_longer_than_was_said() -> None:
    hung_up = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not hung_up.wait(0.05):
            connection.sendall(b"X: y\r\n")

    with answering(drip) as address:
        answer = ask(address, 0.5)
        hung_up.set()

    assert answer == HttpAnswer(None, TIMED_OUT)


def test_a_server_that_says_nothing_gives_no_status() -> None:
    hung_up = threading.Event()
    with answering(lambda _: (hung_up.wait(PATIENCE), None)[1]) as address:
        answer = ask(address, 0.3)
        hung_up.set()

    assert answer == HttpAnswer(None, TIMED_OUT)


def test_nobody_there_is_an_answer() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # bound, so that no other process can answer there
        status, text = ask(f"http://127.0.0.1:{silent.getsockname()[1]}/", PATIENCE)

    assert status is None
    assert "refused" in text


def test_what_is_no_http_is_an_answer() -> None:
    with answering(saying(b"SSH-2.0-OpenSSH_9.6\r\n")) as address:
        answer = ask(address, PATIENCE)

    assert answer.status is None
    assert "SSH-2.0" in answer.text


@pytest.mark.parametrize(
    "text", ["http://localhost:3000/health", "https://[::1]/", "http://host?x=1"]
)
def test_an_address_is_known_for_one(text: str) -> None:
    assert is_address(text)
    require_address(text)


@pytest.mark.parametrize(
    "text", ["curl http://localhost", "http://a b", "ftp://host/", "npm test", "", "HTTP"]
)
def test_a_command_is_no_address(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    "text",
    ["http://", "http://:80/", "http://h:0/", "http://h:99999/", "http://h:x/", "http://u:p@h/"],
)
def test_an_address_that_cannot_be_asked_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"URL|[Pp]ort"):
        require_address(text)

    assert ask(text, PATIENCE).status is None
