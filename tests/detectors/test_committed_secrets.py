"""Secrets that a commit took along, and what only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.security.committed_secrets import CommittedSecrets
from clew.detectors.security.planted_secrets import PlantedSecrets
from clew.story.words import phrase
from tests.detectors.real_git import Repo
from tests.kit.moments import evidence, findings
from tests.kit.tools import require

# synthetic, in the right format; joined here so that no scanner reports this file as a leak
RANDOM = "q8Zt3Lw9Xc5Vb1Nm7Kj4Hg6Fd2Sa0P"
GITHUB = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END OPENSSH PRIVATE KEY-----\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q")
    made.commit("a.py")
    return made


def _said(found: Evidence) -> list[tuple[str, str, tuple[str, ...]]]:
    told = [fact for one in findings(CommittedSecrets(), found) for fact in one.facts]
    assert RANDOM not in repr(told)
    assert GITHUB not in repr(told)
    return [(fact.subject, fact.severity, fact.marks) for fact in told]


def _committed(repo: Repo, name: str, content: str) -> list[tuple[str, str, tuple[str, ...]]]:
    before = repo.moment()
    repo.commit(name, content)
    return _said(evidence(before, repo.moment()))


@pytest.mark.parametrize(
    ("name", "content", "mark"),
    [
        (".env", "DATABASE_PASSWORD=hunter2-of-ours\nDEBUG=0\n", "DATABASE_PASSWORD"),
        (".env.production", f"API_KEY={RANDOM}\n", "API_KEY"),
        ("deploy/prod.env", "export SMTP_PASS=\nREDIS_TOKEN='abcdefgh'\n", "REDIS_TOKEN"),
        (".env", "DATABASE_URL=postgres://shop:s3cretpw@db.example.com/shop\n", "DATABASE_URL"),
        ("config/app.yml", f"github_token: {GITHUB}\n", "a token (github)"),
        ("id_ed25519", KEY, "a private key"),
        ("src/settings.py", f'SECRET_KEY = "{RANDOM}"\n', "SECRET_KEY"),
        (".npmrc", "//registry.example.com/:_authToken=abcdefgh12345\n", "a password"),
        (".pypirc", "[pypi]\nusername = me\npassword = abcd1234\n", "a password"),
        (".netrc", "machine example.com login me password abcd1234\n", "a password"),
        (".git-credentials", "https://me:abcd1234@example.com\n", "a password"),
        ("keys/release.p12", "x", "a key store"),
    ],
)
def test_a_secret_in_a_new_commit_is_a_warning_with_its_name(
    repo: Repo, name: str, content: str, mark: str
) -> None:
    ((subject, severity, marks),) = _committed(repo, name, content)

    assert (subject, severity) == (name, "high")
    assert mark in marks


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".env", "PORT=3000\nDEBUG=1\nNODE_ENV=production\n"),
        (".env.example", "API_KEY=your-key-here\n"),
        (".env.sample", f"API_KEY={RANDOM}\n".replace(RANDOM, "changeme")),
        (".env", "DB_PASSWORD=postgres\nSECRET=changeme\nTOKEN=\nKEY_FILE=/run/secrets/key\n"),
        (".env", "API_TOKEN=${API_TOKEN}\nDATABASE_URL=postgres://localhost/shop\n"),
        ("cert.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
        ("id_ed25519.pub", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me\n"),
        ("a.py", "password = input()\ntoken = os.environ['TOKEN']\n"),
        (".npmrc", "registry=https://registry.example.com/\n_authToken=${NPM_TOKEN}\n"),
        ("README.md", "Set `API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx` first.\n"),
    ],
)
def test_settings_without_a_secret_say_nothing(repo: Repo, name: str, content: str) -> None:
    assert _committed(repo, name, content) == []


def test_a_file_that_was_there_and_is_committed_only_now_is_told(repo: Repo) -> None:
    repo.write(".env", "DB_PASSWORD=hunter2-of-ours\n")
    before = repo.moment()
    repo.git("add", "-A")
    assert _said(evidence(before, repo.moment())) == []

    repo.git("commit", "-qm", "settings")
    assert [one[0] for one in _said(evidence(before, repo.moment()))] == [".env"]


def test_a_secret_that_is_deleted_right_after_the_commit_is_still_in_the_history(
    repo: Repo,
) -> None:
    before = repo.moment()
    repo.commit(".env", f"TOKEN={RANDOM}\n")
    repo.git("rm", "-q", ".env")
    repo.git("commit", "-qm", "oops")

    assert [one[0] for one in _said(evidence(before, repo.moment()))] == [".env"]


def test_a_secret_of_an_older_commit_is_not_told_again(repo: Repo) -> None:
    repo.commit(".env", f"TOKEN={RANDOM}\n")

    assert _committed(repo, ".env", f"TOKEN={RANDOM}\nDEBUG=1\n") == []
    assert _committed(repo, "b.py", "x = 1\n") == []


def test_the_key_of_a_test_and_an_example_in_a_document_are_notes(repo: Repo) -> None:
    assert [one[1] for one in _committed(repo, "tests/fixtures/key.pem", KEY)] == ["note"]
    assert [one[1] for one in _committed(repo, "README.md", f"API_KEY={RANDOM}\n")] == ["note"]
    assert [one[1] for one in _committed(repo, "SETUP.md", f"use {GITHUB}\n")] == ["high"]


def test_commits_of_others_and_other_branches_are_not_judged(repo: Repo, tmp_path: Path) -> None:
    repo.git("checkout", "-qb", "theirs")
    repo.commit(".env", f"TOKEN={RANDOM}\n")
    repo.git("checkout", "-q", "main")

    before = repo.moment()
    repo.git("checkout", "-q", "theirs")
    assert _said(evidence(before, repo.moment())) == []

    clone = Repo(tmp_path / "other")
    before = clone.moment()
    clone.git("clone", "-q", str(repo.path), "c")
    assert _said(evidence(before, clone.moment())) == []


def test_a_committed_secret_is_told_once(repo: Repo) -> None:
    before = repo.moment()
    repo.commit("app.ini", f"secret_key = {RANDOM}\n")
    found = evidence(before, repo.moment())

    assert len(_said(found)) == 1
    assert [fact for one in findings(PlantedSecrets(), found) for fact in one.facts] == []


def test_the_words_say_that_it_was_committed(repo: Repo) -> None:
    before = repo.moment()
    repo.commit(".env", "DB_PASSWORD=hunter2-of-ours\n")
    told = [
        fact
        for one in findings(CommittedSecrets(), evidence(before, repo.moment()))
        for fact in one.facts
    ]

    words = phrase("security", told)

    assert words.short == ".env committed with a secret (DB_PASSWORD)"
    assert words.text == ".env was committed with what looks like a secret (DB_PASSWORD)"
