"""Named checkpoints of any environment: names, descriptions and times on top of raw ids.

The environment needs `checkpoint()` and `restore(id)`, nothing else.
The records are kept in the store: another process that manages the same environment finds them.
"""

from __future__ import annotations

import os
import time
from typing import Protocol, runtime_checkable
from uuid import uuid4

from clew.compat.chimera.places import Records
from clew.model.named_tuple import NamedTuple
from clew.places import StrPath
from clew.policy.labels import label
from clew.store.ledgers import Entry


class Restorable(Protocol):
    """The least that can be managed."""

    def checkpoint(self) -> str: ...

    def restore(self, checkpoint_id: str, /) -> None: ...


@runtime_checkable
class ComparableEnvironment(Protocol):
    """An environment that knows whether it is still what a checkpoint holds."""

    def differs_from(self, checkpoint_id: str) -> bool: ...


@runtime_checkable
class Labelling(Protocol):
    """An environment whose checkpoints can carry what was said of them."""

    def label(self, checkpoint_id: str, name: str, description: str) -> None: ...


class CheckpointInfo(NamedTuple):
    """What is known of one checkpoint."""

    id: str
    name: str
    timestamp: float
    description: str = ""

    @property
    def time_str(self) -> str:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.timestamp))


class CheckpointManager:
    """Names the checkpoints of an environment, finds them again, and walks back along them.

    `name` says whose records these are; by default that is the environment's directory.  An
    environment without one starts empty each time, because its ids may mean nothing elsewhere.
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
        """Whether a loop is to make checkpoints by itself; `LoopConfig` does."""
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
        """Go back to the newest checkpoint of a name."""
        info = self.get(name)
        if info is None:
            raise KeyError(f"No checkpoint named {name!r}")
        return self._restore(info)

    def restore_by_id(self, checkpoint_id: str) -> CheckpointInfo:
        """Go back to the checkpoint with an id of the environment."""
        for info in self.list_checkpoints():
            if info.id == checkpoint_id:
                return self._restore(info)
        raise KeyError(f"No checkpoint with ID {checkpoint_id!r}")

    def undo(self) -> CheckpointInfo | None:
        """Go back to the newest checkpoint, then to the one before it, and so on.

        None when there is nothing further back.  Where the environment was changed since the last
        undo, and can tell, those changes are taken back first.
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
        """Return all checkpoints in the order in which they were made."""
        return [_info(entry) for entry in self._records.read().entries.values()]

    def get(self, name: str) -> CheckpointInfo | None:
        """Return the newest checkpoint of a name, or None."""
        named = [info for info in self.list_checkpoints() if info.name == name]
        return named[-1] if named else None

    def delete(self, name: str) -> CheckpointInfo:
        """Forget the newest checkpoint of a name; what the environment saved is not touched."""
        with self._records.changing() as ledger:
            for number, entry in reversed(ledger.entries.items()):
                if entry["name"] == name:
                    return _info(ledger.entries.pop(number))
        raise KeyError(f"No checkpoint named {name!r}")

    def clear(self) -> None:
        """Forget all checkpoints; what the environment saved is not touched."""
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
    """Return what an environment is known by: its own word, its directory, else nothing lasting."""
    own = getattr(env, "records_key", None)
    if own is not None:
        return str(own)
    for attribute in ("workdir", "working_dir"):
        directory = getattr(env, attribute, None)
        if directory is not None and os.path.isdir(directory):
            return f"{type(env).__name__} {os.path.realpath(directory)}"
    return uuid4().hex
