"""Chimera's own state in `.chimera/` is neither captured nor restored."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import clew
from clew.compat.chimera import GhostCommitManager, GitEnvironment, LocalEnvironment, workspaces

ENVIRONMENTS = [LocalEnvironment, GitEnvironment]
Make = Callable[[Path], LocalEnvironment]


def remember(project: Path, text: str) -> None:
    """Do what Chimera does while it works."""
    for place in (project / ".chimera", project / "sub" / ".chimera"):
        (place / "sessions").mkdir(parents=True, exist_ok=True)
        (place / "sessions" / "log").write_text(text)


def remembered(project: Path) -> list[str]:
    return [(project / at / "sessions" / "log").read_text() for at in (".chimera", "sub/.chimera")]


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_what_it_made_since_is_not_deleted(project: Path, make: Make) -> None:
    env = make(project)
    (project / "file").write_text("one")
    identifier = env.checkpoint()
    remember(project, "made later")
    (project / "file").write_text("two")
    env.restore(identifier)

    assert (project / "file").read_text() == "one"
    assert remembered(project) == ["made later"] * 2


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_what_it_wrote_since_is_not_taken_back(project: Path, make: Make) -> None:
    remember(project, "old")
    env = make(project)
    identifier = env.checkpoint()
    remember(project, "new")
    env.restore(identifier)

    assert remembered(project) == ["new"] * 2
    assert not env.differs_from(identifier)


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_a_checkpoint_that_still_held_it_does_not_bring_it_back(
    project: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(project, "old")
    (project / "file").write_text("one")
    env = make(project)
    with monkeypatch.context() as before:
        before.setattr(workspaces, "OWN_STATE", ())  # as it was once
        identifier = env.checkpoint()
    remember(project, "new")
    (project / "file").write_text("two")
    env.restore(identifier)

    assert (project / "file").read_text() == "one"
    assert remembered(project) == ["new"] * 2


def test_the_command_line_leaves_it_alone_too(project: Path) -> None:
    env = LocalEnvironment(project)
    (project / "file").write_text("one")
    identifier = env.reference(env.checkpoint())
    remember(project, "made later")
    (project / "file").write_text("two")
    with clew.open(project) as workspace:
        workspace.restore(identifier)

    assert (project / "file").read_text() == "one"
    assert remembered(project) == ["made later"] * 2


def test_what_the_user_left_out_stays_left_out(project: Path) -> None:
    with clew.open(project, create=True) as workspace:
        workspace.settings.set("exclude", "*.log\n.chimera")
    LocalEnvironment(project).checkpoint()

    with clew.open(project) as workspace:
        left_out = workspace.settings.all()["exclude"].splitlines()
    assert left_out == ["*.log", ".chimera", ".chimera_checkpoints"]


def test_the_undo_of_a_ghost_leaves_it_alone(project: Path, ghost: GhostCommitManager) -> None:
    (project / "file").write_text("one")
    ghost.snapshot("before")
    remember(project, "made later")
    (project / "file").write_text("two")
    ghost.undo()

    assert (project / "file").read_text() == "one"
    assert remembered(project) == ["made later"] * 2


def test_a_clone_begins_without_it(project: Path) -> None:
    remember(project, "old")
    clone = LocalEnvironment(project).clone()

    assert ".chimera" not in os.listdir(clone.workdir)
