"""Redaction of names: a token in the name of a file, a table or a branch."""

from __future__ import annotations

import random
import re
import time

import pytest

from clew.policy.redaction.name_filter import may_hold_token
from clew.policy.redaction.redact import redact_name
from tests.policy.redaction.labelled import Template, templates

TOKENS = [
    kind.only_secret()
    for kind in templates("kinds.txt", "kinds_held_out.txt", "kinds_third.txt")
    if kind.path == "notes.md" and kind.only_secret().is_name
]
WHOLE_WORDS = ("twitter-bearer", "resend")
"""Tokens whose prefix is too short to be searched for in the middle of a word."""


def made(kind: Template, seed: int) -> str:
    return kind.expanded(random.Random(f"{seed} {kind.name}"), lambda _: None)


def test_there_are_enough_tokens_to_tell() -> None:
    assert len(TOKENS) >= 70


@pytest.mark.parametrize("kind", TOKENS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("place", ["dumps/{}.json", "k_{}", "fix-{}", "{}", "a/{}/b", "{}_backup"])
def test_a_token_goes_from_a_name(kind: Template, place: str) -> None:
    if kind.name in WHOLE_WORDS and not place.startswith(("dumps", "a/", "{")):
        pytest.skip("recognized only where a word begins")
    if place == "{}_backup" and kind.name in ("twitter-bearer", "octopus"):
        pytest.skip("what follows is not part of it")
    for seed in range(10):
        token = made(kind, seed)
        assert token not in redact_name(place.format(token))


@pytest.mark.parametrize(
    "name",
    [
        "src/sk-learn/task-12345678901234567890123.py",
        "node_modules/.cache/babel-loader/3f2c1a9b8d7e6f504132a1b2c3d4e5f60718293a.json",
        ".git/objects/3f/2c1a9b8d7e6f504132a1b2c3d4e5f60718293a",
        "var/lib/docker/overlay2/3f2c1a9b8d7e6f504132a1b2c3d4e5f60718293a0011223344556677/diff",
        "nix/store/3f2c1a9b8d7e6f504132a1b2c3d4e5f6-hello-2.12.1",
        "yarn/cache/@babel-core-npm-7.23.2-7b3d5a1f9e-10c0.zip",
        "AbstractSingletonProxyFactoryBeanV2ConfigurationTest3.java",
        "usr/share/doc/libgdk-pixbuf2.0-0/changelog.Debian.gz",
        "secret_santa_2024_participants_and_their_addresses.csv",
        "test_api_key_is_redacted_when_it_is_12_characters_long.py",
        "app-1.0.0-SNAPSHOT-20240611.123456-1.jar",
        "screenshot 2024-06-11 at 12.34.56.png",
        "IMG_20240611_123456_BURST001_COVER.jpg",
        "b3a1c5d7-1234-4abc-9def-0123456789ab.tmp",
    ],
)
def test_a_name_with_digits_in_it_stays(name: str) -> None:
    assert redact_name(name) == name


def test_a_password_in_an_address_goes_from_a_name() -> None:
    assert redact_name("https://anna:Hafen331@git.example/x") == (
        "https://anna:[redacted]@git.example/x"
    )


def test_the_filter_lets_no_token_pass_that_the_rules_would_find() -> None:
    for kind in TOKENS:
        passed = sum(not may_hold_token(f"x/{made(kind, seed)}") for seed in range(200))
        assert passed <= 2, kind.name


def test_a_long_listing_takes_little_time() -> None:
    paths = [f"src/package_{n % 97}/module_{n}/handlers_and_views.py" for n in range(100_000)]
    started = time.process_time()
    assert not any(re.search("redacted", redact_name(path)) for path in paths)

    assert time.process_time() - started < 3  # under 0.5 on an idle machine
