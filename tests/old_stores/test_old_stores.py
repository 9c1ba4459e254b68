"""A store that an old clew wrote still opens, lists, restores, checks clean and can be worked on."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from clew import opening
from clew.errors import CheckpointRemoved, DuplicateEffect
from clew.store import schema
from clew.store.format_file import VERSION
from clew.workspace import Workspace
from tests.old_stores import agent
from tests.old_stores.describe import describe
from tests.old_stores.make import LOOK

HERE = Path(__file__).parent
ARCHIVES = sorted(path.name for path in HERE.glob("v*.tar.gz"))
WITH_LOOKS = [f"v1-catalogue-{number}.tar.gz" for number in range(7, schema.VERSION + 1)]
WITH_SESSIONS = [f"v1-catalogue-{number}.tar.gz" for number in range(4, schema.VERSION + 1)]


as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="the archived files belong to root, and only root can give them back"
)


class Old:
    """An old store, unpacked and attached to a directory."""

    def __init__(self, archive: str, place: Path) -> None:
        with tarfile.open(HERE / archive) as content:
            content.extractall(place, filter="data")
        self.store = place / "store"
        self.project = place / "project"
        self.manifest: dict[str, Any] = json.loads((place / "manifest.json").read_text())
        self.project.mkdir()
        self.store.chmod(0o700)
        clew, _ = opening.init(
            self.project, store=str(self.store), attach=self.manifest["workspace"]
        )
        clew.close()

    def open(self) -> Workspace:
        return opening.open(self.project, store=str(self.store))


@pytest.fixture(params=ARCHIVES)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Old:
    return Old(request.param, tmp_path)


@pytest.fixture(params=WITH_SESSIONS)
def old_session(request: pytest.FixtureRequest, tmp_path: Path) -> Old:
    return Old(request.param, tmp_path)


def test_no_version_is_forgotten() -> None:
    catalogues = [f"v1-catalogue-{number}.tar.gz" for number in range(2, schema.VERSION + 1)]

    assert VERSION == "1"
    assert sorted(["v1.tar.gz", *catalogues]) == ARCHIVES


@pytest.mark.parametrize("archive", ARCHIVES)
def test_each_is_of_the_version_it_says(archive: str) -> None:
    with tarfile.open(HERE / archive) as content:
        catalogue = content.extractfile("store/catalog.db")
        assert catalogue is not None
        version = int.from_bytes(catalogue.read(64)[60:], "big")  # SQLite's user_version

    assert archive == ("v1.tar.gz" if version == 1 else f"v1-catalogue-{version}.tar.gz")


def test_it_is_whole(old: Old) -> None:
    with old.open() as clew:
        result = clew.store.check(read_data=True)

        assert result.damages == ()
        assert result.checkpoints == len(old.manifest["checkpoints"]) + 1


def test_its_timeline_is_what_it_was(old: Old) -> None:
    with old.open() as clew:
        timeline = clew.log().checkpoints
        found = [
            (one.id.hex(), one.labels.intent, one.labels.name, one.record.tree.hex())
            for one in reversed(timeline)
            if not one.is_rescue
        ]

        assert found == [
            (one["id"], one["intent"], one["name"], one["tree"])
            for one in old.manifest["checkpoints"]
        ]
        assert [one.id.hex() for one in timeline if one.is_rescue] == [old.manifest["rescue"]]
        assert clew.settings.all()["exclude"] == "*.tmp"


@as_root
def test_every_checkpoint_is_restored_as_it_was(old: Old) -> None:
    with old.open() as clew:
        for one in old.manifest["checkpoints"]:
            result = clew.restore(one["id"])
            expected = {
                path: found
                for path, found in one["files"].items()
                if not bytes.fromhex(path).endswith(b".tmp")
            }

            assert result.verified, result.problems
            assert describe(str(old.project)) == expected


@as_root
def test_the_same_files_still_have_the_same_id(old: Old) -> None:
    """A new reader that encoded trees another way would store everything again."""
    one = old.manifest["checkpoints"][0]
    with old.open() as clew:
        clew.settings.unset("exclude")
        clew.restore(one["id"])
        saved = clew.save("again").checkpoint.record

        assert saved.state.hex() == one["state"]


@pytest.mark.parametrize("archive", WITH_LOOKS)
def test_what_databases_said_is_still_known(archive: str, tmp_path: Path) -> None:
    old = Old(archive, tmp_path)
    with old.open() as clew:
        assert old.manifest["looked"]
        assert clew.show("good-one").look == LOOK


def test_it_can_be_worked_on(old: Old) -> None:
    with old.open() as clew:
        first = old.manifest["checkpoints"][0]["id"]
        clew.restore(old.manifest["checkpoints"][1]["id"])
        (old.project / "new").write_text("made by a newer clew")
        clew.save("newer")
        clew.delete([first], purge=True)
        clew.store.gc()

        assert clew.store.check(read_data=True).whole
        assert first not in {one.id.hex() for one in clew.log().checkpoints}


def test_what_was_removed_says_by_which_rule(old: Old) -> None:
    with old.open() as clew:
        for identifier, rule in old.manifest.get("removed", {}).items():
            with pytest.raises(CheckpointRemoved) as gone:
                clew.resolve(identifier)

            assert gone.value.tombstone.rule == rule


@pytest.mark.parametrize("archive", ["v1-catalogue-4.tar.gz"])
def test_what_an_older_clew_removed_says_that_no_rule_is_known(
    archive: str, tmp_path: Path
) -> None:
    old = Old(archive, tmp_path)
    with old.open() as clew, clew.reading_context() as context:
        rows = context.store.database.execute(
            "SELECT id FROM checkpoints WHERE deleted IS NOT NULL"
        )
        with pytest.raises(CheckpointRemoved, match="the rule was not recorded") as gone:
            clew.resolve(rows[0][0].hex())

        assert gone.value.tombstone.rule is None
        assert str(gone.value).startswith(f"Checkpoint was removed: {rows[0][0].hex()[:8]} (20")


def test_a_restore_that_was_proven_is_still_said_to_be(old: Old) -> None:
    with old.open() as clew:
        for one in old.manifest["checkpoints"]:
            drill = clew.resolve(one["id"]).drill

            assert (drill is not None and drill.is_proven) == (
                one["id"] == old.manifest.get("drilled")
            )


@as_root
def test_a_restore_of_each_can_be_proven(old: Old) -> None:
    with old.open() as clew:
        for one in old.manifest["checkpoints"]:
            assert clew.drill(one["id"]).drill.is_proven


def test_what_an_agent_said_planned_and_did_is_still_there(old_session: Old) -> None:
    with old_session.open() as clew:
        found = agent.session_now(clew)

        assert found == old_session.manifest["session"]


def test_where_it_was_at_each_checkpoint_is_still_there(old_session: Old) -> None:
    with old_session.open() as clew:
        for one in old_session.manifest["checkpoints"]:
            found = agent.position_of(clew, clew.resolve(one["id"]))

            assert found == one["position"]


def test_what_was_done_and_rolled_back_is_still_not_repeated(old_session: Old) -> None:
    with old_session.open() as clew, pytest.raises(DuplicateEffect):
        clew.sessions.current().effect(agent.DEPLOY, tool="deploy", arguments={"to": "production"})


def test_its_session_can_go_on(old_session: Old) -> None:
    with old_session.open() as clew:
        session = clew.sessions.current()
        before = session.messages()
        session.say("said by a newer clew")
        saved = clew.save("newer").checkpoint

        assert session.messages() == [*before, "said by a newer clew"]
        assert agent.position_of(clew, saved)["session"] == session.id
        assert clew.store.check(read_data=True).whole
