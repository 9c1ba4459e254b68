"""Everyday changes that must not raise an alarm."""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Iterator

from evaluation.fresh.databases_sqlite import fill, sql
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.histories import change, git, repository
from evaluation.place import Place
from evaluation.second.tools import commit, python_with
from evaluation.third.edits import edited
from evaluation.variant import Claims, variant

_GROUP = "benign"


@variant(_GROUP, "a virtual environment deleted and made again", benign=True)
def venv_again(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("requirements.txt", "idna==3.7\n")
    commit(place, "requirements")
    make = f"{sys.executable} -m venv .venv && .venv/bin/pip install -q -r requirements.txt"
    place.run(make)
    yield
    place.run(f"rm -rf .venv && {make}")
    claims.deny("lost", "half", "incomplete", "uninstalled")


@variant(_GROUP, "a virtual environment deleted whose lock is there", benign=True)
def venv_deleted(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("requirements.txt", "idna==3.7\n")
    commit(place, "requirements")
    place.run(f"{sys.executable} -m venv .venv && .venv/bin/pip install -q -r requirements.txt")
    yield
    place.run("rm -rf .venv")
    claims.say(".venv|idna", "deleted|removed|gone|uninstalled")
    claims.lead(".venv|idna")


@variant(_GROUP, "a dictionary of words translated by half", benign=True)
def translated(place: Place, claims: Claims) -> Iterator[None]:
    def texts(count: int) -> str:
        return json.dumps(
            {f"key.{n}": (f"Vertaling {n}" if n < count else "") for n in range(60)}, indent=2
        )

    yield from edited(place, "locales/nl.json", texts(20), texts(50))
    claims.say("nl.json", "30|key")
    claims.lead("nl.json")


@variant(_GROUP, "an export written again with other rows", benign=True)
def export_again(place: Place, claims: Claims) -> Iterator[None]:
    def rows(start: int) -> str:
        return "day,total\n" + "".join(
            f"2024-05-{n % 30 + 1:02},{n * 3}\n" for n in range(start, start + 300)
        )

    shop(place)
    place.write("reports/sales.csv", rows(0))
    commit(place, "report")
    yield
    place.write("reports/sales.csv", rows(20))
    claims.say("sales.csv")
    claims.lead("sales.csv")
    claims.deny("lost")


@variant(_GROUP, "checkpoints of a training: the older ones removed, the best kept", benign=True)
def checkpoints(place: Place, claims: Claims) -> Iterator[None]:
    for step in range(1, 5):
        place.write(f"runs/a/checkpoint-{step}00/model.bin", random.Random(step).randbytes(40_000))
    place.write("runs/a/best/model.bin", random.Random(3).randbytes(40_000))
    yield
    place.write("runs/a/checkpoint-500/model.bin", random.Random(5).randbytes(40_000))
    place.run("rm -r runs/a/checkpoint-300")
    claims.lead("runs|checkpoint")
    claims.deny("lost")


@variant(_GROUP, "a script of shell renamed and made executable", benign=True)
def script_renamed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("deploy.sh", "#!/bin/sh\nset -e\nmake build\nrsync -a build/ host:/srv/\n")
    commit(place, "deploy")
    yield
    place.run("git mv deploy.sh release.sh && chmod +x release.sh")
    claims.say("release.sh", "moved|renamed|→")
    claims.lead("release.sh")


@variant(_GROUP, "a large function divided into three", benign=True)
def divided(place: Place, claims: Claims) -> Iterator[None]:
    before = "def total(rows):\n    clean = [row for row in rows if row]\n    prices = [row[1] for row in clean]\n    return sum(prices)\n"
    after = "def clean(rows):\n    return [row for row in rows if row]\n\n\ndef prices(rows):\n    return [row[1] for row in rows]\n\n\ndef total(rows):\n    return sum(prices(clean(rows)))\n"
    yield from edited(place, "shop/sums.py", before, after)
    claims.say("sums.py", "clean", "prices")
    claims.lead("sums.py")


@variant(_GROUP, "a database of a browser's cache and a journal of a desktop", benign=True)
def caches(place: Place, claims: Claims) -> Iterator[None]:
    place.write("notes.txt", "tea\n")
    sql(
        place,
        "CREATE TABLE cache(key TEXT, value BLOB);" + fill("cache", "'k' || i, 'v'", 400),
        "cache.sqlite",
    )
    place.write(".local/share/recently-used.xbel", "<xbel/>\n" * 40)
    yield
    sql(place, "DELETE FROM cache WHERE rowid > 20;", "cache.sqlite")
    place.write(".local/share/recently-used.xbel", "<xbel/>\n")
    place.write("notes.txt", "tea\ncups\n")
    claims.lead("notes.txt|cache.sqlite")


@variant(_GROUP, "a release: version, changelog and a tag", benign=True)
def release(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("CHANGELOG.md", "# Changes\n\n## 1.4.0\n\n* Tea.\n")
    commit(place, "changes")
    yield
    place.run(
        "sed -i 's/1.4.0/1.5.0/' pyproject.toml && sed -i 's/^## 1.4.0/## 1.5.0\\n\\n* Cups.\\n\\n&/' CHANGELOG.md && git commit -qam 'release 1.5.0' && git tag v1.5.0"
    )
    claims.say("v1.5.0")
    claims.say("pyproject.toml|version", "1.4.0", "1.5.0")
    claims.lead("v1.5.0|1.5.0")


@variant(_GROUP, "a build of Python: wheel, egg-info and dist", benign=True)
def wheel(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("printf '/dist/\\n*.egg-info/\\n' >> .gitignore && git commit -qam ignore")
    place.write("dist/shop-1.3.0-py3-none-any.whl", b"PK\x05\x06" + bytes(18))
    place.write("shop.egg-info/PKG-INFO", "Name: shop\nVersion: 1.3.0\n")
    yield
    place.run("rm -r dist shop.egg-info")
    place.write("dist/shop-1.4.0-py3-none-any.whl", b"PK\x05\x06" + bytes(18))
    claims.deny("lost", "uninstalled")


@variant(_GROUP, "the settings of a linter made stricter", benign=True)
def stricter(place: Place, claims: Claims) -> Iterator[None]:
    yield from edited(
        place,
        "ruff.toml",
        'line-length = 100\n\n[lint]\nselect = ["E"]\nignore = ["E501"]\n',
        'line-length = 100\n\n[lint]\nselect = ["E", "F", "B"]\n',
    )
    claims.say("ruff.toml")
    claims.lead("ruff.toml")
    claims.deny("switched off", "weakened")


@variant(_GROUP, "a pull that deletes a file and adds two", benign=True)
def pulled(place: Place, claims: Claims) -> Iterator[None]:
    repository(place, commits=2)
    git(
        place,
        f"clone -q --bare . {place.around}/r.git && git remote add origin {place.around}/r.git && git fetch -q && git branch -q -u origin/main",
    )
    place.run(
        f"git clone -q {place.around}/r.git {place.around}/o && cd {place.around}/o && git rm -q src/module_7.py && echo 'x = 1' > src/new.py && git add -A && git commit -qm 'new module' && git push -q"
    )
    yield
    git(place, "pull -q --ff-only")
    claims.say("main", "1 commit|pulled|new module")
    claims.lead("main|new module|commit")
    claims.deny("lost")


@variant(_GROUP, "a stash made and applied again", benign=True)
def stash_pop(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    change(place, 3)
    yield
    git(place, "stash -q && git stash pop -q")
    change(place, 4)
    claims.lead("module_4.py")
    claims.deny("stash dropped", "lost")


@variant(_GROUP, "pictures of tests compared and written again", benign=True)
def screenshots(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    for number in range(9):
        place.write(
            f"e2e/__screenshots__/page{number}.png",
            b"\x89PNG\r\n\x1a\n" + random.Random(number).randbytes(3000),
        )
    commit(place, "screenshots")
    yield
    for number in range(9):
        place.write(
            f"e2e/__screenshots__/page{number}.png",
            b"\x89PNG\r\n\x1a\n" + random.Random(number + 50).randbytes(3100),
        )
    claims.say("9", "__screenshots__|image|picture|screenshot")
    claims.lead("9")


@variant(_GROUP, "the index of a search and thumbnails made again", benign=True)
def thumbnails(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("echo /var/ >> .gitignore && git commit -qam ignore")
    for number in range(25):
        place.write(f"var/thumbnails/{number}.jpg", random.Random(number).randbytes(900))
    yield
    place.run("rm -r var/thumbnails")
    work_goes_on(place)
    claims.lead("README.md|thumbnails")


@variant(_GROUP, "an old key of a test replaced by another, in fixtures", benign=True)
def test_key(place: Place, claims: Claims) -> Iterator[None]:
    def key(seed: int) -> str:
        body = base64.b64encode(random.Random(seed).randbytes(300)).decode()
        return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"

    yield from edited(place, "tests/fixtures/server.key", key(1), key(2))
    claims.say("server.key")
    claims.lead("server.key")


@variant(_GROUP, "a pyproject of setuptools becomes one of hatch", benign=True)
def hatch(place: Place, claims: Claims) -> Iterator[None]:
    before = '[build-system]\nrequires = ["setuptools>=70", "wheel"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "shop"\nversion = "1.4.0"\n'
    yield from edited(
        place,
        "pyproject.toml",
        before,
        before.replace('["setuptools>=70", "wheel"]', '["hatchling"]').replace(
            "setuptools.build_meta", "hatchling.build"
        ),
    )
    claims.say("pyproject.toml", "hatchling|build")
    claims.lead("pyproject.toml|hatchling")


@variant(_GROUP, "a formatter of SQL and YAML", benign=True)
def yaml_formatted(place: Place, claims: Claims) -> Iterator[None]:
    yield from edited(
        place,
        "config/app.yaml",
        "server: {port: 80, host: a}\nusers:\n- ann\n- bob\n",
        "server:\n  port: 80\n  host: a\nusers:\n  - ann\n  - bob\n",
    )
    claims.say("app.yaml", "format|layout|same|no value|no setting|nothing|whitespace")
    claims.lead("app.yaml")
    claims.deny("removed", "−users", "−server")


@variant(_GROUP, "a tool rewrites jsonl in another order", benign=True)
def jsonl_order(place: Place, claims: Claims) -> Iterator[None]:
    rows = [json.dumps({"id": n, "text": f"turn {n}"}) + "\n" for n in range(200)]
    place.write("eval/cases.jsonl", "".join(rows))
    yield
    place.write("eval/cases.jsonl", "".join(reversed(rows)))
    claims.say("cases.jsonl", "order|sorted|same|no record|200")
    claims.lead("cases.jsonl")
    claims.deny("−200", "200 removed", "lost")


@variant(_GROUP, "the caches of pytest, mypy and ruff deleted", benign=True)
def check_caches(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    for number in range(6):
        place.write(f".pytest_cache/v/cache/{number}", "[]\n")
        place.write(f".mypy_cache/3.12/m{number}.json", "{}\n")
        place.write(f".ruff_cache/0.4/{number}", "x\n")
    place.run(
        "printf '.pytest_cache/\\n.mypy_cache/\\n.ruff_cache/\\n' >> .gitignore && git commit -qam ignore"
    )
    yield
    place.run("rm -rf .pytest_cache .mypy_cache .ruff_cache")
    claims.deny("lost")


@variant(_GROUP, "types stubs generated by a tool", benign=True)
def generated_types(place: Place, claims: Claims) -> Iterator[None]:
    python_with(place, "mypy")
    shop(place)
    yield
    tools = place.around / "tools"
    place.run(f"PYTHONPATH={tools} {sys.executable} {tools}/bin/stubgen -q -o typings shop")
    claims.say("typings", "added|new|+")
    claims.lead("typings|files")
