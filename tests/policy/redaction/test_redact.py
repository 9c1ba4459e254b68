"""Redaction of output: secrets are removed, the useful parts of a failing test remain."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.policy.redaction.redact import LONGEST, MARK, redact, redact_words

KEY = "MIIEpAIBAAKCAQEA7bq\n+abc/def=="


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("GITHUB_TOKEN=abc123", "GITHUB_TOKEN=*"),
        ("export DB_PASSWORD=correct horse\nnext", "export DB_PASSWORD=*\nnext"),
        ("+SECRET_KEY=abc", "+SECRET_KEY=*"),
        ("run: TOKEN=abc make test", "run: TOKEN=* make test"),
        ('MY_SECRET="a b\\"c" next', 'MY_SECRET="*" next'),
        ("clientSecret: 's3cr3t',", "clientSecret: '*',"),
        ("  password: correct horse battery", "  password: *"),
        ('{"api_key": "xyz", "n": 1}', '{"api_key": "*", "n": 1}'),
        ('{\\"password\\": \\"hunter2\\", 1}', '{\\"password\\": \\"*\\", 1}'),
        ("X-Api-Key: 12345", "X-Api-Key: *"),
        ("apiKey => abc", "apiKey => *"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+ghi", "AWS_SECRET_ACCESS_KEY=*"),
        ("private_key: abc", "private_key: *"),
        ("DB_PASSWD=x y", "DB_PASSWD=*"),
        ("my-credentials = abc", "my-credentials = *"),
        ('os.environ["API_KEY"] = "k"', 'os.environ["API_KEY"] = "*"'),
        ("assert token == 'abc'", "assert token == '*'"),
        ("GET /x?token=abc&y=1", "GET /x?token=*&y=1"),
        ("url=https://x/?access_token=abc", "url=https://x/?access_token=*"),
        ("curl --token abc http://x", "curl --token * http://x"),
        ("tool --api-key=abc x", "tool --api-key=* x"),
        ("tool --db-password 'x'", "tool --db-password '*'"),
        ("Authorization: Bearer abcdef", "Authorization: Bearer *"),
        ("> authorization: Basic Zm9vOmJhcg==", "> authorization: Basic *"),
        ("Proxy-Authorization: abc def", "Proxy-Authorization: *"),
        ('"Authorization": "token abc"', '"Authorization": "token *"'),
        ("sent Bearer abcdefghijklmnop1234", "sent Bearer *"),
        ("postgres://bob:hunter2@db:5432/x", "postgres://bob:*@db:5432/x"),
        ("https://bob:p@ss@host/x", "https://bob:*@host/x"),
        ("redis://:pw@host", "redis://:*@host"),
        ("git clone https://abcdefghij0123456789@host/x", "git clone https://*@host/x"),
        ("id AKIAIOSFODNN7EXAMPLE.", "id *."),
        ("ghp_" + "a1B2" * 9, "*"),
        ("gho_" + "a1B2" * 9, "*"),
        ("github_pat_" + "a1B2_" * 9, "*"),
        ("sk-" + "a1B2" * 9, "*"),
        ("sk-ant-api03-" + "a1B2-" * 9, "*"),
        ("sk_live_" + "a1B2" * 5, "*"),
        ("xoxb-1234567890-abc", "*"),
        ("xoxp-1234567890-abc", "*"),
        ("glpat-" + "a1B2" * 5, "*"),
        ("npm_" + "a1B2" * 9, "*"),
        ("pypi-" + "a1B2" * 20, "*"),
        ("hf_" + "a1B2" * 9, "*"),
        ("AIza" + "a1B2_" * 7, "*"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_123 ok", "jwt * ok"),
        (f"a\n-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----\nb", "a\n*\nb"),
        (f"-----BEGIN PRIVATE KEY-----\n{KEY}", "*"),  # cut off at the end
        (f"{KEY}\n-----END OPENSSH PRIVATE KEY-----\nb", "*\nb"),  # cut off at the start
        ('"k": "-----BEGIN PRIVATE KEY-----\\nab\\n-----END PRIVATE KEY-----\\n"', '"k": "*\\n"'),
    ],
)
def test_what_looks_like_a_secret_is_replaced(text: str, kept: str) -> None:
    assert redact(text) == kept.replace("*", MARK)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3 passed in 0.12s",
        "src/tokens.py:12:5: error: unexpected token ';'",
        "token.py: note: in function",
        "Token::new(x) and std::secret::y",
        "tokenizer: gpt2, tokenize=fast",
        "max_tokens=100 prompt_tokens: 1532",
        "password=None, token=False, secret = null",
        'password: ""',
        "PASSWORD=",
        "    token = make_token(user)",
        "tests/test_auth.py::test_bad_password PASSED",
        "Invalid password for user",
        "https://example.com:8080/path@v2",
        "git@github.com:owner/repo.git",
        "https://bob@host/x",
        "user:pass without a scheme",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
        "sk-learn-contrib-something-longer",
        "task-12345678901234567890123",
        "commit 3f2a9c0d3f2a9c0d3f2a9c0d3f2a9c0d3f2a9c0d",
        "AKIAshort",
        "the bearer of bad news",
        "npm_config_cache is set",
        "eyJust.a.word",
        "10:27:30 INFO started",
    ],
)
def test_what_people_read_a_failing_test_for_is_kept(text: str) -> None:
    assert redact(text) == text


def test_the_lines_around_a_secret_are_kept() -> None:
    text = "FAILED\nGITHUB_TOKEN=abc\nassert 1 == 2\n"

    assert redact(text) == f"FAILED\nGITHUB_TOKEN={MARK}\nassert 1 == 2\n"


FRAGMENTS = st.sampled_from(
    [
        "token",
        "PASSWORD",
        "=",
        ":",
        " ",
        "\n",
        '"',
        "'",
        "\\",
        "x",
        "1",
        "://",
        "@",
        "[redacted]",
        "Authorization",
        "Bearer ",
        "--",
        "[",
        "]",
        ",",
        "eyJabcdef",
        ".",
        "(",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "curl -u ",
        "mysql -p",
        "echo ",
        " | ",
        "--password-stdin",
        "<<<",
        "$",
        "{",
        "}",
        "is ",
    ]
)


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
@settings(max_examples=200)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once, words = redact(text), redact_words(text)

    assert redact(once) == once
    assert redact_words(words) == words


@pytest.mark.parametrize(
    "fragment",
    [
        "a",
        "a_",
        "- ",
        " ",
        "\n",
        "=",
        "--",
        "--a-a-a-a-",
        "token ",
        'token="',
        "token=\\",
        "token = a.",
        "x:",
        "a://",
        "a://b:",
        "a://b:c@",
        "@",
        "eyJ",
        "eyJaaaaa.",
        "sk-",
        "authorization: ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN ",
        "bearer ",
        "--token=",
        "token=$(",
        "token=${",
        "A_KEY=a1",
        "curl -u a:",
        "curl '",
        'curl "',
        'curl \\"',
        "docker login -p ",
        "vault kv put a b=",
        "echo x | --stdin ",
        "--stdin <<EOF\n",
        "password to the ",
        "password from a to ",
        "?sig=",
        "<password>",
        "password for ",
        "login a password ",
        "login ",
        "login a -p ",
        "creds a1! ",
        "secret_key ",
        "cookie: a=",
        "a,password\n",
        "|a|password|\n|-|-|\n|x|y|\n",
        "insert into a (password) values ('x'),",
        "kind: Secret\ndata:\n  a: b\n---\n",
        "<key>password</key><string>",
        "private-lines: 1\nAAA\n",
        "password: str = ",
        'tokens: ["a1",',
        "define('password', '",
        'key="password" value="',
        "ENV PASSWORD x\n",
        "331 x\nPASS y\n",
        "/pass:x ",
        '{password, "x"}',
        "user/pass: a/b ",
        "$2b$12$",
        "k_sk_live_a1",
        '\\"password\\": \\"',
    ],
)
def test_no_output_makes_it_slow(fragment: str) -> None:
    text = fragment * (100_000 // len(fragment))
    redact("token=warm-up curl -u a:b")
    started = time.process_time()
    redact(text)
    redact_words(text)

    assert time.process_time() - started < 4  # linear: under 0.5; quadratic: minutes


def test_a_text_of_any_length_is_looked_at_whole() -> None:
    secret = "ghp_" + "a1B2" * 9
    text = f"{'word ' * (LONGEST // 5)}{secret} {'x' * LONGEST} {secret} password=hunter2"

    assert secret not in redact(text)
    assert "hunter2" not in redact_words(text)
    assert len(redact_words(text)) > 2 * LONGEST
