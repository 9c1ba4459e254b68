"""Redaction of files: possible secrets are hidden in patches, prose remains readable."""

from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.policy.redaction.conceal import conceal
from clew.policy.redaction.redact import MARK

CANARY = "hunter2canary"


def shown(path: str, *lines: str) -> str:
    """Return the redacted lines of a file, always as many as the file has."""
    found = conceal(path, lines)
    assert len(found) == len(lines)
    assert not any("\n" in line for line in found)
    return "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        f"API_KEY={CANARY}",
        f"HARMLESS={CANARY}",
        f"export A='{CANARY}'",
        f"  A = {CANARY}",
        f"A: {CANARY}",
        f"#OLD={CANARY}",
        f"# OLD={CANARY}",
        f"A=a={CANARY}",
        CANARY,
        f'{CANARY}"',
    ],
)
@pytest.mark.parametrize("path", [".env", "web/.env.local", "prod.env", ".envrc", "environment"])
def test_an_environment_file_shows_names_only(path: str, line: str) -> None:
    assert CANARY not in shown(path, "FIRST=1", line, "LAST=1")


def test_names_and_comments_of_an_environment_file_stay() -> None:
    assert shown(".env", "# the database", "", "DB_HOST=x", "export PORT=1") == (
        f"# the database\n\nDB_HOST={MARK}\nexport PORT={MARK}"
    )


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".npmrc", f"//registry.npmjs.org/:_authToken={CANARY}"),
        (".netrc", f"machine example.org login me password {CANARY}"),
        (".pgpass", f"localhost:5432:db:me:{CANARY}"),
        (".htpasswd", f"me:$apr1$salt${CANARY}"),
        (".pypirc", f"password = {CANARY}"),
        (".aws/credentials", f"aws_secret_access_key = {CANARY}"),
        (".git-credentials", f"https://me:{CANARY}@example.org"),
        ("prod.tfvars", f'region = "{CANARY}"'),
        ("config/secrets.yml", f"value: {CANARY}"),
        ("client_secret.json", f'{{"x":"{CANARY}"}}'),
    ],
)
def test_a_file_of_credentials_shows_names_only(path: str, line: str) -> None:
    assert CANARY not in shown(path, line)


@pytest.mark.parametrize(
    "path",
    [
        ".ssh/id_rsa", "id_ed25519", "id_rsa_work", "id_rsa.bak", "tls/server.key", "cert.pem",
        "etc/shadow", "etc/shadow-", "vault.kdbx",
    ],
)  # fmt: skip
def test_nothing_of_a_key_file_is_shown(path: str) -> None:
    assert shown(path, "-----BEGIN", CANARY, "") == f"{MARK}\n{MARK}\n{MARK}"


@pytest.mark.parametrize("path", ["id_rsa_helper.py", "shadowing.py", "id_rsa.pub", "secrets.py"])
def test_a_name_that_only_sounds_like_a_key_is_shown(path: str) -> None:
    assert shown(path, "def find(): pass") == "def find(): pass"


@pytest.mark.parametrize(
    "path", [".bash_history", "home/me/.zsh_history", ".python_history", "fish_history"]
)
@pytest.mark.parametrize("line", [f"mysql -p{CANARY}", f"curl -u me:{CANARY} x", CANARY])
def test_nothing_of_what_somebody_typed_is_shown(path: str, line: str) -> None:
    assert CANARY not in shown(path, line)


@pytest.mark.parametrize(
    "lines",
    [
        [f'  "password": "{CANARY}",'],
        [f'{{"api_key":"{CANARY}","x":1}}'],
        [f'  "tokens": ["{CANARY}"],'],
        ['  "tokens": [', f'    "{CANARY}"', "  ]"],
        [f'  "smtp_pass": "{CANARY} {CANARY}",'],
        [f'  "auth": "{CANARY}"'],
        [f'  "url": "amqp://me:{CANARY}@host/"'],
    ],
)
def test_secrets_in_json_vanish(lines: list[str]) -> None:
    text = shown("config.json", "{", '  "port": 8000,', *lines, '  "name": "web"', "}")

    assert CANARY not in text
    assert '"port": 8000,' in text
    assert '"name": "web"' in text


@pytest.mark.parametrize(
    "lines",
    [
        [f"password: {CANARY}"],
        [f"dbPassword: '{CANARY}'"],
        [f"- token: {CANARY}"],
        [f"DB_PASS: {CANARY} {CANARY}"],
        ["secret_key: |", f"  {CANARY}", "", f"  {CANARY}"],
        ["passphrase: >-", f"  some {CANARY}"],
        ["tokens:", f"- {CANARY}", f"- {CANARY}"],
        ["tokens:", f"  first: {CANARY}"],
    ],
)
def test_secrets_in_yaml_vanish(lines: list[str]) -> None:
    text = shown("values.yaml", "port: 8000", *lines, "name: web", "replicas: 2")

    assert CANARY not in text
    assert text.startswith("port: 8000\n")
    assert text.endswith("\nname: web\nreplicas: 2")


def test_a_secret_between_tags_vanishes() -> None:
    assert shown("settings.xml", f"<password>{CANARY}</password><id>central</id>") == (
        f"<password>{MARK}</password><id>central</id>"
    )


@pytest.mark.parametrize(
    "line",
    [
        f"DATABASE_URL = 'postgres://me:{CANARY}@db/x'",
        f"url = 'https://{CANARY}longenough@host/'",
        f"client.login(password='{CANARY}')",
        f"headers = {{'Authorization': 'Bearer {CANARY}{CANARY}'}}",
    ],
)
def test_secrets_in_source_vanish(line: str) -> None:
    assert CANARY not in shown("settings.py", line)


@pytest.mark.parametrize("path", ["notes.md", "deploy.py", "values.yaml"])
def test_a_private_key_vanishes_over_all_its_lines(path: str) -> None:
    text = shown(
        path,
        "before",
        "  key = -----BEGIN OPENSSH PRIVATE KEY-----",
        f"  {CANARY}",
        "",
        f"  {CANARY}==",
        "  -----END OPENSSH PRIVATE KEY-----",
        "after",
    )

    assert CANARY not in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter")


def test_a_key_whose_end_is_missing_hides_the_rest() -> None:
    assert CANARY not in shown("notes.md", "-----BEGIN RSA PRIVATE KEY-----", "a", CANARY)


@pytest.mark.parametrize(
    ("letters", "length"),
    [
        (string.hexdigits[:16], 32),
        (string.hexdigits[:16], 40),
        (string.ascii_lowercase + string.digits, 32),
        (string.ascii_letters + string.digits, 32),
        (string.ascii_letters + string.digits + "+/", 40),
        (string.ascii_letters + string.digits + "-_", 43),
    ],
)
def test_noise_without_a_name_vanishes_nearly_always(letters: str, length: int) -> None:
    rng = random.Random(letters + str(length))
    tokens = ["".join(rng.choices(letters, k=length)) for _ in range(500)]
    missed = [token for token in tokens if token in shown("main.go", f'send("{token}")')]

    assert len(missed) < 15


@pytest.mark.parametrize(
    "line",
    [
        "def test_a_version_1_catalogue_gains_the_stories_table(self) -> None:",
        "class AbstractSingletonProxyFactoryBeanConfigurationProviderV2Impl:",
        "MAXIMUM_NUMBER_OF_CONCURRENT_CONNECTIONS_PER_HOST_V2 = 3",
        "from company.really.long.module_name_with_2_numbers import thing",
        "open('/usr/lib/python3/dist-packages/some/very/long/path1/File.py')",
        "see https://github.com/owner/repo/blob/main/src/clew/Model/Conceal2.py",
        "a perfectly ordinary sentence, with 3 numbers and 1,000,000 others",
        "----------------------------------------------------------------",
        "max_tokens=100, password=None, tokens.py:12",
        "image: nginx@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        '"integrity": "sha512-abcDEF123abcDEF123abcDEF123abcDEF123abcDEF123abcDEF123+/=="',
        "uses: actions/checkout@3f2c1a9b8d7e6f504132a1b2c3d4e5f60718293a",
    ],
)
@pytest.mark.parametrize("path", ["main.py", "ci.yml"])
def test_what_people_write_stays_readable(path: str, line: str) -> None:
    assert shown(path, line) == line


def test_an_id_that_says_nothing_of_itself_may_be_a_token_and_goes() -> None:
    """Forty hexadecimal digits are a commit or a key; only the text before them tells which."""
    assert shown("main.py", "KNOWN = '3f2c1a9b8d7e6f504132a1b2c3d4e5f60718293a'") == (
        f"KNOWN = '{MARK}'"
    )


_LINES = st.lists(st.text(st.characters(exclude_characters="\n"), max_size=60), max_size=8)
_PATHS = st.sampled_from([".env", "a.py", "a.json", "a.yaml", "id_rsa", ".bash_history", ""])


@given(path=_PATHS, lines=_LINES)
def test_there_are_always_as_many_lines(path: str, lines: list[str]) -> None:
    shown(path, *lines)


@pytest.mark.parametrize("path", ["a.py", ".env", "a.yaml"])
@pytest.mark.parametrize(
    "piece", ["a1B2", "password:", "<password>", "auth=", "sha256:", "a" * 19 + " ", "- ", '"', "@"]
)
def test_a_long_line_takes_no_more_than_its_share(path: str, piece: str) -> None:
    def seconds(length: int) -> float:
        line = (piece * length)[:length]
        started = time.process_time()
        shown(path, line)
        return time.process_time() - started

    assert seconds(200_000) < 40 * max(seconds(20_000), 0.002)
