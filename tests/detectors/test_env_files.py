from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.detectors.files.env_files import EnvFiles, keys_of
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


_VALUES = st.one_of(
    st.text("abc123./_-", max_size=8),
    st.text("abc 1=#\n'", max_size=10).map(lambda text: f'"{text}"'),
    st.text('abc 1=#\n"', max_size=10).map(lambda text: f"'{text}'"),
)
_LINES = st.one_of(
    st.tuples(
        st.sampled_from(["", "export "]), st.text("ABCXYZ_", min_size=3, max_size=5), _VALUES
    ).map(lambda parts: f"{parts[0]}K{parts[1]}={parts[2]}"),
    st.sampled_from(["", "# NOTE=1", "   ", "#"]),
)


def test_the_keys_are_those_that_a_shell_assigns(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    names = "env -0 | tr '\\n' ' ' | tr '\\0' '\\n' | sed 's/=.*//' | grep '^K' || true"

    @settings(max_examples=60)
    @given(st.lists(_LINES, max_size=6))
    def agrees(lines: list[str]) -> None:
        file.write_text("\n".join([*lines, ""]))
        script = f"set -a; . ./.env; {names}"
        run = subprocess.run(
            ["env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", script],
            capture_output=True, text=True, check=True, cwd=tmp_path,
        )  # fmt: skip

        assert set(keys_of(file.read_bytes())) == set(run.stdout.split())

    agrees()
