"""When, and under which intent, something appeared or changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.model.fact import Fact, FactBasis
from clew.model.results import Blame
from clew.operations.history.blame import _about
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.operations.quiet import quiet

__all__ = ["quiet"]

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.fixture
def history(ws: Workspace, project: Path) -> Workspace:
    (project / ".env").write_text("A=1\n")
    save(ws, "begin")
    (project / ".env").write_text("A=1\nB=1\n")
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    save(ws, "add B")
    (project / ".env").write_text("A=1\nB=2\n")
    save(ws, "turn B")
    (project / "sub" / "file").chmod(0o600)
    save(ws, "hide")
    (project / "sub" / "file").unlink()
    save(ws, "tidy up")
    return ws


def said(found: Blame) -> list[tuple[str, list[str], list[str]]]:
    return [
        (
            one.checkpoint.labels.intent,
            [fact.kind for fact in one.facts],
            [change.kind for change in one.changes],
        )
        for one in found.matches
    ]


def test_a_key_is_found_in_every_story_that_tells_of_it(history: Workspace) -> None:
    assert said(history.blame("B")) == [
        ("turn B", ["env.changed"], []),
        ("add B", ["env.added"], []),
    ]


def test_a_path_is_found_wherever_it_changed(history: Workspace, project: Path) -> None:
    assert said(history.blame(str(project / "sub" / "file"))) == [
        ("tidy up", [], ["deleted"]),
        ("hide", [], ["metadata"]),
        ("add B", [], ["added"]),
    ]


def test_a_path_may_be_what_it_is_from_here(
    history: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "sub")

    assert [one[0] for one in said(history.blame("file"))] == ["tidy up", "hide", "add B"]
    assert [one[0] for one in said(history.blame("../.env"))] == ["turn B", "add B", "begin"]


def test_a_scope_says_which_one(history: Workspace) -> None:
    assert len(history.blame(".env:B").matches) == 2
    assert history.blame("web/.env:B").matches == ()


def test_what_was_always_there_or_never_is_in_no_checkpoint(history: Workspace) -> None:
    assert history.blame("nginx") == Blame("nginx", ())
    assert history.blame("/etc/passwd") == Blame("/etc/passwd", ())
    assert history.blame("") is not None


def test_here_is_marked(history: Workspace, project: Path) -> None:
    found = history.blame(str(project / "sub" / "file"))

    assert [one.checkpoint.is_here for one in found.matches] == [True, False, False]


def test_a_parent_that_was_deleted_is_passed_over(history: Workspace, project: Path) -> None:
    history.delete(["@~3"])

    assert [one[0] for one in said(history.blame(str(project / "sub" / "file")))] == [
        "tidy up",
        "hide",
        "turn B",
    ]


def test_a_path_of_any_bytes_can_be_asked_for(ws: Workspace, project: Path) -> None:
    save(ws, "begin")
    (project / "bad\udcff").write_text("1")
    save(ws, "odd")

    assert said(ws.blame(os.fsdecode(bytes(project) + b"/bad\xff"))) == [("odd", [], ["added"])]


def test_a_port_is_found_by_its_number(ws: Workspace, quiet: FakeHost) -> None:
    save(ws, "begin")
    quiet.listen(8000, "flask run", os.fsdecode(ws.info.path))
    save(ws, "serve")

    for subject in ("8000", "port 8000", "127.0.0.1:8000", "tcp:127.0.0.1:8000"):
        assert said(ws.blame(subject)) == [("serve", ["port.opened"], [])]
    assert ws.blame("80").matches == ()


@pytest.mark.parametrize(
    ("thing", "fact"),
    [
        ("nginx", Fact("package.added", "apt", "nginx")),
        ("apt:nginx", Fact("package.added", "apt", "nginx")),
        ("nginx", Fact("service.enabled", "systemd", "nginx.service")),
        ("nginx.service", Fact("service.enabled", "systemd", "nginx.service")),
        ("users", Fact("table.changed", "sqlite:app.db", "users")),
        ("app.db:users", Fact("table.changed", "sqlite:app.db", "users")),
        ("sqlite:app.db:users", Fact("table.changed", "sqlite:app.db", "users")),
        ("web/.venv:flask", Fact("package.added", "pip:web/.venv", "flask")),
    ],
)
def test_a_thing_has_several_names(thing: str, fact: Fact) -> None:
    assert list(_about(thing, [fact])) == [fact]


@pytest.mark.parametrize(
    ("thing", "fact"),
    [
        ("ngin", Fact("package.added", "apt", "nginx")),
        ("pip:nginx", Fact("package.added", "apt", "nginx")),
        ("8000", Fact("data.changed", "x", "file:8000")),
        ("python", Fact("process.started", "/", "python x", basis=FactBasis.LIVE)),
    ],
)
def test_what_only_looks_alike_is_another(thing: str, fact: Fact) -> None:
    assert list(_about(thing, [fact])) == []
