"""What the answers of a server are worth in the end."""

from __future__ import annotations

import pytest

from clew.model.verdict import RunEnd
from clew.worktree.server_probe import ProbeLog

URL = "http://127.0.0.1:8000/"


@pytest.mark.parametrize(
    ("given", "how", "code", "verdict"),
    [
        ([], RunEnd.TIMEOUT, 143, (RunEnd.TIMEOUT, None)),
        (["Connection refused"], RunEnd.TIMEOUT, 143, (RunEnd.TIMEOUT, None)),
        (["503"], RunEnd.TIMEOUT, 143, (RunEnd.EXITED, 1)),
        (["503", "Connection refused"], RunEnd.TIMEOUT, 143, (RunEnd.EXITED, 1)),
        (["302"], RunEnd.TIMEOUT, 143, (RunEnd.EXITED, 1)),
        (["503"], RunEnd.INTERRUPTED, 143, (RunEnd.INTERRUPTED, None)),
        (["503"], RunEnd.EXITED, 7, (RunEnd.EXITED, 7)),
        (["503"], RunEnd.EXITED, 0, (RunEnd.EXITED, 1)),
        (["503", "204"], "called", 143, (RunEnd.EXITED, 0)),
        (["299"], RunEnd.EXITED, 9, (RunEnd.EXITED, 0)),
    ],
)
def test_the_last_status_decides(
    given: list[str], how: str, code: int, verdict: tuple[str, int | None]
) -> None:
    answers = ProbeLog(URL)
    for answer in given:
        answers.record(answer)

    assert answers.verdict(how, code) == verdict


def test_each_answer_is_told_once_and_trouble_in_the_end() -> None:
    answers = ProbeLog(URL)
    told = [answers.record(answer) for answer in ("refused", "503", "503", "500", "503")]

    assert told == [b"", f"GET {URL} → 503\n".encode(), b"", f"GET {URL} → 500\n".encode(), b""]
    assert answers.error_line() == b""


def test_who_never_answered_is_told_in_the_end() -> None:
    answers = ProbeLog(URL)
    answers.record("Connection refused")

    assert answers.error_line() == f"GET {URL} → Connection refused\n".encode()
    assert ProbeLog(URL).error_line() == b""
