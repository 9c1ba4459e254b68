"""Ghost commits: a stack of snapshots of files, taken before a tool changes them.

A snapshot is a clew checkpoint with the paths of interest, so it records bytes, modes, links and
absence, persists across processes, and stores only what changed.  While a snapshot is on the stack,
its checkpoint is not pruned.

Chimera's loop calls `snapshot` outside of any error handling.  A path that cannot be in a snapshot is
therefore skipped, and `undo` reports it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from clew.compat.chimera.ghost_files import GhostFiles, GhostSnapshot, entry_of, is_covered
from clew.compat.chimera.workspaces import Records, opened, require_allowed, require_complete
from clew.errors import BadOption, ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.record import Origin
from clew.places import StrPath
from clew.policy.redaction.redact import redact_words
from clew.store.ledgers import Entry, Ledger
from clew.workspace import Workspace


class GhostCommitManager:
    """A stack of snapshots of a directory; above `max_snapshots` the oldest are removed."""

    def __init__(
        self,
        workdir: StrPath | None = None,
        max_snapshots: int = 50,
        *,
        working_dir: StrPath | None = None,
        store: StrPath | None = None,
    ) -> None:
        chosen = workdir if workdir is not None else working_dir
        if chosen is None:
            raise TypeError("Missing argument: workdir")
        if max_snapshots < 1:
            raise BadOption("max_snapshots", "must be 1 or more")
        self._directory = os.path.realpath(os.fspath(chosen))
        self._max_snapshots = max_snapshots
        self._store = store
        self._records = Records(f"chimera.ghost {self._directory}", store)

    @property
    def depth(self) -> int:
        """Number of snapshots on the stack."""
        return len(self._records.read().entries)

    @property
    def history(self) -> list[GhostSnapshot]:
        """All snapshots, oldest first."""
        entries = self._records.read().entries
        return [self._snapshot_of(number, entry) for number, entry in entries.items()]

    def snapshot(self, label: str, paths: Sequence[StrPath] | None = None) -> str:
        """Save the state of `paths`, existing or not; without paths, of the whole workspace.

        A path outside the directory, or excluded from checkpoints, is skipped.
        """
        require_allowed(self._directory)
        with opened(self._directory, self._store) as workspace:
            saved = _save(workspace, label)
            saved_id = saved.id.hex()
            entry: Entry = {
                "label": redact_words(label), "time": time.time(), "checkpoint": saved_id,
                "paths": None, "skipped": [],
            }  # fmt: skip
            if paths is not None:
                entry.update(self._selection(workspace, saved_id, paths))
            with self._records.changing() as ledger:
                number = ledger.add(entry)
                ledger.state["undone"] = []
                while len(ledger.entries) > self._max_snapshots:
                    del ledger.entries[min(ledger.entries)]
                pins = _pins(ledger, saved)
            _pin(workspace, pins)
        return f"ghost-{number}"

    def undo(self, n: int = 1) -> list[str]:
        """Revert the changes since the last `n` snapshots, and return what happened to each file.

        A snapshot is popped once its files are restored.
        """
        if n < 1:
            raise BadOption("n", "must be 1 or more")
        done: list[str] = []
        with self._records.walking():
            for _ in range(n):
                entries = self._records.read().entries
                if not entries:
                    break
                number = max(entries)
                done += self._step_back(number, entries[number])
        return done

    def redo(self) -> list[str]:
        """Revert the last undo, unless a snapshot was taken since."""
        with self._records.walking():
            undone = self._records.read().state.get("undone", [])
            if not undone:
                return []
            number, entry = undone[-1]
            return self._step_forward(number, entry)

    def peek(self) -> GhostSnapshot | None:
        """Return the newest snapshot without popping it."""
        entries = self._records.read().entries
        return self._snapshot_of(max(entries), entries[max(entries)]) if entries else None

    def clear(self) -> None:
        """Clear the stack; files do not change."""
        with opened(self._directory, self._store) as workspace:
            with self._records.changing() as ledger:
                ledger.entries.clear()
                ledger.state["undone"] = []
                pins = _pins(ledger)
            _pin(workspace, pins)

    def _step_back(self, number: int, entry: Entry) -> list[str]:
        """Restore the files of a snapshot, then pop it."""
        with opened(self._directory, self._store) as workspace:
            after = _save(workspace, f"undone: {entry['label']}")
            done = self._restore(workspace, entry["checkpoint"], entry)
            with self._records.changing() as ledger:
                ledger.entries.pop(number, None)
                step = [number, {**entry, "after": after.id.hex()}]
                ledger.state["undone"] = [*ledger.state.get("undone", []), step]
                pins = _pins(ledger, after)
            _pin(workspace, pins)
        return done

    def _step_forward(self, number: int, entry: Entry) -> list[str]:
        """Restore what an undo reverted, then push the snapshot again."""
        with opened(self._directory, self._store) as workspace:
            done = self._restore(workspace, entry["after"], entry)
            with self._records.changing() as ledger:
                ledger.state["undone"] = ledger.state["undone"][:-1]
                ledger.entries[number] = {k: v for k, v in entry.items() if k != "after"}
                pins = _pins(ledger)
            _pin(workspace, pins)
        return done

    def _restore(self, workspace: Workspace, reference: str, entry: Entry) -> list[str]:
        """Restore the paths of a snapshot, and report those that are not in it too."""
        done = _restore_paths(workspace, self._directory, reference, entry["paths"])
        return done + [f"skipped: {path} ({reason})" for path, reason in entry.get("skipped", [])]

    def _selection(
        self, workspace: Workspace, reference: str, paths: Sequence[StrPath]
    ) -> dict[str, list[Any]]:
        """Return the paths that a snapshot contains, and those it cannot contain with the reason."""
        chosen, skipped = [], []
        for path in [os.fspath(one) for one in paths]:
            relative = self._relative(path)
            if relative is None:
                skipped.append((path, "outside the working directory"))
            elif not is_covered(workspace, reference, relative):
                skipped.append((path, "not covered by checkpoints"))
            else:
                chosen.append(relative)
        return {"paths": chosen, "skipped": skipped}

    def _relative(self, path: str) -> str | None:
        """Return a path relative to the directory, or None if a link or `..` leads out of it."""
        full = os.path.normpath(os.path.join(self._directory, path))
        if full != self._directory:
            full = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
        relative = os.path.relpath(full, self._directory)
        return None if relative == ".." or relative.startswith("../") else relative

    def _snapshot_of(self, number: int, entry: Entry) -> GhostSnapshot:
        files = GhostFiles(self._directory, self._store, entry["checkpoint"], entry["paths"])
        return GhostSnapshot(f"ghost-{number}", entry["label"], entry["time"], files)


def _restore_paths(
    workspace: Workspace, directory: str, reference: str, paths: list[str] | None
) -> list[str]:
    """Restore some paths, or all, from a checkpoint."""
    if paths is None or "." in paths:
        plan = workspace.preview(reference)
        done = [*plan.created, *plan.replaced, *plan.metadata]
        report = [f"restored: {os.fsdecode(one.path)}" for one in sorted(done)]
        report += [f"deleted: {os.fsdecode(one.path)}" for one in sorted(plan.deleted)]
        require_complete(workspace.restore(reference))
        return report
    report, wanted = [], []
    for path in dict.fromkeys(paths):
        full = os.path.join(directory, path)
        if entry_of(workspace, reference, path) is not None:
            report.append(f"restored: {path}")
        elif os.path.lexists(full):
            report.append(f"deleted: {path}")
        else:
            continue
        wanted.append(full)
    if wanted:
        require_complete(workspace.restore(reference, paths=wanted))
    return report


def _save(workspace: Workspace, intent: str) -> Checkpoint:
    return workspace.save(intent, origin=Origin.HOOK, skip_unchanged=True).checkpoint


class _Pins(NamedTuple):
    """Checkpoints to pin, and those to unpin."""

    on: str | None
    off: list[str]


def _pins(ledger: Ledger, fresh: Checkpoint | None = None) -> _Pins:
    """Record which checkpoints the stack has pinned; other pins are not changed."""
    pinned = ledger.state.get("pinned", [])
    on = fresh.id.hex() if fresh is not None and not fresh.labels.pinned else None
    entries = [*ledger.entries.values(), *(entry for _, entry in ledger.state.get("undone", []))]
    needed = {entry.get(key) for entry in entries for key in ("checkpoint", "after")}
    ours = [*pinned, on] if on is not None else pinned
    ledger.state["pinned"] = [one for one in ours if one in needed]
    return _Pins(on, [one for one in ours if one not in needed])


def _pin(workspace: Workspace, pins: _Pins) -> None:
    if pins.on is not None:
        workspace.edit(pins.on, pin=True)
    for reference in pins.off:
        with suppress(ClewError):  # it may have been deleted by hand
            workspace.edit(reference, pin=False)
