"""The journal tells the truth: what it says was done shows in the files of the checkpoints."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime

from clew.model.ids import ObjectId
from tests.recorded.opening import NOW, Shop

SITE = ".venv/lib/python3.11/site-packages"


def tables(shop: Shop, checkpoint: str) -> dict[str, list[str]]:
    """Return the tables of the database with their columns, as SQLite says."""
    content = shop.content(checkpoint, "app.db")
    if content is None:
        return {}
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(content)
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: [column[1] for column in database.execute(f"PRAGMA table_info({name})")]
            for (name,) in names
        }


def version(shop: Shop, checkpoint: str, package: str) -> str | None:
    """Return the version in the metadata of an installed package, whichever it is."""
    for known in ("1.9.2", "1.10.24", "0.0.20"):
        content = shop.content(checkpoint, f"{SITE}/{package}-{known}.dist-info/METADATA")
        if content is not None:
            (found,) = (
                line for line in content.decode().splitlines() if line.startswith("Version: ")
            )
            return found.removeprefix("Version: ")
    return None


def test_the_orders_were_dropped_by_one_step(shop: Shop) -> None:
    assert "orders" in tables(shop, shop.before("drop-orders"))
    assert "orders" not in tables(shop, shop.made_by("drop-orders"))
    assert "orders" in tables(shop, shop.made_by("orders-stay"))
    assert "discount" not in tables(shop, shop.before("add-column"))["orders"]
    assert "discount" in tables(shop, shop.made_by("add-column"))["orders"]


def test_packages_came_with_their_steps(shop: Shop) -> None:
    assert version(shop, shop.before("upgrade-pydantic"), "pydantic") == "1.9.2"
    assert version(shop, shop.made_by("upgrade-pydantic"), "pydantic") == "1.10.24"
    assert version(shop, shop.before("install-multipart"), "python_multipart") is None
    assert version(shop, shop.made_by("install-multipart"), "python_multipart") == "0.0.20"
    mitt = "web/node_modules/mitt/package.json"
    assert shop.content(shop.before("npm-mitt"), mitt) is None
    assert b'"version": "3.0.1"' in (shop.content(shop.made_by("npm-mitt"), mitt) or b"")


def test_files_came_and_went_with_their_steps(shop: Shop) -> None:
    came = {
        "lines-module": "src/shop/lines.py",
        "adopt": "src/shop/search.py",
        "failed-picture": "src/shop/__pycache__/pictures.cpython-311.pyc",
    }
    went = {"rm-uploads": "uploads/picture-01.jpg", "mass-deletion": ".env"}

    for step, path in (came | went).items():
        was, is_there = (
            shop.content(one, path) is not None for one in (shop.before(step), shop.made_by(step))
        )
        assert (was, is_there) == ((False, True) if step in came else (True, False)), step


def test_edits_are_in_their_checkpoints(shop: Shop) -> None:
    edits = {
        "wip-1": ("src/shop/prices.py", b"= 20"),
        "skip-test": ("tests/test_models.py", b"unittest.skip"),
        "break-models": ("src/shop/models.py", b"gt=0"),
        "last": (".env", b"MAIL_FROM=ana@example.org"),
    }

    for step, (path, text) in edits.items():
        assert text not in (shop.content(shop.before(step), path) or b""), step
        assert text in (shop.content(shop.made_by(step), path) or b""), step


def test_checks_and_calls_went_as_written(shop: Shop) -> None:
    checks = {one["name"]: one["passes"] for one in shop.journal if "passes" in one}
    failed = [one["name"] for one in shop.journal if one.get("failed")]

    assert [name for name, passes in checks.items() if not passes] == [
        "first-failing", "wip-failing", "schema",
    ]  # fmt: skip
    assert [name for name, passes in checks.items() if passes][-1] == "ready"
    assert failed == [
        "failed-picture", "failed-build",
        "failed-tests-1", "failed-tests-2", "failed-tests-3",
    ]  # fmt: skip


def test_it_is_what_was_asked_for(shop: Shop) -> None:
    ids = [one for entry in shop.journal for one in entry["checkpoints"]]
    days = {datetime.fromisoformat(entry["time"]).date() for entry in shop.journal}
    prompts = {entry["prompt"] for entry in shop.journal if "prompt" in entry}

    assert len(ids) >= 60
    assert len(set(ids)) == len(ids)
    assert len(days) == 2
    assert len(prompts) >= 10
    assert max(datetime.fromisoformat(entry["time"]) for entry in shop.journal) < NOW
    assert sum(entry["name"].startswith("restore-") for entry in shop.journal) >= 3


def test_the_store_is_whole(shop: Shop) -> None:
    ran = shop.run("check", "--read-data")

    assert ran.code == 0, ran.out + ran.err


def test_it_says_nothing_of_the_machine_it_was_made_on(shop: Shop) -> None:
    names = (b"/work/", b"/root/", b"/mnt/", b"/tmp/pytest")
    with shop.workspace() as workspace, workspace.reading_context() as context:
        objects = context.store.objects
        ids = [row[0] for row in context.store.database.execute("SELECT id FROM objects")]
        contents = [objects.get(ObjectId(one)) for one in ids]

    assert len(contents) > 1000
    assert [content for content in contents if any(name in content for name in names)] == []
