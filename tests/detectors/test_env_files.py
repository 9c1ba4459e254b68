from __future__ import annotations

from clew.detectors.files.env_files import EnvFiles
from tests.kit.moments import evidence, facts, findings, story

CANARY = b"canary-7f3a"


def _said(old: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str, str]]:
    return [fact.identity for fact in facts(EnvFiles(), old, new)]


def test_keys_that_came_went_and_changed_are_named() -> None:
    old = {".env": b"A=1\nB=2\nC=3\n"}
    new = {".env": b"A=1\nB=other\nexport D=4\n"}

    assert _said(old, new) == [
        ("env.changed", ".env", "B"),
        ("env.removed", ".env", "C"),
        ("env.added", ".env", "D"),
    ]


def test_a_file_that_is_gone_is_told_as_deleted() -> None:
    result = story([EnvFiles()], {".env.example": b"A=1\nB=2\n"}, {})

    assert result.headline == ".env.example deleted (−A and −B)"


def test_keys_of_a_file_that_is_lost_or_moved_are_no_news() -> None:
    found = evidence({".env": b"A=1\n"}, {})
    found.claimed.add(".env")

    assert findings(EnvFiles(), found) == []


def test_every_spelling_of_an_environment_file_is_read() -> None:
    for path in (".env", "web/.env.local", "prod.env", ".envrc", "etc/default/nginx"):
        assert _said({}, {path: b"KEY=value\n"}) == [("env.added", path, "KEY")]


def test_no_value_is_in_any_fact_or_word() -> None:
    old, new = {".env": b"A=" + CANARY + b"1"}, {".env": b"A=" + CANARY + b"2\nB='" + CANARY + b"'"}

    result = story([EnvFiles()], old, new)

    assert [fact.subject for fact in result.facts] == ["B", "A"]
    assert CANARY.decode() not in repr(result)


def test_a_file_whose_keys_are_the_same_says_nothing() -> None:
    found = evidence({".env": b"A=1\n"}, {".env": b"# a comment\nA=1\n"})

    assert findings(EnvFiles(), found) == []


def test_what_stands_in_a_value_of_many_lines_is_no_key() -> None:
    def content(body: str) -> bytes:
        return f'A=1\nKEY="-----BEGIN-----\n{body}==\nB: c\n-----END-----"\nLAST=1\n'.encode()

    old, new = {".env": content("canaryone")}, {".env": content("canarytwo")}

    assert [fact.subject for fact in facts(EnvFiles(), old, new)] == ["KEY"]
    assert {fact.subject for fact in facts(EnvFiles(), {}, new)} == {"A", "KEY", "LAST"}
