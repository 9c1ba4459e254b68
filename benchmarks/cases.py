"""Benchmark cases: the same steps in the life of a workspace for every peer.

Each peer has its own copy of the tree and its own store, so that no peer affects the caches of another.
Where memory allows (the small files), the peers take turns at every step, so that a slow phase of
the machine affects all of them; with a large file, one peer runs after the other.
Every restore is compared with a reference that no peer touches.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import trees
from benchmarks.measure import Command, Run, middle, run, settle, watch
from benchmarks.peers import Clew, Peer

Say = Callable[[str], None]
FIRST = "save-first"
START_UP_RUNS = 21


class Workload(NamedTuple):
    """A tree, its edits, and how often each step is repeated."""

    title: str
    kind: str
    """`small` or `large`."""
    amount: int
    """Files, or bytes."""
    rounds: int
    """Checkpoints between the two that are diffed."""
    first_runs: int
    runs: int
    take_turns: bool

    def write(self, root: Path) -> None:
        root.mkdir()
        write = trees.write_large if self.kind == "large" else trees.write_small
        write(root, self.amount)


class Measured:
    """The time of every step, by step and peer."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, list[Run]]] = {}
        self.sizes: dict[str, dict[str, int]] = {}
        self.peaks: dict[str, int] = {}

    def add(self, step: str, peer: Peer, one: Run) -> None:
        self.runs.setdefault(step, {}).setdefault(peer.name, []).append(one)

    def add_size(self, step: str, peer: Peer) -> None:
        self.sizes.setdefault(step, {})[peer.name] = peer.stored_bytes()

    def medians(self, step: str) -> dict[str, float]:
        return {peer: middle(runs) for peer, runs in self.runs[step].items()}

    def add_peak(self, peer: Peer, peak: int) -> None:
        self.peaks[peer.name] = max(self.peaks.get(peer.name, 0), peak)

    def as_json(self) -> dict[str, object]:
        seconds = {
            step: {peer: [one.seconds for one in runs] for peer, runs in by_peer.items()}
            for step, by_peer in self.runs.items()
        }
        return {"seconds": seconds, "store_bytes": self.sizes, "peak_bytes": self.peaks}


class WrongResult(Exception):
    """A peer did not do what was measured."""


def measure(peers: Sequence[Peer], workload: Workload, base: Path, say: Say) -> Measured:
    """Run every step of `workload` with every peer."""
    measured = Measured()
    groups = [list(peers)] if workload.take_turns else [[peer] for peer in peers]
    for group in groups:
        reference = base / "reference"
        say(f"{workload.title}: writing the tree")
        workload.write(reference)
        for peer in group:
            _copy(reference, peer.workspace)
        _Life(group, workload, reference, measured, say).live()
        for path in [reference, *(peer.base for peer in group)]:
            shutil.rmtree(path)
    return measured


class _Life:
    """The steps, in order; each leaves the workspaces as the next one expects them."""

    def __init__(
        self,
        peers: Sequence[Peer],
        workload: Workload,
        reference: Path,
        measured: Measured,
        say: Say,
    ) -> None:
        self._peers = peers
        self._workload = workload
        self._reference = reference
        self._measured = measured
        self._say = say
        self._paths = trees.files_below(reference)
        self._first_paths = frozenset(self._paths)
        self._touched: set[str] = set()
        self._last = FIRST

    def live(self) -> None:
        names = ", ".join(peer.name for peer in self._peers)
        steps = [
            ("first save", self._first_saves),
            ("unchanged save", self._unchanged_saves),
            ("save after edits", self._edited_saves),
            ("diff", self._diffs),
            ("size", self._sizes),
            ("restore", self._restores),
            ("restore of everything", self._full_restores),
        ]
        for title, step in steps:
            self._say(f"{self._workload.title}: {title} ({names})")
            step()

    def _first_saves(self) -> None:
        for peer in self._peers:
            # Size and memory are measured on a store that is then discarded.
            self._new_store(peer)
            self._measured.add_peak(peer, watch(peer.save(FIRST)))
            peer.compact()
            self._measured.add_size("first", peer)
        for _ in range(self._workload.first_runs):
            for peer in self._peers:
                self._new_store(peer)
                self._time("first", peer, peer.save(FIRST))
        for peer in self._peers:
            peer.remember(FIRST)

    def _unchanged_saves(self) -> None:
        for turn in range(self._workload.runs):
            for peer in self._peers:
                self._time("unchanged", peer, peer.save(f"save-unchanged-{turn}"))

    def _edited_saves(self) -> None:
        for turn in range(1, self._workload.rounds + 1):
            self._last = f"save-round-{turn}"
            edits = self._edit(self._reference, f"round-{turn}")
            for peer in self._peers:
                self._edit(peer.workspace, f"round-{turn}")
                self._time("edited", peer, peer.save(self._last))
            self._touched.update(edits.changed, edits.added, edits.deleted)
            self._paths = [path for path in self._paths if path not in edits.deleted] + edits.added
        for peer in self._peers:
            peer.remember(self._last)

    def _diffs(self) -> None:
        # A file that was created and deleted in between is not a difference.
        changed = self._touched & (self._first_paths | set(self._paths))
        for _ in range(self._workload.runs):
            for peer in self._peers:
                one = self._time("diff", peer, peer.diff(FIRST, self._last))
                for path in changed:
                    if path.encode() not in one.output:
                        raise WrongResult(f"The diff of {peer.name} does not name {path}")

    def _sizes(self) -> None:
        # Before the restores, because each of them adds a rescue to clew's history.
        for peer in self._peers:
            peer.compact()
            self._measured.add_size("last", peer)

    def _restores(self) -> None:
        for turn in range(self._workload.runs):
            for peer in self._peers:
                edits = self._edit(peer.workspace, f"restore-{turn}")
                self._time("restore", peer, peer.restore(self._last))
                self._compare(peer, [*edits.changed, *edits.deleted])
                for path in edits.added:
                    if peer.deletes_on_restore and (peer.workspace / path).exists():
                        raise WrongResult(f"The restore of {peer.name} left {path}")
                    (peer.workspace / path).unlink(missing_ok=True)

    def _full_restores(self) -> None:
        for peer in self._peers:
            _empty(peer.workspace)
            self._measured.add_peak(peer, watch(peer.restore(self._last)))
            self._compare(peer, self._paths)
        for _ in range(self._workload.runs):
            for peer in self._peers:
                _empty(peer.workspace)
                self._time("restore all", peer, peer.restore(self._last))
                found = trees.files_below(peer.workspace)
                if found != sorted(self._paths):
                    wanted = len(self._paths)
                    raise WrongResult(f"{peer.name} restored {len(found)} files, not {wanted}")

    def _new_store(self, peer: Peer) -> None:
        peer.wipe()
        peer.create()

    def _time(self, step: str, peer: Peer, commands: Sequence[Command]) -> Run:
        settle()
        one = run(commands)
        self._measured.add(step, peer, one)
        return one

    def _edit(self, root: Path, seed: str) -> trees.Edits:
        if self._workload.kind == "large":
            return trees.edit_large(root, seed)
        return trees.edit_small(root, self._paths, seed, changed=8, others=1)

    def _compare(self, peer: Peer, paths: Sequence[str]) -> None:
        for path in paths:
            if not filecmp.cmp(peer.workspace / path, self._reference / path, shallow=False):
                raise WrongResult(f"The restore of {peer.name} brought back other bytes: {path}")


def measure_start_up(base: Path, checkpoints: int, say: Say) -> Measured:
    """Time `clew --help` and `clew log` compared with a Python that does nothing."""
    say(f"start-up: {checkpoints} checkpoints")
    clew = Clew(base)
    trees.write_small(clew.workspace, 50)
    clew.wipe()
    for number in range(checkpoints):
        (clew.workspace / "counter").write_text(f"{number}\n")
        run(clew.save(f"save-{number}"))
    candidates = {
        "python": [clew.command(sys.executable, "-c", "pass")],
        "help": clew.help(),
        "log": clew.log(),
    }
    measured = Measured()
    for _ in range(START_UP_RUNS):
        for step, commands in candidates.items():
            measured.add(step, clew, run(commands))
    shutil.rmtree(clew.base)
    return measured


def _copy(source: Path, target: Path) -> None:
    # Shared extents would make the first write to them slower for one peer than for another.
    subprocess.run(["cp", "-a", "--reflink=never", str(source), str(target)], check=True)


def _empty(root: Path) -> None:
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
