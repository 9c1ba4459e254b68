"""Checkpoint manager: names, descriptions and times for the checkpoints of any environment.

An environment needs only `checkpoint()` and `restore(id)`.
The records are in the store: another process that manages the same environment finds them.
Checkpoints that a user saved with a name or an intent, with `/checkpoint create` or `clew save`, are
found too.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Protocol, runtime_checkable
from uuid import uuid4

from clew.compat.chimera.workspaces import Records
from clew.places import StrPath
from clew.policy.labels import label
from clew.store.ledgers import Entry, Ledger


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


@dataclass
class CheckpointInfo:
    """The record of one checkpoint."""

    id: str
    name: str
    timestamp: float
    description: str = ""

    @property
    def time_str(self) -> str:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.timestamp))


@runtime_checkable
class SharedHistory(Protocol):
    """An environment whose checkpoints are also saved, named and deleted by a user."""

    def saved_by_hand(self) -> list[CheckpointInfo]: ...

    def existing(self, checkpoint_ids: set[str]) -> set[str]: ...


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
        others = 0 if label(name) else len(self._saved_by_hand(self._records.read()))
        with self._records.changing() as ledger:
            entry = {
                "id": checkpoint_id,
                "name": label(name) or f"checkpoint-{len(ledger.entries) + others + 1}",
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
            info = self._step_back(self._listed(ledger), _position(ledger))
            if info is None:
                return None
            self._env.restore(info.id)
            with self._records.changing() as ledger:
                ledger.state["at"] = [info.id, info.timestamp]
            return info

    def list_checkpoints(self) -> list[CheckpointInfo]:
        """Return all checkpoints, oldest first."""
        return self._listed(self._records.read())

    def get(self, name: str) -> CheckpointInfo | None:
        """Return the newest checkpoint with a name, or None."""
        named = [info for info in self.list_checkpoints() if info.name == name]
        return named[-1] if named else None

    def delete(self, name: str) -> CheckpointInfo:
        """Delete the record of the newest checkpoint with a name; the environment's data remains."""
        info = self.get(name)
        if info is None:
            raise KeyError(f"No checkpoint named {name!r}")
        with self._records.changing() as ledger:
            for number, entry in reversed(ledger.entries.items()):
                if _info(entry) == info:
                    del ledger.entries[number]
                    return info
            ledger.state["hidden"] = [*ledger.state.get("hidden", []), info.id]
        return info

    def clear(self) -> None:
        """Delete all records; the environment's data remains."""
        hidden = [one.id for one in self._saved_by_hand(self._records.read())]
        with self._records.changing() as ledger:
            ledger.entries.clear()
            ledger.state["at"] = None
            ledger.state["hidden"] = [*ledger.state.get("hidden", []), *hidden]

    def _listed(self, ledger: Ledger) -> list[CheckpointInfo]:
        """Return the records and what was saved by hand, oldest first, without what was deleted."""
        records = [_info(entry) for entry in ledger.entries.values()]
        if isinstance(self._env, SharedHistory):
            existing = self._env.existing({one.id for one in records})
            records = [one for one in records if one.id in existing]
        return sorted(records + self._saved_by_hand(ledger), key=lambda one: one.timestamp)

    def _saved_by_hand(self, ledger: Ledger) -> list[CheckpointInfo]:
        if not isinstance(self._env, SharedHistory):
            return []
        hidden = set(ledger.state.get("hidden", []))
        return [one for one in self._env.saved_by_hand() if one.id not in hidden]

    def _restore(self, info: CheckpointInfo) -> CheckpointInfo:
        self._env.restore(info.id)
        with self._records.changing() as ledger:
            ledger.state["at"] = None
        return info

    def _step_back(
        self, listed: list[CheckpointInfo], at: tuple[str, float] | None
    ) -> CheckpointInfo | None:
        if at is None:
            return listed[-1] if listed else None
        current = next((one for one in listed if (one.id, one.timestamp) == at), None)
        if current is not None and isinstance(self._env, ComparableEnvironment):
            if self._env.differs_from(current.id):
                return current
        earlier = [one for one in listed if one.timestamp < at[1]]
        return earlier[-1] if earlier else None


def _position(ledger: Ledger) -> tuple[str, float] | None:
    """Return the id and the time of the checkpoint that the last undo restored."""
    at = ledger.state.get("at")
    if isinstance(at, int):  # the number of a record, as older versions wrote it
        entry = ledger.entries.get(at)
        return (entry["id"], entry["time"]) if entry else None
    return (at[0], at[1]) if at else None


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
