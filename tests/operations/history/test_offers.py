"""What a shell offers for the beginning of a word."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from clew.model.offer import Offer, OfferKind
from clew.monitor import Monitor
from clew.operations.history.offers import MOST
from clew.workspace import Workspace
from tests.operations.moments import save


def words(ws: Workspace, kind: str, word: str, ref: str | None = None) -> list[str]:
    return [offer.word for offer in ws.offers(kind, word, ref=ref)]


def offered(ws: Workspace, word: str) -> Offer:
    (found,) = ws.offers(OfferKind.CHECKPOINT, word)
    return found


@pytest.fixture
def history(ws: Workspace, project: Path) -> list[str]:
    """Three checkpoints, the second with a name, the first with a passing check."""
    (project / "file").write_text("1")
    first = ws.save("one", verify="true").checkpoint.id.hex()
    (project / "file").write_text("2")
    second = ws.save("two", name="before auth").checkpoint.id.hex()
    (project / "file").write_text("3")
    return [first, second, ws.save("three").checkpoint.id.hex()]


def test_keywords_come_first_then_the_newest(ws: Workspace, history: list[str]) -> None:
    first, _, third = (one[:8] for one in history)

    found = words(ws, OfferKind.CHECKPOINT, "")
    assert found == ["@", "good", "latest", third, "before auth", first]


def test_each_has_its_checkpoint_and_headline(ws: Workspace, history: list[str]) -> None:
    found = {offer.word: offer.checkpoint for offer in ws.offers(OfferKind.CHECKPOINT, "")}
    good, named = found["good"], found["before auth"]

    assert good is not None
    assert good.id.hex() == history[0]
    assert named is not None
    assert (named.labels.intent, named.headline) == ("two", "file changed")


def test_without_a_passing_check_nothing_is_called_good(ws: Workspace) -> None:
    save(ws, "one")

    assert "good" not in words(ws, OfferKind.CHECKPOINT, "")


def test_an_empty_workspace_offers_nothing(ws: Workspace) -> None:
    assert words(ws, OfferKind.CHECKPOINT, "") == []
    assert words(ws, OfferKind.FORK, "") == words(ws, OfferKind.SESSION, "") == []


def test_a_beginning_is_one_of_ids_names_and_steps(ws: Workspace, history: list[str]) -> None:
    assert offered(ws, history[0][:3]).word == history[0][:8]
    assert offered(ws, history[0][:12].upper()).word == history[0]
    assert offered(ws, history[1][:8]).word == history[1][:8]
    assert words(ws, OfferKind.CHECKPOINT, "before a") == ["before auth"]
    assert words(ws, OfferKind.CHECKPOINT, "@~") == ["@~1", "@~2"]
    assert words(ws, OfferKind.CHECKPOINT, "%") == []
    assert words(ws, OfferKind.CHECKPOINT, "0" * 65) == []


def test_only_the_newest_are_offered_and_an_older_one_by_its_beginning(ws: Workspace) -> None:
    made = [ws.save(f"{number}").checkpoint.id.hex() for number in range(MOST + 3)]

    found = words(ws, OfferKind.CHECKPOINT, "")
    assert found == ["@", "latest", *(one[:8] for one in reversed(made[3:]))]
    assert made[0][:8] in words(ws, OfferKind.CHECKPOINT, made[0][:4])


def test_a_path_is_one_of_the_checkpoint(ws: Workspace, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "app.py").write_text("12")
    (project / ".env").write_text("A=1")
    save(ws, "one")
    (project / ".env").unlink()
    (project / "new").touch()
    ws.paths_from = bytes(project)

    assert words(ws, OfferKind.PATH, "", "@") == [".env", "src/"]
    assert ws.offers(OfferKind.PATH, "src/", ref="@") == [Offer("src/app.py", "2 B")]
    assert words(ws, OfferKind.PATH, "../project/s", "@") == ["../project/src/"]
    assert words(ws, OfferKind.PATH, "nowhere/a", "@") == []
    ws.paths_from = bytes(project / "src")
    assert words(ws, OfferKind.PATH, "a", "@") == ["app.py"]


def test_names_that_no_line_holds_and_secrets_are_not_offered(ws: Workspace, project: Path) -> None:
    for name in ("two\nlines", "bell\a", "ghp_" + "a1B2c3D4" * 4 + "zzzz", "plain"):
        (project / name).touch()
    (project / "x").touch()
    with open(bytes(project) + b"/\xff", "w"):
        pass
    save(ws, "one")
    ws.paths_from = bytes(project)

    assert words(ws, OfferKind.PATH, "", "@") == ["plain", "x"]


def test_sessions_forks_and_settings(ws: Workspace, project: Path) -> None:
    (project / "file").touch()
    save(ws, "one")
    session = ws.sessions.open(agent="tester")
    ws.forks.create("@", name="again")
    ws._access.store.settings.set(ws.info.uuid, "verify", "curl -u me:hunter22secret http://x")

    assert words(ws, OfferKind.SESSION, "") == [session.info.id.hex()[:8]]
    assert words(ws, OfferKind.FORK, "ag") == ["again"]
    assert words(ws, OfferKind.SETTING, "keep") == ["keep-last", "keep-within"]
    (verify,) = ws.offers(OfferKind.SETTING, "verify")
    assert "hunter22" not in verify.meaning
    assert ws.offers("nothing", "") == []


def test_it_waits_for_nobody_and_scans_nothing(
    ws: Workspace, project: Path, history: list[str]
) -> None:
    (project / "file").unlink()
    project.rmdir()  # a scan would fail
    found: list[str] = []
    with ws._access.store.locks.exclusive(Monitor()):
        asking = threading.Thread(target=lambda: found.extend(words(ws, "checkpoint", "go")))
        asking.start()
        asking.join(60)

    assert found == ["good"]
