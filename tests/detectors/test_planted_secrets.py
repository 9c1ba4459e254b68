from __future__ import annotations

import time

import pytest

from clew.detectors.security.planted_secrets import PlantedSecrets
from tests.kit.moments import Moment, evidence, facts, findings, story

# synthetic, in the right format; joined here so that no scanner reports this file as a leak
GITHUB = b"gh" + b"p_" + b"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
RANDOM = b"q8Zt3Lw9Xc5Vb1Nm7Kj4Hg6Fd2Sa0P"
GIT: dict[str, bytes] = {
    ".git/HEAD": b"ref: refs/heads/main\n",
    ".git/objects/x": b"",
    ".git/refs/x": b"",
}


def _said(old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (fact.subject, fact.severity, fact.marks)
        for fact in facts(PlantedSecrets(), {**GIT, **old}, {**GIT, **new})
    ]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (b"x = '" + GITHUB + b"'\n", "a token (github)"),
        (b"key: AKIA" + b"Q3ZJ4K5L6M7N8O9P\n", "a token (aws)"),
        (b"STRIPE_SECRET=" + RANDOM + b"\n", "STRIPE_SECRET"),
        (b'{"apiKey": "' + RANDOM + b'"}', "apiKey"),
        (b"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", "a private key"),
    ],
)
def test_a_secret_that_git_would_take_along_is_a_note_with_its_name(text: bytes, mark: str) -> None:
    assert _said({"a.py": b"x\n"}, {"a.py": b"x\n" + text}) == [("a.py", "note", (mark,))]
    result = repr(story([PlantedSecrets()], GIT, {**GIT, "a.py": text}))
    assert GITHUB.decode() not in result
    assert RANDOM.decode() not in result


def test_what_git_ignores_or_does_not_know_is_nobodys_business() -> None:
    text = b"TOKEN=" + RANDOM

    assert _said({".gitignore": b".env\n"}, {".gitignore": b".env\n", ".env": text}) == []
    assert facts(PlantedSecrets(), {}, {"a.py": text}) == []
    assert _said({}, {"node_modules/x/a.py": text}) == []
    assert _said({}, {".env": text})[0][:2] == (".env", "note")


def test_a_secret_that_was_there_already_is_not_told_again() -> None:
    text = b"TOKEN=" + RANDOM + b"\n"

    assert _said({"a.py": text}, {"a.py": b"# moved\n" + text}) == []


def test_what_only_looks_like_a_secret_says_nothing() -> None:
    for text in (
        b"token = get_token_from_environment_variable()\n",
        b"max_tokens: 100000\n",
        b"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
        b"API_KEY=your-api-key-goes-here-1234567\n",
        b"password: ${DATABASE_PASSWORD_FROM_VAULT_01}\n",
        b"secretName: my-application-database-credentials\n",
        b"from sk-learn import x\n",
    ):
        assert _said({}, {"a.py": text}) == []


def test_the_file_is_not_claimed() -> None:
    (finding,) = findings(PlantedSecrets(), evidence(GIT, {**GIT, "a.py": b"TOKEN=" + RANDOM}))

    assert finding.claims == ()


def test_a_clone_brings_no_notes() -> None:
    clone: Moment = {**GIT, ".git/packed-refs": b"", "a.py": b"TOKEN=" + RANDOM}

    assert facts(PlantedSecrets(), {}, clone) == []


def test_hostile_files_take_little_time() -> None:
    hostile = (
        b"secret" * 40_000,
        b"token=" * 40_000,
        b"sk-" * 80_000,
        b"a_secret_" * 28_000,
        b"api_" * 60_000,
    )
    new: Moment = {f"f{n}.txt": text for n, text in enumerate(hostile)}
    started = time.perf_counter()

    _said({}, new)

    assert time.perf_counter() - started < 10  # a quadratic search takes minutes


def test_a_key_among_test_data_protects_nothing() -> None:
    key = b"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"

    assert _said({}, {"tests/fixtures/server.key": key}) == []
    assert _said({}, {"tests/fixtures/token.txt": b"x = '" + GITHUB + b"'\n"})[0][1] == "note"
