"""Values of secrets are in no output but `cat`, `--reveal` and the restored files."""

from __future__ import annotations

import json

import pytest

from tests.kit.running import Clew

CANARY = "Kq7canary9fX2vB4nM8pL1zT"

PLANTED = {
    ".env": f"API_KEY={CANARY}\n",
    "config.json": json.dumps({"db": {"password": CANARY}}, indent=1),
    "deploy.yaml": f"auth:\n  token: {CANARY}\n  port: 80\n",
    "app.ini": f"[db]\nurl = postgres://app:{CANARY}@db.example/app\n",
    "id_rsa": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n-----END OPENSSH PRIVATE KEY-----\n",
    ".bash_history": f"export TOKEN={CANARY}\ncurl -H 'Authorization: Bearer {CANARY}' x\n",
    "notes.md": f"the key is\n\n    AWS_SECRET_ACCESS_KEY={CANARY}\n",
    ".npmrc": f"//registry.example/:_authToken={CANARY}\n",
    ".git/config": f'[remote "origin"]\n\turl = https://me:{CANARY}@example.org/x.git\n',
    ".git/HEAD": "ref: refs/heads/main\n",
}

OUTPUTS = (
    ("log",),
    ("show", "@", "--paths"),
    ("diff", "@~1", "@"),
    ("diff", "@~1", "@", "--facts"),
    ("diff", "@~1", "@", "--stat"),
    ("diff", "@~1", "@", "--patch"),
    ("diff", "@", "@~1", "--patch"),
    ("status",),
    ("diff", "--patch"),
    ("blame", ".env"),
    ("restore", "@~1", "--dry-run"),
    ("ls", "@"),
    ("stats",),
)


@pytest.fixture
def planted(clew: Clew) -> Clew:
    (clew.workspace / "start").write_text("x")
    clew.ok("save", "start")
    for path, content in PLANTED.items():
        (clew.workspace / path).parent.mkdir(exist_ok=True)
        (clew.workspace / path).write_text(content)
    clew.ok("save", "planted", "--verify", f"echo password={CANARY}; false")
    for path, content in PLANTED.items():  # and live, with another value
        (clew.workspace / path).write_text(content.replace(CANARY, CANARY[::-1]))
    return clew


@pytest.mark.parametrize("words", OUTPUTS, ids=" ".join)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_output_holds_a_secret(planted: Clew, words: tuple[str, ...], as_json: bool) -> None:
    ran = planted.run(*words, *(["--json"] if as_json else []))

    for secret in (CANARY, CANARY[::-1]):
        assert secret not in ran.out + ran.err


def test_whoever_asks_for_the_bytes_gets_them(planted: Clew) -> None:
    assert CANARY in planted.ok("cat", "@", ".env").out
    assert CANARY in planted.ok("diff", "@~1", "@", "--patch", "--reveal").out
    planted.ok("restore", "@", "--yes")
    assert CANARY in (planted.workspace / ".env").read_text()
