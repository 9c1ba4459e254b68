"""Which values of settings may be shown: never one that could be a secret."""

from __future__ import annotations

import secrets
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.files.shown_values import (
    holds_secrets,
    is_secret_path,
    shown_text,
    shown_value,
)
from clew.detectors.formats.values import Hidden, Plain, Shown


@pytest.mark.parametrize(
    "value",
    [
        "25", "-1", "0.5", "1e-3", "0644", "0x1F", "3_600", "true", "off", "error", "create-drop",
        "info", "DEBUG", "ES2022", "TLSv1.2", "v1.2.3", "1.2.3-rc1", "^4.17.21", "~> 5.0".replace(" ", ""),
        ">=4.2,<5", "512Mi", "30s", "10GB", "t3.small", "eu-west-1", "ubuntu-24.04", "python3.12",
        "utf-8", "0.0.0.0/0", "10.0.0.0/8", "127.0.0.1:5432", "db.internal", "postgres:16",
        "/var/lib/app", "./src/index.ts", "src/**/*.py", "@types/node", "workspace:*", "en_GB",
        "commonjs", "application/json", "https://example.org", "https://example.org/api/v1",
        "redis://cache:6379/0", "compressionLevel", "es256", "node20", "*/5 * * * *", "0 2 * * 1-5", "~> 5.0", ">= 1.5, < 2",
    ],
)  # fmt: skip
def test_an_option_is_shown(value: str) -> None:
    assert shown_text(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "hunter2", "canary-7f3a1", "correct horse", "s3cr3t", "Passw0rd!", "ghp_16C7e42F292c6912E7710c838347Ae",
        "AKIAIOSFODNN7EXAMPLE", "d41d8cd98f00b204e9800998ecf8427e", "eyJhbGciOiJIUzI1NiJ9.e30.abc", "me@example.org",
        "4111111111111111", "XkCdPqWmTnRsVbZy", "kdjfhgksjdhfgkjs", "a" * 41, "two words", "line\nbreak",
        "postgres://u:p@db/x", "https://u@example.org", "https://example.org/?key=abc", "$2b$12$abcdefgh",
        "-----BEGIN KEY-----", "xoxb-123456789-abc", "sk_live_abc123def456", "k3j9x2m4", "KEY=value", "user=alice",
    ],
)  # fmt: skip
def test_what_may_be_a_secret_is_not_shown(value: str) -> None:
    assert shown_text(value) is None


def test_of_an_address_with_a_key_only_the_host_is_shown() -> None:
    hook = "https://hooks.example.org/services/T00000000/B00000000/x9Kq2LmPz8"

    assert shown_text(hook) == "https://hooks.example.org/…"


@pytest.mark.parametrize(
    "path",
    [
        ("password",), ("db", "password"), ("dbPassword",), ("API_KEY",), ("auth", "token"), ("secrets", "db"),
        ("credentials", "user", "name"), ("spring.datasource.password",), ("aws_secret_access_key",), ("pin",),
        ("private",), ("cookie",), ("session", "salt"), ("dsn",), ("webhook",), ("passphrase",), ("tokens", "ci"),
        ("client_secret",), ("signing-key",), ("jwt",), ("basic_auth",), ("ssh", "key"), ("pgpass",),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [Plain("swordfish"), "open", Plain("1234"), ""])
def test_a_value_behind_a_secret_name_is_not_shown(path: tuple[str, ...], value: str) -> None:
    assert shown_value(path, value) is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("max_tokens",), "2000"), (("token_ttl",), "3600"), (("auth", "timeout"), "30"),
        (("password_min_length",), "12"), (("session", "timeout"), "60"), (("keyboard",), "de"),
    ],
)  # fmt: skip
def test_a_number_about_a_secret_is_shown(path: tuple[str, ...], value: str) -> None:
    assert shown_value(path, Plain(value)) == value


def test_booleans_and_null_are_shown_everywhere() -> None:
    assert shown_value(("password",), False) == "false"
    assert shown_value(("password",), None) == "null"


def test_a_reader_may_decide_for_itself() -> None:
    assert shown_value(("key",), Shown("nginx:1.27")) == "nginx:1.27"
    assert shown_value(("level",), Hidden("info")) is None


@pytest.mark.parametrize(
    "path", ["config/secrets.yml", "credentials.json", "app-secrets/db.toml", "vault.yaml", "ApiKeys.ini".replace("K", "_k")]
)  # fmt: skip
def test_files_of_secrets_show_nothing(path: str) -> None:
    assert holds_secrets(path)
    assert not holds_secrets("config/settings.yml")


@given(st.integers(16, 40))
def test_random_tokens_are_never_shown(length: int) -> None:
    for alphabet in (
        string.ascii_letters + string.digits,
        string.hexdigits.lower(),
        string.ascii_letters + string.digits + string.punctuation,
    ):
        token = "".join(secrets.choice(alphabet) for _ in range(length))
        if any(map(str.isdigit, token)) and any(map(str.isalpha, token)):
            shown = shown_text(token)

            assert shown is None


def test_a_long_path_of_names_is_searched_for_secrets() -> None:
    assert is_secret_path(("a", "secrets", "b", "c"))
    assert not is_secret_path(("a", "b", "c", "level"))
