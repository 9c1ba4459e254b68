"""A temporary project and store; the user's own store is never used."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.compat.chimera import CheckpointManager, GhostCommitManager, LocalEnvironment


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def env(project: Path) -> LocalEnvironment:
    return LocalEnvironment(project)


@pytest.fixture
def manager(env: LocalEnvironment) -> CheckpointManager:
    return CheckpointManager(env)


@pytest.fixture
def ghost(project: Path) -> GhostCommitManager:
    return GhostCommitManager(project)
