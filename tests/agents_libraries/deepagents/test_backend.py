"""The backend wrapper behaves like the backend, and checkpoints its changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from deepagents.backends import CompositeBackend, FilesystemBackend, LocalShellBackend, StateBackend
from deepagents.backends.protocol import BackendProtocol, ExecuteResponse, SandboxBackendProtocol
from deepagents.backends.sandbox import BaseSandbox
from deepagents.middleware.filesystem import supports_execution

from clew.agents.deepagents import ClewBackend
from clew.agents.hooks import log
from clew.workspace import Workspace
from tests.agents_libraries.deepagents.conftest import failed, intents

Files = Callable[[], list[str]]


def shell(project: Path) -> LocalShellBackend:
    return LocalShellBackend(root_dir=project, virtual_mode=True, inherit_env=True)


def watched(project: Path, workspace: Workspace) -> LocalShellBackend:
    made = ClewBackend(shell(project), workspace)
    assert isinstance(made, LocalShellBackend)
    return made


def test_what_a_backend_changes_is_kept_and_can_be_taken_back(
    project: Path, workspace: Workspace, files: Files
) -> None:
    backend = watched(project, workspace)
    backend.write("/one", "1")
    backend.execute("echo 2 > two; rm old")
    backend.execute("echo 3 > three; exit 3")
    backend.edit("/one", "1", "changed")
    backend.delete("/two")
    backend.upload_files([("/four", b"4")])

    assert intents(workspace) == [
        "before the session",
        "write_file one",
        "echo 2 > two; rm old",
        "echo 3 > three; exit 3",
        "edit_file one",
        "delete two",
        "upload_files",
    ]
    assert failed(workspace) == ["echo 3 > three; exit 3: exit code 3"]

    workspace.restore(workspace.log().checkpoints[-1].id.hex())

    assert files() == ["old"]


def test_asynchronous_calls_are_kept_in_the_same_way(
    project: Path, workspace: Workspace, files: Files
) -> None:
    backend = watched(project, workspace)

    async def work() -> None:
        await backend.awrite("/one", "1")
        await backend.aexecute("echo 2 > two; rm old")
        await backend.aedit("/one", "1", "changed")
        await backend.adelete("/two")
        await asyncio.gather(*(backend.awrite(f"/many-{at}", "m") for at in range(8)))

    asyncio.run(work())

    assert intents(workspace)[:5] == [
        "before the session",
        "write_file one",
        "echo 2 > two; rm old",
        "edit_file one",
        "delete two",
    ]

    workspace.restore(workspace.log().checkpoints[-1].id.hex())

    assert files() == ["old"]


def test_an_edit_that_failed_is_recorded_with_the_next_checkpoint(
    project: Path, workspace: Workspace
) -> None:
    backend = watched(project, workspace)
    result = backend.edit("/old", "not in it", "x")
    backend.write("/one", "1")

    assert result.error
    assert failed(workspace)[0].startswith("edit_file old: ")


def test_what_raises_is_recorded_and_raised(project: Path, workspace: Workspace) -> None:
    backend = watched(project, workspace)
    with pytest.raises(ValueError, match="timeout"):
        backend.execute("echo 1 > one", timeout=-1)
    backend.write("/one", "1")

    assert failed(workspace)[0].startswith("echo 1 > one: ValueError: timeout")


def test_reading_looks_at_nothing_and_keeps_nothing(project: Path, workspace: Workspace) -> None:
    backend = watched(project, workspace)
    found = backend.read("/old").file_data
    listed = backend.ls("/").entries
    matched = backend.grep("before", path="/").matches

    assert found is not None
    assert found["content"] == "from before\n"
    assert listed is not None
    assert matched is not None
    assert workspace.log().checkpoints == ()


@pytest.mark.parametrize("kind", [FilesystemBackend, LocalShellBackend])
def test_it_is_what_the_backend_is(
    project: Path, workspace: Workspace, kind: type[FilesystemBackend]
) -> None:
    made = ClewBackend(kind(root_dir=project, virtual_mode=True), workspace)

    assert isinstance(made, kind)
    assert isinstance(made, ClewBackend)
    assert supports_execution(made) == (kind is LocalShellBackend)
    assert made.cwd == project


def test_what_the_backend_cannot_do_is_not_offered(workspace: Workspace) -> None:
    made = ClewBackend(BackendWithoutDelete(), workspace)

    assert type(made).delete is BackendProtocol.delete
    assert not isinstance(made, SandboxBackendProtocol)
    assert made.something_newer() == "as it is"  # type: ignore[attr-defined]


class BackendWithoutDelete(BackendProtocol):
    """A backend of somebody else, with a method that nobody has heard of."""

    def something_newer(self) -> str:
        return "as it is"


class RemoteLike(BaseSandbox):
    """A sandbox that does everything by executing commands."""

    def __init__(self, inner: LocalShellBackend) -> None:
        self.inner = inner

    @property
    def id(self) -> str:
        return "remote"

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        return self.inner.execute(command)

    def upload_files(self, files):  # type: ignore[no-untyped-def]
        return self.inner.upload_files(files)

    def download_files(self, paths):  # type: ignore[no-untyped-def]
        return self.inner.download_files(paths)


def test_what_a_backend_does_by_its_own_methods_is_told_once(
    project: Path, workspace: Workspace
) -> None:
    made = ClewBackend(RemoteLike(LocalShellBackend(root_dir=project, inherit_env=True)), workspace)
    assert isinstance(made, RemoteLike)
    made.write(str(project / "one"), "1")
    made.execute_with_offload("echo 2 > two", str(project / "out"), max_inline_bytes=1000)

    assert intents(workspace) == ["before the session", "write_file one", "echo 2 > two"]


def test_a_part_of_a_composite_is_watched_there(
    project: Path, workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    notes = FilesystemBackend(root_dir=tmp_path / "notes", virtual_mode=True)
    made = CompositeBackend(default=watched(project, workspace), routes={"/notes/": notes})
    made.write("/one", "1")
    made.write("/notes/two", "2")
    made.execute("echo 3 > three")

    assert supports_execution(made)
    assert intents(workspace) == ["before the session", "write_file one", "echo 3 > three"]


def test_what_the_gate_refuses_is_not_run(
    project: Path, workspace: Workspace, files: Files
) -> None:
    workspace.settings.set("gate", "on")
    workspace.settings.set("gate.rules", "command make release  # publish: it is out then\n")
    backend = watched(project, workspace)
    refused = backend.execute("touch pushed; make release")
    later = asyncio.run(backend.aexecute("touch pushed; make release"))

    assert files() == ["old"]
    assert (refused.exit_code, later.exit_code) == (126, 126)
    assert "Approval required" in refused.output


def test_a_person_who_is_asked_can_allow_it(project: Path, workspace: Workspace) -> None:
    workspace.settings.set("gate", "on")
    workspace.settings.set("gate.rules", "command make release  # publish: it is out then\n")
    asked: list[str] = []

    def yes(question: str) -> bool:
        asked.append(question)
        return True

    backend = ClewBackend(shell(project), workspace, ask=yes)
    assert isinstance(backend, LocalShellBackend)
    done = backend.execute("touch pushed; make release || true")

    assert done.exit_code == 0
    assert "make release" in asked[0]


def test_a_model_is_told_of_a_restore_with_the_next_output(
    project: Path, workspace: Workspace
) -> None:
    backend = watched(project, workspace)
    backend.write("/one", "1")
    backend.write("/two", "2")
    workspace.restore(workspace.log().checkpoints[-1].id.hex())
    told = backend.execute("true")
    again = backend.execute("true")

    assert "From clew" in told.output
    assert "From clew" not in again.output


def test_a_backend_goes_on_where_nothing_can_be_kept(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Files
) -> None:
    (tmp_path / "store").write_text("this is no store")
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    made = ClewBackend(shell(project), project)
    assert isinstance(made, LocalShellBackend)
    result = made.write("/one", "1")
    [*_, first] = log.recent(log.log_path({"HOME": str(tmp_path / "home")}))

    assert result.error is None
    assert files() == ["old", "one"]
    assert (first.agent, first.directory) == ("deepagents", str(project))


def test_a_backend_without_files_is_left_as_it_is(workspace: Workspace) -> None:
    made = ClewBackend(StateBackend(), workspace)

    assert isinstance(made, StateBackend)
