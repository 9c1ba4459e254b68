"""The library's own conformance suite: all eight capabilities, each way of calling."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.checkpoint.conformance.report import CapabilityReport

import clew
from clew.agents.langgraph import ClewSaver
from tests.kit.running import SOURCE


class CalledDirectly(ClewSaver):
    """The suite calls asynchronous methods only: here they are the synchronous ones themselves."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  the library's word
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for one in self.list(config, filter=filter, before=before, limit=limit):
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.prune(thread_ids, strategy=strategy)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return self.get_delta_channel_history(config=config, channels=channels)


class Reopened(ClewSaver):
    """Every look and every act is by a saver that has just opened the store, and closes it again."""

    def __init__(self, place: Path) -> None:
        super().__init__(clew.open(place / "project", store=place / "store"), files=False)
        self.place = place

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with fresh(self.place) as other:
            return other.get_tuple(config)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with fresh(self.place) as other:
            return other.put(config, checkpoint, metadata, new_versions)


def fresh(place: Path) -> ClewSaver:
    return ClewSaver(clew.open(place / "project", store=place / "store"), files=False)


def report_of(saver: BaseCheckpointSaver[Any]) -> CapabilityReport:
    """Run the whole suite."""

    @checkpointer_test(name="ClewSaver")
    async def factory() -> AsyncGenerator[BaseCheckpointSaver[Any], None]:
        yield saver

    return asyncio.run(validate(factory))


def assert_full(report: CapabilityReport) -> None:
    results = report.to_dict()["results"]

    assert {name: one["failures"] for name, one in results.items() if not one["passed"]} == {}
    assert set(results) == {one.value for one in Capability}
    assert len(results) == 8
    assert all(one["tests_passed"] > 0 for one in results.values())
    assert report.conformance_level() == "FULL"


@pytest.mark.parametrize("files", [True, False])
def test_all_capabilities_pass_asynchronously(workspace: clew.Workspace, files: bool) -> None:
    with ClewSaver(workspace, files=files) as saver:
        assert_full(report_of(saver))


@pytest.mark.parametrize("files", [True, False])
def test_all_capabilities_pass_synchronously(workspace: clew.Workspace, files: bool) -> None:
    with CalledDirectly(workspace, files=files) as saver:
        assert_full(report_of(saver))


def test_all_capabilities_pass_when_the_store_is_opened_anew_for_each_put_and_get(
    workspace: clew.Workspace, tmp_path: Path
) -> None:
    with Reopened(tmp_path) as saver:
        assert_full(report_of(saver))


CHILD = """
import sys
import clew
from clew.agents.langgraph import ClewSaver
from tests.agents_libraries.langgraph.test_conformance import assert_full, report_of

with ClewSaver(clew.open(sys.argv[1], store=sys.argv[2])) as saver:
    assert_full(report_of(saver))
    print(len(list(saver.list(None))))
"""


def test_all_capabilities_pass_in_another_process_and_what_it_kept_is_here(
    saver: ClewSaver, project: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(project), str(tmp_path / "store")],
        env={**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{SOURCE.parent}"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert len(list(saver.list(None))) == int(done.stdout) > 20
