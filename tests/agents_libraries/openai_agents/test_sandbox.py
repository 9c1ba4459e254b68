"""A real SDK sandbox: persisted, changed, resumed; its snapshots are checkpoints."""

from __future__ import annotations

import asyncio
import io
import json
import tarfile
from pathlib import Path
from typing import Any, cast

import pytest
from agents.sandbox.errors import (
    SnapshotNotRestorableError,
    SnapshotPersistError,
    SnapshotRestoreError,
)
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from agents.sandbox.session.sandbox_session import SandboxSession
from agents.sandbox.session.sandbox_session_state import SandboxSessionState
from agents.sandbox.snapshot import SnapshotBase

from clew import opening
from clew.agents.openai_agents.sandbox import ClewSnapshot, ClewSnapshotSpec
from clew.workspace import Workspace


@pytest.fixture
def spec(tmp_path: Path) -> ClewSnapshotSpec:
    return ClewSnapshotSpec(base_path=tmp_path / "sandboxes", store=tmp_path / "store")


async def shell(session: SandboxSession, line: str) -> str:
    result = await session.exec(line, shell=True)
    assert result.exit_code == 0, result.stderr
    return bytes(result.stdout).decode()


async def persisted(spec: ClewSnapshotSpec, *lines: str) -> SandboxSessionState:
    """Run commands in a new sandbox, persist it after each, and remove it."""
    client = UnixLocalSandboxClient()
    session = await client.create(snapshot=spec)
    async with session:
        for line in lines:
            await shell(session, line)
            await session.stop()
    await client.delete(session)
    return session.state


def carried(state: SandboxSessionState) -> SandboxSessionState:
    """Return a state as another process gets it."""
    client = UnixLocalSandboxClient()
    payload = json.loads(json.dumps(client.serialize_session_state(state)))
    return client.deserialize_session_state(payload)


async def resumed(state: SandboxSessionState, line: str) -> str:
    client = UnixLocalSandboxClient()
    session = await client.resume(state)
    async with session:
        found = await shell(session, line)
    await client.delete(session)
    return found


def workspace(spec: ClewSnapshotSpec, state: SandboxSessionState) -> Workspace:
    snapshot = state.snapshot
    assert isinstance(snapshot, ClewSnapshot)
    return opening.open(snapshot.directory, store=spec.store)


def test_a_sandbox_is_resumed_as_it_was(spec: ClewSnapshotSpec) -> None:
    async def there_and_back() -> str:
        make = "mkdir d && echo one > d/file && ln -s d/file link && chmod 755 d/file"
        state = carried(await persisted(spec, make))
        return await resumed(state, "cat link; stat -c %a d/file; readlink link")

    assert asyncio.run(there_and_back()).split() == ["one", "755", "d/file"]


def test_each_snapshot_is_a_checkpoint_that_can_be_compared(spec: ClewSnapshotSpec) -> None:
    state = asyncio.run(persisted(spec, "echo one > file", "echo two > file; echo > new"))
    with workspace(spec, state) as ws:
        newest, oldest = ws.log().checkpoints
        difference = ws.diff(oldest.id.hex(), newest.id.hex())

    assert sorted(change.path for change in difference.changes) == [b"file", b"new"]


def test_going_back_in_the_workspace_takes_the_sandbox_along(spec: ClewSnapshotSpec) -> None:
    state = asyncio.run(persisted(spec, "echo one > file", "echo two > file"))
    with workspace(spec, state) as ws:
        ws.restore(ws.log().checkpoints[-1].id.hex())

    assert asyncio.run(resumed(carried(state), "cat file")) == "one\n"


def test_what_became_of_the_directory_does_not_matter(spec: ClewSnapshotSpec) -> None:
    state = asyncio.run(persisted(spec, "echo one > file"))
    assert isinstance(state.snapshot, ClewSnapshot)
    (state.snapshot.directory / "file").write_text("somebody was here")

    assert asyncio.run(resumed(state, "cat file")) == "one\n"


def test_two_sandboxes_are_two_workspaces(spec: ClewSnapshotSpec) -> None:
    async def both() -> list[str]:
        states = await asyncio.gather(*(persisted(spec, f"echo {n} > file") for n in "ab"))
        return [await resumed(state, "cat file") for state in states]

    assert asyncio.run(both()) == ["a\n", "b\n"]


def test_large_and_odd_files_come_back(spec: ClewSnapshotSpec) -> None:
    async def there_and_back() -> str:
        make = "head -c 3000000 /dev/urandom > big; : > empty; echo x > 'a b'; sha256sum big > sum"
        state = await persisted(spec, make)
        return await resumed(state, "sha256sum -c sum && test -f empty && cat 'a b'")

    assert asyncio.run(there_and_back()).split() == ["big:", "OK", "x"]


def test_a_hostile_archive_is_refused_and_the_snapshot_before_it_stays(
    spec: ClewSnapshotSpec, tmp_path: Path
) -> None:
    snapshot = spec.build("box")

    async def attack() -> list[str]:
        await snapshot.persist(archive("file", b"good"))
        with pytest.raises(SnapshotPersistError):
            await snapshot.persist(archive("../evil", b"bad"))
        with await snapshot.restore() as file, tarfile.open(fileobj=cast("Any", file)) as tar:
            return tar.getnames()

    names = asyncio.run(attack())

    assert names == [".", "file"]
    assert [*tmp_path.rglob("*evil*")] == []
    assert [path.name for path in spec.base_path.iterdir()] == ["sandbox-box"]


def test_an_id_is_never_a_path(spec: ClewSnapshotSpec) -> None:
    snapshot = spec.build("../../etc")

    assert snapshot.directory.parent == spec.base_path


def test_nothing_persisted_is_not_restorable(spec: ClewSnapshotSpec) -> None:
    snapshot = spec.build("never")

    async def look() -> bool:
        with pytest.raises(SnapshotNotRestorableError):
            await snapshot.restore()
        return await snapshot.restorable()

    assert not asyncio.run(look())


def test_a_workspace_around_it_is_not_taken_for_its_own(spec: ClewSnapshotSpec) -> None:
    spec.base_path.mkdir()
    around, _ = opening.init(spec.base_path, spec.store)
    with around:
        around.save("around")

    assert not asyncio.run(spec.build("never").restorable())


def test_a_damaged_store_is_an_error_of_the_sdk(spec: ClewSnapshotSpec) -> None:
    snapshot = spec.build("box")
    assert spec.store is not None
    asyncio.run(snapshot.persist(archive("file", b"x" * 2000)))
    for pack in (spec.store / "packs").rglob("*"):
        if pack.is_file():
            pack.write_bytes(pack.read_bytes()[: pack.stat().st_size // 2])

    with pytest.raises(SnapshotRestoreError):
        asyncio.run(snapshot.restore())


def test_it_is_read_back_by_its_type(spec: ClewSnapshotSpec) -> None:
    snapshot = spec.build("box")

    assert SnapshotBase.parse(json.loads(snapshot.model_dump_json())) == snapshot


def archive(name: str, content: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    file.seek(0)
    return file
