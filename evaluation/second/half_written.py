"""Files that were not written to their end, or that their program cannot read."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, sql
from evaluation.fresh.interrupted import kill_when, require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.databases_tools import alembic
from evaluation.second.tools import commit
from evaluation.second.verbs import ADDED, BROKEN, EMPTIED, UNFINISHED
from evaluation.variant import Claims, variant

_GROUP = "half finished"
_VALUES = "server:\n  port: 8000\n  hosts:\n    - a.example.org\n    - b.example.org\ncache:\n  seconds: 60\n"
_JOURNAL = """
import os, sqlite3, sys, time
connection = sqlite3.connect("shop.db", isolation_level=None)
connection.execute("PRAGMA cache_size=5")
connection.execute("BEGIN")
connection.execute("UPDATE orders SET year = 1")
open(sys.argv[1], "w").close()
time.sleep(600)
"""
_FAILING = '''"""invoices"""
import sqlalchemy as sa
from alembic import op

revision = "bb22"
down_revision = "aa11"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("invoices", sa.Column("id", sa.Integer, primary_key=True))
    raise RuntimeError("the service of the tax office does not answer")


def downgrade() -> None:
    op.drop_table("invoices")
'''


def _file(place: Place, path: str, text: str) -> None:
    shop(place)
    place.write(path, text)
    commit(place, "settings")


@variant(_GROUP, "a configuration in JSON cut in the middle")
def json_cut(place: Place, claims: Claims) -> Iterator[None]:
    routes = [{"path": f"/page/{n}", "view": f"view_{n}"} for n in range(40)]
    _file(place, "config/routes.json", json.dumps({"routes": routes}, indent=2) + "\n")
    yield
    place.run("truncate -s 1500 config/routes.json && ! jq . config/routes.json 2>/dev/null")
    work_goes_on(place)
    claims.warn("routes.json", BROKEN)
    claims.lead("routes.json", BROKEN)


@variant(_GROUP, "a file of settings in YAML that no longer parses")
def yaml_broken(place: Place, claims: Claims) -> Iterator[None]:
    _file(place, "config/settings.yaml", _VALUES)
    yield
    place.run(
        "sed -i 's/^  hosts:/  hosts: [/' config/settings.yaml && ! yq . config/settings.yaml 2>/dev/null"
    )
    claims.warn("settings.yaml", BROKEN)
    claims.lead("settings.yaml", BROKEN)


@variant(_GROUP, "pyproject.toml that no longer parses")
def toml_broken(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("sed -i 's/^dependencies = .*/dependencies = [\"requests>=2.31\", /' pyproject.toml")
    place.run(
        f'! {sys.executable} -c \'import tomllib; tomllib.load(open("pyproject.toml", "rb"))\' 2>/dev/null'
    )
    place.run("git commit -qam 'one more dependency'")
    claims.warn("pyproject.toml", BROKEN)
    claims.lead("pyproject.toml", BROKEN)


@variant(_GROUP, "package.json with a comma too many")
def package_broken(place: Place, claims: Claims) -> Iterator[None]:
    text = '{\n  "name": "shop",\n  "dependencies": {\n    "left-pad": "1.3.0"\n  }\n}\n'
    _file(place, "package.json", text)
    yield
    place.run('sed -i \'s/"1.3.0"/"1.3.0",/\' package.json && ! npm pkg get name 2>/dev/null')
    claims.warn("package.json", BROKEN)
    claims.lead("package.json", BROKEN)
    claims.deny("left-pad removed")


@variant(_GROUP, "a configuration emptied by a program that crashed while it saved")
def config_emptied(place: Place, claims: Claims) -> Iterator[None]:
    _file(
        place,
        "config/app.toml",
        '[server]\nport = 8000\nworkers = 4\n\n[mail]\nfrom = "a@example.org"\n',
    )
    yield
    place.run(": > config/app.toml")
    claims.warn("app.toml", EMPTIED)
    claims.lead("app.toml", EMPTIED)


@variant(_GROUP, "a file of JavaScript that no longer parses")
def javascript_broken(place: Place, claims: Claims) -> Iterator[None]:
    text = "'use strict';\n\nfunction total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n\nmodule.exports = { total };\n"
    _file(place, "lib/cart.js", text)
    yield
    place.run("sed -i 's/^}$//' lib/cart.js && ! node --check lib/cart.js 2>/dev/null")
    claims.warn("cart.js", BROKEN)
    claims.lead("cart.js", BROKEN)


@variant(_GROUP, "an Alembic migration that fails after its first table")
def alembic_failed(place: Place, claims: Claims) -> Iterator[None]:
    command = alembic(place, _FAILING)
    place.run(f"{command} upgrade aa11")
    yield
    place.run(f"{command} upgrade head", check=False)
    tables = sql(place, ".tables", "app.db")
    version = sql(place, "SELECT * FROM alembic_version;", "app.db")
    require("invoices" in tables and version == "aa11", f"it is half applied: {tables}, {version}")
    claims.say("invoices", ADDED)
    claims.warn("bb22|migration|alembic|invoices", f"not applied|not recorded|{UNFINISHED}|fail")
    claims.lead("invoices|migration|bb22|app.db")


@variant(_GROUP, "a program killed in a transaction of SQLite: its journal stays")
def hot_journal(place: Place, claims: Claims) -> Iterator[None]:
    sql(place, "CREATE TABLE orders(id INTEGER PRIMARY KEY, year INT, note TEXT);"
        + fill("orders", "i, 2024, 'a note about order ' || i", 20_000))  # fmt: skip
    yield
    flag = place.around / "written"
    kill_when(place, flag.exists, sys.executable, "-c", _JOURNAL, str(flag))
    require((place.root / "shop.db-journal").stat().st_size > 4096, "the journal stays")
    claims.warn("shop.db", f"journal|transaction|roll|{UNFINISHED}")
    claims.lead("shop.db")
    claims.deny("rows deleted", "rows removed")


@variant(_GROUP, "rsync killed: its temporary file stays")
def rsync_killed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    (place.around / "model.bin").write_bytes(os.urandom(30_000_000))
    place.run("mkdir models")
    yield
    models = place.root / "models"
    kill_when(
        place,
        lambda: any(one.stat().st_size > 3_000_000 for one in models.glob(".model.bin.*")),
        *("rsync", "--bwlimit=20M", f"{place.around}/model.bin", "models/"),
    )
    require(not (models / "model.bin").exists(), "the copy is not complete")
    claims.say(".model.bin", f"{UNFINISHED}|temporary|rsync|copy")
    claims.lead("model.bin")


@variant(_GROUP, "the lock of a Terraform run that was killed",
         stands_in="terraform: the lock is written as its local backend does")  # fmt: skip
def terraform_lock(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("infra/main.tf", 'resource "null_resource" "a" {\n}\n')
    commit(place, "infra")
    yield
    lock = {"ID": "5c7d", "Operation": "OperationTypeApply", "Who": "me@laptop", "Version": "1.11.4", "Path": "terraform.tfstate"}  # fmt: skip
    place.write("infra/.terraform.tfstate.lock.info", json.dumps(lock))
    claims.say("terraform", "lock")
    claims.lead("lock")


@variant(_GROUP, "files that are broken on purpose, for tests and templates", benign=True)
def broken_on_purpose(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.write("tests/data/truncated.json", '{"orders": [1, 2,')
    place.write("tests/data/bad_indent.yaml", "a:\n\t- b\n  c: [\n")
    place.write("tests/fixtures/syntax_error.py", "def broken(:\n    return\n")
    place.write("templates/{{ name }}/main.py.j2", "class {{ name | title }}:\n{% if debug %}    debug = True\n{% endif %}")  # fmt: skip
    commit(place, "data for tests")
    claims.say("tests|truncated.json|templates|4", ADDED)
    claims.lead("tests|templates|data|added")


@variant(_GROUP, "settings in JSON with comments and a last comma", benign=True)
def commented_json(place: Place, claims: Claims) -> Iterator[None]:
    text = '{\n  // two spaces\n  "editor.tabSize": 2,\n  "files.eol": "\\n",\n}\n'
    _file(place, ".vscode/settings.json", text)
    yield
    place.run(
        'sed -i \'s/"editor.tabSize": 2,/"editor.tabSize": 4, \\/\\/ as the formatter does/\' .vscode/settings.json'
    )
    claims.say("settings.json", "editor.tabSize", "2", "4")
    claims.lead("settings.json")
    claims.deny("invalid", "broken", "not valid", "syntax")


@variant(_GROUP, "a download finished, and its part renamed", benign=True)
def download_finished(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("echo /data/ >> .gitignore && git commit -qam ignore")
    content = os.urandom(400_000)
    place.write("data/dataset.tar.gz.part", content[:100_000])
    yield
    place.write("data/dataset.tar.gz.part", content)
    time.sleep(0.01)
    place.run("mv data/dataset.tar.gz.part data/dataset.tar.gz")
    claims.say("dataset.tar.gz")
    claims.lead("dataset.tar.gz")
    claims.deny("lost", "incomplete", "truncated")
