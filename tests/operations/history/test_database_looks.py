"""What running database servers say is asked for after a commit, if the user wants it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.model.database_look import LookedDatabase, LookedServer, LookedTable
from clew.operations.history import stories_process
from clew.operations.history.database_looks import LIVE_DATABASES, is_look_due
from clew.render import card
from clew.render import json as json_output
from clew.render.style import Style
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.operations.quiet import quiet

__all__ = ["quiet"]

LOOK = Style(1_800_000_000_000_000_000, lambda _: 0, 200, colour=False)


def server(*tables: tuple[str, int], problem: str = "") -> LookedServer:
    shop = LookedDatabase("shop", tuple(LookedTable(*one) for one in tables))
    databases = () if problem else (shop,)
    return LookedServer("postgres", "data", "15.18", databases, ("postgres",), problem)


def in_background(ws: Workspace, host: FakeHost) -> None:
    """Do what the process in the background does."""
    store = ws._access.store
    lock = store.locks.try_stories(ws._access.info.uuid)
    assert lock is not None
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLEW_BACKGROUND", "on")
            stories_process.run(store.layout.root, ws._access.info.uuid, lock, host)
    finally:
        os.close(lock)


@pytest.fixture
def looking(ws: Workspace, project: Path, quiet: FakeHost) -> Workspace:
    ws.settings.set(LIVE_DATABASES, "on")
    quiet.servers = (server(("orders", 5000), ("invoices", 800)),)
    (project / "a").write_text("1")
    save(ws, "first")
    in_background(ws, quiet)
    return ws


def test_nobody_is_asked_unless_the_user_wants_it(
    ws: Workspace, project: Path, quiet: FakeHost
) -> None:
    quiet.servers = (server(("orders", 5000)),)
    (project / "a").write_text("1")
    first = save(ws, "first")
    in_background(ws, quiet)

    assert quiet.looks == 0
    assert ws.show(first).look is None


def test_an_answer_is_kept_beside_the_newest_checkpoint(
    looking: Workspace, quiet: FakeHost
) -> None:
    details = looking.show("latest")

    assert details.look is not None
    assert details.look.servers == quiet.servers
    assert quiet.looks == 1
    in_background(looking, quiet)
    assert quiet.looks == 1  # an answer stays what it was


def test_a_difference_becomes_a_part_of_the_story(
    looking: Workspace, project: Path, quiet: FakeHost
) -> None:
    quiet.servers = (server(("orders", 5000)),)
    (project / "a").write_text("2")
    second = save(looking, "second")
    assert "invoices" not in looking.show(second).story.headline

    in_background(looking, quiet)

    story = looking.show(second).story
    assert story.headline.startswith("! PostgreSQL shop (live): table invoices dropped (~800 rows)")
    assert [fact.basis for fact in story.facts if fact.subject == "invoices"] == ["live"]


def test_an_old_checkpoint_is_not_looked_at(
    looking: Workspace, project: Path, quiet: FakeHost
) -> None:
    (project / "a").write_text("2")
    save(looking, "second")
    assert is_look_due(looking._access.context, set())

    with quiet.shifted(300 * 1_000_000_000):
        in_background(looking, quiet)

    assert quiet.looks == 1


def test_a_server_that_does_not_answer_is_said_to(
    looking: Workspace, project: Path, quiet: FakeHost
) -> None:
    quiet.servers = (server(problem="it asks for a password"),)
    (project / "a").write_text("2")
    save(looking, "second")
    in_background(looking, quiet)

    text = "\n".join(card.shown(looking.show("latest"), LOOK))
    assert "PostgreSQL 15.18 in data: not looked at, it asks for a password" in text


def test_show_tells_tables_and_when_they_were_looked_at(looking: Workspace) -> None:
    details = looking.show("latest")
    text = "\n".join(card.shown(details, LOOK))

    assert "Databases (live), looked at " in text
    assert " after the capture" in text
    assert "shop: orders (~5,000 rows), invoices (~800 rows)" in text
    value = json.loads(json.dumps(json_output.shown(details)))["databases"]
    assert value["servers"][0]["databases"][0]["tables"][0] == {"name": "orders", "row_count": 5000}


def test_a_purged_checkpoint_leaves_no_look(
    looking: Workspace, project: Path, quiet: FakeHost
) -> None:
    first = looking.show("latest").checkpoint
    (project / "a").write_text("2")
    save(looking, "second")
    in_background(looking, quiet)

    looking.delete([first.id.hex()], purge=True)

    rows = looking._access.store.database.execute("SELECT checkpoint FROM looks")
    assert [row[0] for row in rows] == [bytes(looking.show("latest").checkpoint.id)]
