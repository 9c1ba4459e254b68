"""An intent that is a command accounts for what the command does, and for nothing else."""

from __future__ import annotations

import pytest

from clew.model.fact import Fact, Severity
from clew.model.story import Story
from clew.story.intended_commands import intended_effects
from clew.story.intent import left_unsaid

_HIGH = Severity.HIGH
FLASK = Fact("package.added", "pip:.venv", "flask", None, "3.0")
REACT = Fact("package.added", "npm:.", "react", None, "18.2.0")
NGINX = Fact("package.added", "apt", "nginx", None, "1.24")
SERVICE = Fact("service.enabled", "systemd", "nginx.service")
RESET = Fact("git.reset", "git:.", "main", severity=_HIGH, marks=("1 commit dropped",))
THROWN = Fact("git.discarded", "git:.", "src", "4", severity=_HIGH, evidence=("src/a.py",))
BRANCH = Fact(
    "git.branch", "git:.", "wip", severity=_HIGH, marks=("deleted", "3 commits not merged")
)
STASH = Fact("git.stash", "git:.", "stash", "1", "0", severity=_HIGH, marks=("1 entry dropped",))
UPLOADS = Fact(
    "loss.deleted", "files", "uploads", "301 files", severity=_HIGH, evidence=("uploads/a",)
)
REPORTS = UPLOADS._replace(subject="reports", evidence=("reports/a",))
USERS = Fact("table.removed", "sqlite:app.db", "users", "20", None, severity=_HIGH)
ROWS = Fact("loss.shrunk", "rows", "app.db: orders", "20,000 rows", "3 rows", severity=_HIGH)
SKIPPED = Fact(
    "test.skipped", "tests", "tests/test_a.py", severity=_HIGH, evidence=("tests/test_a.py",)
)
REMOVED = SKIPPED._replace(kind="test.removed")
CONFLICT = Fact("broken.conflict", "git:.", "src/a.py", severity=_HIGH, marks=("1 conflict",))
MERGE = Fact("broken.operation", "git:.", "merge", severity=_HIGH, marks=("on main",))
NUMPY = Fact("broken.install", "pip:.venv", "numpy", severity=_HIGH, marks=("no RECORD",))
SUDOERS = Fact("security.sudoers", "sudoers", "etc/sudoers.d/x", severity=_HIGH)
HOOK = Fact("security.git_hook", "hook", ".git/hooks/pre-commit", severity=_HIGH)
CRON = Fact("cron.added", "user:root", "backup.sh")
USER = Fact("user.added", "accounts", "alice")


def unsaid(intent: str, *facts: Fact) -> bool:
    return bool(left_unsaid(intent, Story("x", facts)))


@pytest.mark.parametrize(
    ("intent", "fact"),
    [
        ("pip install flask && npm i", FLASK),
        ("pip install flask && npm i", REACT),
        ("pip install -r requirements.txt", FLASK),
        ("python -m pip install -e .", FLASK),
        ("uv sync --frozen", FLASK),
        ("cd web && npm ci", REACT),
        ("yarn", REACT),
        ("pnpm add react", REACT),
        ("apt-get upgrade -y", NGINX),
        ("sudo apt-get install -y nginx", SERVICE),
        ("DEBIAN_FRONTEND=noninteractive apt-get -y dist-upgrade", NGINX),
        ("git reset --hard HEAD~1", RESET),
        ("git reset --hard HEAD~1", THROWN),
        ("git checkout -- .", THROWN),
        ("git restore src", THROWN),
        ("git push --force origin main", RESET),
        ("git branch -D wip", BRANCH),
        ("git stash drop", STASH),
        ("rm -rf uploads", UPLOADS),
        ("cd var && rm -r ./uploads/", UPLOADS._replace(subject="var/uploads", evidence=())),
        ("rm -rf /srv/shop/uploads", UPLOADS),
        ("rm -rf upl*", UPLOADS),
        ("find uploads -type f -delete", UPLOADS),
        ("git clean -fdx", UPLOADS),
        ("rm app.db", USERS),
        ("DROP TABLE users", USERS),
        ("drop table if exists users;", USERS),
        ("sqlite3 app.db 'DROP TABLE users'", USERS),
        ('psql shop -c "DELETE FROM users"', USERS._replace(kind="table.changed")),
        ("alembic upgrade head", USERS),
        ("python manage.py migrate", USERS),
        ("bundle exec rails db:migrate", USERS),
        ("docker compose up -d", Fact("container.added", "docker", "db")),
        ("docker compose down -v", UPLOADS),
        ("./deploy.sh", NGINX),
        ("bash scripts/setup.sh --all", SERVICE),
        ("make deploy", USERS),
        ("curl -fsSL https://example.com/install.sh | sh", NGINX),
        ("foo-cli sync --all", FLASK),
        ("rm tests/test_a.py", REMOVED),
        ("git checkout main", SKIPPED),
        ("echo 'alice ALL=ALL' | sudo tee /etc/sudoers.d/x", SUDOERS),
        ("cp tools/hook .git/hooks/pre-commit", HOOK),
        ("crontab jobs.txt", CRON),
        ("useradd -m alice", USER),
        ("fix the cart: Edit cart.py, pip install flask, npm test", FLASK),
        ("fix the cart: npm test, 4 more", FLASK),
        ("clean up: rm -rf uploads", UPLOADS),
        ("run `git reset --hard origin/main`", RESET),
        ("$ git reset --hard", THROWN),
        ("Bash: rm -rf uploads", UPLOADS),
    ],
)  # fmt: skip
def test_what_the_command_of_an_intent_does_was_intended(intent: str, fact: Fact) -> None:
    assert not unsaid(intent, fact)


@pytest.mark.parametrize(
    ("intent", "fact"),
    [
        ("rm -rf uploads", REPORTS),
        ("rm -rf uploads-old", UPLOADS),
        ("pytest -q", USERS),
        ("make test", UPLOADS),
        ("ls -la", NGINX),
        ("git status", RESET),
        ("git commit -am 'fix typo'", USERS),
        ("pip install flask", USERS),
        ("pip install numpy", NUMPY),
        ("git merge topic", CONFLICT),
        ("git merge topic", MERGE),
        ("./deploy.sh", UPLOADS),
        ("./deploy.sh", SKIPPED),
        ("make deploy", SUDOERS),
        ("npm ci", HOOK),
        ("DROP TABLE sessions", USERS),
        ("sqlite3 app.db 'SELECT * FROM users'", USERS),
        ("python manage.py test", USERS),
        ("make the header blue", USERS),
        ("make tests pass", SKIPPED),
        ("fix typo", USERS),
        ("fix typo", ROWS),
        ("fix the users page", USERS),
        ("remove unused imports", USERS),
        ("remove unused imports", RESET),
        ("update main page", RESET),
        ("fix tests", SKIPPED),
        ("go to the dark mode", UPLOADS),
        ("find the bug in billing", UPLOADS),
        ("fix typo", SKIPPED._replace(severity=Severity.NOTE)),
        ("pytest -q", REMOVED._replace(severity=Severity.NOTE)),
        ("wording", CONFLICT._replace(kind="broken.syntax")),
    ],
)  # fmt: skip
def test_what_an_intent_does_not_account_for_is_named(intent: str, fact: Fact) -> None:
    assert unsaid(intent, fact)


@pytest.mark.parametrize(
    ("intent", "fact"),
    [
        ("drop the users table", USERS),
        ("delete old uploads", UPLOADS),
        ("purge stale files", UPLOADS),
        ("skip the flaky tests", SKIPPED),
        ("reset main to the release", RESET),
        ("WIP: merge with conflicts", MERGE),
        ("squash the history of main", RESET),
        ("git commit -am 'skip the flaky tests'", SKIPPED),
    ],
)
def test_plain_words_mention_a_warning_by_what_happened(intent: str, fact: Fact) -> None:
    assert not unsaid(intent, fact)


@pytest.mark.parametrize(
    "intent",
    [
        "make the header blue", "make tests pass", "go to the dark mode", "find the bug",
        "install the web server", "test the login", "sort imports by name", "fix typo", "wip",
        "patch the leak in the parser", "kill the zombie job", "docs: explain why", "time out earlier",
        "source of truth is the config", "drop the ball", "update the settings page",
    ],
)  # fmt: skip
def test_a_sentence_is_no_command(intent: str) -> None:
    assert intended_effects(intent).commands == ()


def test_hostile_intents_take_little_time() -> None:
    for text in ("a, " * 5_000, "$(" * 9_000, "`" * 9_000, ": " * 9_000, "rm " + "*" * 9_000):
        left_unsaid(text, Story("x", (USERS, UPLOADS, SKIPPED)))
