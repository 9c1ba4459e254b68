"""Races: other processes change files while clew saves and restores.

Kinds of rounds, in turn:

* editors: files replaced by rename, rewritten in place, logs appended to and rotated.  A saved file
  is a version that existed, or is listed as unstable; the last version that an editor wrote is in
  the workspace or in a checkpoint after a restore.
* symlinks: a directory is exchanged with a symlink to outside, again and again.  Nothing outside
  is captured or touched.
* mounts: a directory outside is bind-mounted over one inside and unmounted (needs root).
* store: eight commands at once on one store.  Each succeeds or says that the store is locked;
  every acknowledged checkpoint is restorable.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import re
import time
from collections.abc import Callable
from hashlib import sha256
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from torture import edits
from torture.oracle import differences, read_tree
from torture.rounds import Bench, die_with_parent
from torture.scene import Problem, Scene

_AT_FDCWD, _EXCHANGE = -100, 2
_CONTEXT = multiprocessing.get_context("fork")
_PAUSE = 0.0005
_CANARY = b"the canary is outside of every workspace\n"


class Races:
    """Rounds of races; a change that another process makes during a command is one race."""

    units = "changes during commands"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._changes = _CONTEXT.Value("q", 0)

    def run(self, rng: random.Random, number: int) -> int:
        kinds = (self._editors, self._symlinks, self._store, self._mounts)
        scene = self._bench.scene()
        self._changes.value = 0
        kinds[number % len(kinds)](scene, rng)
        return int(self._changes.value)

    def close(self) -> None: ...

    def _while(
        self,
        work: list[Callable[[Callable[[], None]], None]],
        body: Callable[[], None],
        seconds: float = 600,
    ) -> None:
        """Run `body` while each of `work` runs again and again, for `seconds`, in its own process."""
        stop = _CONTEXT.Event()
        begun = _CONTEXT.Barrier(len(work) + 1)
        others = [
            _CONTEXT.Process(target=_repeat, args=(one, stop, begun, self._changes, seconds))
            for one in work
        ]
        for other in others:
            other.start()
        begun.wait(60)
        try:
            body()
        finally:
            stop.set()
            for other in others:
                other.join()
        if any(other.exitcode for other in others):
            raise RuntimeError("a racing process failed")

    def _editors(self, scene: Scene, rng: random.Random) -> None:
        place = scene.project / "edited"
        place.mkdir()
        names = [f"file{number}" for number in range(4)]
        for name in (*names, "in-place", "app.log"):
            (place / name).write_bytes(_version(name, 0))
        (place / "app.log").write_text("line 0\n")
        still = scene.save("before the race")
        work = [_editor(place, names), _rewriter(place / "in-place"), _logger(place / "app.log")]
        results: list[Any] = []
        scene.guard()

        def save() -> None:
            results.append(scene.json("save", "in the race"))

        def restore() -> None:
            ran = scene.run("restore", still, "--yes")
            if ran.code not in (0, 1, 3):
                raise Problem(f"restore exits with {ran.code}: {ran.err[-300:]}")

        started = time.monotonic()
        self._while(work, save)
        # Editors end at any time of the restore: a later version would hide the loss of an earlier.
        self._while(work, restore, rng.uniform(0, 1.5) * (time.monotonic() - started))
        if scene.json("status")["interrupted_restore"]:
            ran = scene.run("restore", "--continue")
            if ran.code not in (0, 3):
                raise Problem(f"restore --continue exits with {ran.code}: {ran.err[-300:]}")
        scene.check_outside()
        _check_last_versions(scene, place, names)
        saved = results[0]["checkpoint"]
        scene.ok("restore", saved["id"], "--yes")
        unstable = {_path_of(one) for one in saved["coverage"]["unstable"]}
        _check_versions(place, names, unstable)
        rest = _without(read_tree(str(scene.project)), b"edited")
        if found := differences(_without(scene.acknowledged[still], b"edited"), rest, times=False):
            raise Problem(f"files that nobody touched differ: {found[:3]}", is_loss=True)
        scene.check_restorable(still)
        scene.check_store()

    def _symlinks(self, scene: Scene, rng: random.Random) -> None:
        inside, link = scene.project / "swapped", scene.project / "zz-link"
        inside.mkdir()
        for number in range(5):
            (inside / f"own{number}").write_text(f"own {number}\n")
        (inside / "canary").write_text("own file with the name of one outside\n")
        first = scene.save("before the race")
        for path in sorted(inside.iterdir()):
            path.write_text("changed\n")
        (inside / "added").write_text("added\n")
        link.symlink_to(scene.outside)
        self._swap(scene, [_exchanger(inside, link)], first, rng)

    def _mounts(self, scene: Scene, rng: random.Random) -> None:
        if os.geteuid():
            return
        inside = scene.project / "swapped"
        inside.mkdir()
        for number in range(5):
            (inside / f"own{number}").write_text(f"own {number}\n")
        first = scene.save("before the race")
        for path in sorted(inside.iterdir()):
            path.write_text("changed\n")
        self._swap(scene, [_mounter(scene.outside, inside)], first, rng)

    def _swap(
        self,
        scene: Scene,
        work: list[Callable[[Callable[[], None]], None]],
        first: str,
        rng: random.Random,
    ) -> None:
        scene.guard()
        saved: list[str] = []

        def body() -> None:
            for words in (("save", "in the race", "--json"), ("restore", first, "--yes")):
                ran = scene.run(*words)
                if ran.code not in (0, 1, 3):
                    raise Problem(f"{words[0]} exits with {ran.code}: {ran.err[-300:]}")
                if ran.code == 0 and words[0] == "save":
                    saved.append(scene.json("log")["current"])

        self._while(work, body)
        scene.check_outside()
        if scene.json("status")["interrupted_restore"]:
            scene.run("restore", rng.choice(("--continue", "--abort")))
            scene.check_outside()
        for checkpoint in saved:
            scene.run("restore", checkpoint, "--yes")
            scene.check_outside()
            _check_no_canary(scene)
        scene.check_restorable(first)
        scene.check_store()
        scene.check_outside()

    def _store(self, scene: Scene, rng: random.Random) -> None:
        """Start eight commands at once; the workspace does not change, so every save has its tree."""
        edits.edit(scene.project, rng)
        now = scene.tree()
        others = {}
        for number in range(3):
            other = scene.place / f"other{number}"
            other.mkdir()
            edits.populate(other, rng)
            scene.ok("init", cwd=other)
            others[other] = read_tree(str(other))
        scene.guard()
        commands: list[tuple[tuple[str, ...], Path]] = [
            (("save", "at once", "--json"), other) for other in others
        ]
        choices = (
            ("save", "at once", "--json"), ("save", "also", "--json"), ("gc",), ("check",),
            ("log",), ("status",), ("gc", "--purge"), ("verify", "@", "--", "true"),
            ("check", "--read-data"), ("prune",),
        )  # fmt: skip
        commands += [(words, scene.project) for words in rng.choices(choices, k=5)]
        handles = [
            (words, where, scene.server.start(words, str(where), env=scene.environment))
            for words, where in commands
        ]
        for words, where, handle in handles:
            ran = scene.server.finish(handle)
            scene.commands.append(f"at once: clew {' '.join(words)} in {where.name} → {ran.code}")
            self._changes.value += 1
            if "Traceback" in ran.err or "This is a bug in clew" in ran.err:
                raise Problem(f"{words[0]} has a bug: {ran.err[-300:]}")
            if ran.code not in (0, 1) or (ran.code and not ran.err.strip() and not ran.out.strip()):
                raise Problem(f"{words[0]} exits with {ran.code}: {ran.err[-300:]}")
            if ran.code == 0 and words[0] == "save" and where == scene.project:
                found = re.search(r'"id": "([0-9a-f]{64})"', ran.out)
                assert found
                scene.acknowledged[found[1]] = now
            elif ran.code == 0 and words[0] == "save":
                _check_other(scene, where, others[where])
        scene.check_outside()
        scene.check_known()
        scene.check_store()
        for checkpoint in rng.sample(sorted(scene.acknowledged), 2):
            scene.check_restorable(checkpoint)


def _repeat(
    work: Callable[[Callable[[], None]], None],
    stop: Event,
    begun: Any,
    changes: Any,
    seconds: float,
) -> None:
    die_with_parent()

    def count() -> None:
        with changes.get_lock():
            changes.value += 1

    begun.wait(60)
    deadline = time.monotonic() + seconds
    while not stop.is_set() and time.monotonic() < deadline:
        work(count)


def _version(name: str, number: int) -> bytes:
    """Return content that shows which version of which file it is, and whether it is whole."""
    body = f"{name} version {number}\n".encode() * (50 + number % 100)
    return sha256(body).hexdigest().encode() + b"\n" + body


def _is_whole(content: bytes) -> bool:
    digest, _, body = content.partition(b"\n")
    return sha256(body).hexdigest().encode() == digest


def _editor(place: Path, names: list[str]) -> Callable[[Callable[[], None]], None]:
    """Save files as editors do: a temporary file, and a rename."""
    number = 0

    def work(count: Callable[[], None]) -> None:
        nonlocal number
        number = number or _first_number()
        for name in names:
            number += 1
            temporary = place / f".{name}.tmp"
            temporary.write_bytes(_version(name, number))
            place.mkdir(exist_ok=True)
            temporary.rename(place / name)
            (place.parent.parent / f"last-{name}").write_text(str(number))
            count()
            time.sleep(_PAUSE)

    return _tolerant(work)


def _first_number() -> int:
    """Return a number that no earlier process began with, so that each version is written once."""
    return time.monotonic_ns() // 1_000_000


def _rewriter(path: Path) -> Callable[[Callable[[], None]], None]:
    number = 0

    def work(count: Callable[[], None]) -> None:
        nonlocal number
        number += 1
        path.write_bytes(_version(path.name, number))
        count()
        time.sleep(_PAUSE)

    return _tolerant(work)


def _logger(path: Path) -> Callable[[Callable[[], None]], None]:
    """Append to a log, and rotate it."""
    number = 0

    def work(count: Callable[[], None]) -> None:
        nonlocal number
        number += 1
        with open(path, "a") as file:
            file.write(f"line {number}\n")
        if number % 20 == 0:
            path.rename(path.with_suffix(".log.1"))
            path.touch()
        count()
        time.sleep(_PAUSE)

    return _tolerant(work)


def _tolerant(
    work: Callable[[Callable[[], None]], None],
) -> Callable[[Callable[[], None]], None]:
    """Go on if a restore has removed what the work needs."""

    def attempt(count: Callable[[], None]) -> None:
        try:
            work(count)
        except FileNotFoundError:
            time.sleep(_PAUSE)

    return attempt


def _exchanger(one: Path, other: Path) -> Callable[[Callable[[], None]], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def work(count: Callable[[], None]) -> None:
        names = os.fsencode(one), os.fsencode(other)
        if libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0:
            count()
        time.sleep(_PAUSE / 5)

    return work


def _mounter(source: Path, target: Path) -> Callable[[Callable[[], None]], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def work(count: Callable[[], None]) -> None:
        if libc.mount(os.fsencode(source), os.fsencode(target), None, 4096, None) == 0:
            count()
            time.sleep(_PAUSE)
            while libc.umount2(os.fsencode(target), 2):
                time.sleep(_PAUSE)
        time.sleep(_PAUSE)

    return work


def _check_versions(place: Path, names: list[str], unstable: set[str]) -> None:
    """Verify that each saved file is one version, unless the checkpoint lists it as unstable."""
    for name in (*names, "in-place"):
        path = place / name
        if not path.exists() or f"edited/{name}" in unstable:
            continue
        content = path.read_bytes()
        if not _is_whole(content) and not (name == "in-place" and not content):
            if name == "in-place" and _is_prefix(content):
                continue  # it was truncated and being written: a state that existed
            raise Problem(f"a torn file is not listed: {name}", is_loss=True)


def _is_prefix(content: bytes) -> bool:
    """Return whether `content` is the beginning of a version."""
    found = re.search(rb"version (\d+)\n", content)
    return found is None or _version("in-place", int(found[1])).startswith(content)


def _check_last_versions(scene: Scene, place: Path, names: list[str]) -> None:
    """Verify that the last version of each file is in the workspace or in a checkpoint."""
    for name in names:
        last = int((scene.place / f"last-{name}").read_text())
        wanted = _version(name, last).decode()
        if (place / name).exists() and (place / name).read_text() == wanted:
            continue
        for checkpoint in scene.checkpoints():
            ran = scene.run("cat", checkpoint, str(place / name))
            if ran.code == 0 and ran.out == wanted:
                break
        else:
            raise Problem(f"version {last} of {name} is nowhere", is_loss=True)


def _check_no_canary(scene: Scene) -> None:
    found = [
        path
        for path in scene.project.rglob("*")
        if path.is_file() and not path.is_symlink() and path.read_bytes() == _CANARY
    ]
    if found:
        raise Problem(f"captured from outside: {found}", is_loss=True)


def _check_other(scene: Scene, where: Path, tree: Any) -> None:
    (where / "more").write_text("more")
    ran = scene.run("restore", "latest", "--yes", cwd=where)
    if ran.code:
        raise Problem(f"restore in {where.name} exits with {ran.code}: {ran.err[-300:]}")
    if found := differences(tree, read_tree(str(where))):
        raise Problem(f"a save of eight at once differs: {found[:3]}", is_loss=True)


def _without(tree: Any, top: bytes) -> Any:
    entries = {path: one for path, one in tree.entries.items() if path.split(b"/")[0] != top}
    return tree._replace(entries=entries)


def _path_of(one: Any) -> str:
    return one if isinstance(one, str) else str(one.get("path", one))
