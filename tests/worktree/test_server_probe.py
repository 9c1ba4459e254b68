"""What the answers of a server are worth in the end."""

from __future__ import annotations

import pytest

from clew.model.verdict import Ended
from clew.worktree.server_probe import Answers

URL = "http://127.0.0.1:8000/"


@pytest.mark.parametrize(
    ("given", "how", "code", "verdict"),
    [
        ([], Ended.TIMEOUT, 143, (Ended.TIMEOUT, None)),
        (["Connection refused"], Ended.TIMEOUT, 143, (Ended.TIMEOUT, None)),
        (["503"], Ended.TIMEOUT, 143, (Ended.EXITED, 1)),
        (["503", "Connection refused"], Ended.TIMEOUT, 143, (Ended.EXITED, 1)),
        (["302"], Ended.TIMEOUT, 143, (Ended.EXITED, 1)),
        (["503"], Ended.INTERRUPTED, 143, (Ended.INTERRUPTED, None)),
        (["503"], Ended.EXITED, 7, (Ended.EXITED, 7)),
        (["503"], Ended.EXITED, 0, (Ended.EXITED, 1)),
        (["503", "204"], "called", 143, (Ended.EXITED, 0)),
        (["299"], Ended.EXITED, 9, (Ended.EXITED, 0)),
    ],
)
def test_the_last_status_decides(
    given: list[str], how: str, code: int, verdict: tuple[str, int | None]
) -> None:
    answers = Answers(URL)
    for answer in given:
        answers.note(answer)

    assert answers.verdict(how, code) == verdict


def test_each_answer_is_told_once_and_trouble_in_the_end() -> None:
    answers = Answers(URL)
    told = [answers.note(answer) for answer in ("refused", "503", "503", "500", "503")]

    assert told == [b"", f"GET {URL} → 503\n".encode(), b"", f"GET {URL} → 500\n".encode(), b""]
    assert answers.last_word() == b""


def test_who_never_answered_is_told_in_the_end() -> None:
    answers = Answers(URL)
    answers.note("Connection refused")

    assert answers.last_word() == f"GET {URL} → Connection refused\n".encode()
    assert Answers(URL).last_word() == b""
