"""Checkpoint manager: names, descriptions and times for the checkpoints of any environment.

An environment needs only `checkpoint()` and `restore(id)`.
The records are in the store: another process that manages the same environment finds them.
"""

from __future__ import annotations

import os
import time
from typing import Protocol, runtime_checkable
from uuid import uuid4

from clew.compat.chimera.workspaces import Records
from clew.model.named_tuple import NamedTuple
from clew.places import StrPath
from clew.policy.labels import label
from clew.store.ledgers import Entry


class Restorable(Protocol):
    """The minimal interface that can be managed."""

    def checkpoint(self) -> str: ...

    def restore(self, checkpoint_id: str, /) -> None: ...


@runtime_checkable
class ComparableEnvironment(Protocol):
    """An environment that can compare itself with a checkpoint."""

    def differs_from(self, checkpoint_id: str) -> bool: ...


@runtime_checkable
class Labelling(Protocol):
    """An environment whose checkpoints can be labelled."""

    def label(self, checkpoint_id: str, name: str, description: str) -> None: ...


class CheckpointInfo(NamedTuple):
    """The record of one checkpoint."""

    id: str
    name: str
    timestamp: float
    description: str = ""

    @property
    def time_str(self) -> str:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.timestamp))


class CheckpointManager:
    """Names the checkpoints of an environment, finds them, and restores them.

    `name` identifies the records; the default is the environment's directory.  For an environment
    without a directory, each manager starts empty, because its ids may be meaningless elsewhere.
    """

    def __init__(
        self, env: Restorable, *, store: StrPath | None = None, name: str | None = None
    ) -> None:
        self._env = env
        self._records = Records(
            f"chimera.checkpoints {name or _key_of(env)}", store or getattr(env, "store", None)
        )
        self._auto_checkpoint = False

    @property
    def auto_checkpoint(self) -> bool:
        """Whether a loop takes checkpoints automatically; `LoopConfig` reads it."""
        return self._auto_checkpoint

    @auto_checkpoint.setter
    def auto_checkpoint(self, value: bool) -> None:
        self._auto_checkpoint = value

    def create(self, name: str = "", description: str = "") -> CheckpointInfo:
        """Save the environment under a name, by default `checkpoint-N`."""
        checkpoint_id = self._env.checkpoint()
        with self._records.changing() as ledger:
            entry = {
                "id": checkpoint_id,
                "name": label(name) or f"checkpoint-{len(ledger.entries) + 1}",
                "time": time.time(),
                "description": label(description),
            }
            ledger.add(entry)
            ledger.state["at"] = None
        info = _info(entry)
        if isinstance(self._env, Labelling):
            self._env.label(checkpoint_id, info.name, info.description)
        return info

    def restore_by_name(self, name: str) -> CheckpointInfo:
        """Restore the newest checkpoint with a name."""
        info = self.get(name)
        if info is None:
            raise KeyError(f"No checkpoint named {name!r}")
        return self._restore(info)

    def restore_by_id(self, checkpoint_id: str) -> CheckpointInfo:
        """Restore the checkpoint with an id of the environment."""
        for info in self.list_checkpoints():
            if info.id == checkpoint_id:
                return self._restore(info)
        raise KeyError(f"No checkpoint with ID {checkpoint_id!r}")

    def undo(self) -> CheckpointInfo | None:
        """Restore the newest checkpoint; on repeated calls, the one before it, and so on.

        Return None if there is no earlier one.  If the environment changed since the last undo, and
        can report that, those changes are reverted first.
        """
        with self._records.walking():
            ledger = self._records.read()
            number = self._step_back(ledger.entries, ledger.state.get("at"))
            if number is None:
                return None
            info = _info(ledger.entries[number])
            self._env.restore(info.id)
            with self._records.changing() as ledger:
                ledger.state["at"] = number
            return info

    def list_checkpoints(self) -> list[CheckpointInfo]:
        """Return all checkpoints, oldest first."""
        return [_info(entry) for entry in self._records.read().entries.values()]

    def get(self, name: str) -> CheckpointInfo | None:
        """Return the newest checkpoint with a name, or None."""
        named = [info for info in self.list_checkpoints() if info.name == name]
        return named[-1] if named else None

    def delete(self, name: str) -> CheckpointInfo:
        """Delete the record of the newest checkpoint with a name; the environment's data remains."""
        with self._records.changing() as ledger:
            for number, entry in reversed(ledger.entries.items()):
                if entry["name"] == name:
                    return _info(ledger.entries.pop(number))
        raise KeyError(f"No checkpoint named {name!r}")

    def clear(self) -> None:
        """Delete all records; the environment's data remains."""
        with self._records.changing() as ledger:
            ledger.entries.clear()
            ledger.state["at"] = None

    def _restore(self, info: CheckpointInfo) -> CheckpointInfo:
        self._env.restore(info.id)
        with self._records.changing() as ledger:
            ledger.state["at"] = None
        return info

    def _step_back(self, entries: dict[int, Entry], at: int | None) -> int | None:
        if at is None:
            return max(entries, default=None)
        if at in entries and isinstance(self._env, ComparableEnvironment):
            if self._env.differs_from(entries[at]["id"]):
                return at
        return max((number for number in entries if number < at), default=None)


def _info(entry: Entry) -> CheckpointInfo:
    return CheckpointInfo(entry["id"], entry["name"], entry["time"], entry["description"])


def _key_of(env: object) -> str:
    """Return the key of an environment: its own, its directory, or a random one."""
    own = getattr(env, "records_key", None)
    if own is not None:
        return str(own)
    for attribute in ("workdir", "working_dir"):
        directory = getattr(env, attribute, None)
        if directory is not None and os.path.isdir(directory):
            return f"{type(env).__name__} {os.path.realpath(directory)}"
    return uuid4().hex
