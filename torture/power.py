"""Power cuts: the image of a filesystem is cloned while commands run, and the clone is mounted.

Workspace and store are on ext4, XFS or btrfs in an image file, on XFS.  A reflink of the image
(FICLONE) holds what the disk would hold if the power were cut then: what was written out, in the
order of writing.  Mounting the clone replays the journal, as a reboot does, and the commands then
see another boot id.  Disks that reorder writes between two flushes are not simulated.

Every checkpoint that was acknowledged before the clone is then restorable, an interrupted restore
can be finished, and the store reports no damage.
"""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from torture import edits
from torture.oracle import Tree, differences, read_tree
from torture.rounds import Bench, Skipped
from torture.scene import Problem, Scene

_FICLONE = 0x40049409
_MAKERS = {
    "ext4": ("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_HOST_MEGABYTES = 3000
_IMAGE_MEGABYTES = 400


class Cut(NamedTuple):
    """A clone, and what was acknowledged before it was made."""

    image: Path
    acknowledged: dict[str, Tree]


class Power:
    """Rounds of power cuts."""

    units = "cuts"

    def __init__(self, bench: Bench) -> None:
        if os.geteuid():
            raise Skipped("mounting needs root")
        self._bench = bench
        self._kinds = [
            kind for kind, maker in _MAKERS.items() if shutil.which(maker[0], path=_PATH)
        ]
        if "xfs" not in self._kinds or not os.path.exists("/dev/loop-control"):
            raise Skipped("needs mkfs.xfs and loop devices")
        self._base = bench.place / "power"
        self._base.mkdir()
        self._host = self._base / "host"
        image = self._base / "host.img"
        _make("xfs", image, _HOST_MEGABYTES)
        _mount(image, self._host)

    def run(self, rng: random.Random, number: int) -> int:
        kind = self._kinds[number % len(self._kinds)]
        image, machine = self._host / "machine.img", self._base / "machine"
        _make(kind, image, _IMAGE_MEGABYTES)
        _mount(image, machine)
        try:
            cuts = self._work(image, machine, rng)
        finally:
            _unmount(machine)
        for at, cut in enumerate(cuts):
            _mount(cut.image, machine)
            try:
                with self._other_boot(rng):
                    self._check(machine, cut, rng)
            except Problem as error:
                raise Problem(f"{kind}, cut {at}: {error}", is_loss=error.is_loss) from None
            finally:
                _unmount(machine)
                cut.image.unlink()
        image.unlink()
        return len(cuts)

    def close(self) -> None:
        _unmount(self._host)
        shutil.rmtree(self._base, ignore_errors=True)

    @contextmanager
    def _other_boot(self, rng: random.Random) -> Iterator[None]:
        """Show another boot id to the commands, as after a reboot; mounts are private to the worker."""
        other = self._base / "boot_id"
        other.write_text(f"{uuid.UUID(int=rng.getrandbits(128))}\n")
        _tool("mount", "--bind", str(other), _BOOT_ID)
        try:
            yield
        finally:
            _tool("umount", _BOOT_ID)

    def _work(self, image: Path, machine: Path, rng: random.Random) -> list[Cut]:
        """Run commands while another thread clones the image at random times."""
        scene = Scene(machine, self._bench.server())
        self._bench.scene_now = scene
        scene.project.mkdir()
        edits.populate(scene.project, rng)
        scene.ok("init")
        scene.save("first")
        cuts: list[Cut] = []
        pauses = [rng.uniform(0.02, 0.4) for _ in range(self._bench.cuts)]
        cutter = threading.Thread(target=self._cut, args=(image, scene, pauses, cuts))
        cutter.start()
        while cutter.is_alive():
            edits.edit(scene.project, rng)
            scene.save("work")
            ids = list(scene.acknowledged)
            doing = rng.random()
            if doing < 0.3:
                scene.ok("restore", rng.choice(ids), "--yes")
            elif doing < 0.45 and len(ids) > 4:
                doomed = rng.choice(ids[:-2])
                scene.acknowledged = {i: t for i, t in scene.acknowledged.items() if i != doomed}
                scene.ok("delete", doomed, *rng.choice(((), ("--purge",))))
            elif doing < 0.6:
                scene.ok("gc")
        cutter.join()
        return cuts

    def _cut(self, image: Path, scene: Scene, pauses: list[float], cuts: list[Cut]) -> None:
        for number, pause in enumerate(pauses):
            time.sleep(pause)
            before = dict(scene.acknowledged)
            clone = self._host / f"clone-{number}.img"
            with open(image, "rb") as source, open(clone, "wb") as target:
                fcntl.ioctl(target, _FICLONE, source.fileno())
            after = scene.acknowledged
            cuts.append(Cut(clone, {i: t for i, t in before.items() if i in after}))

    def _check(self, machine: Path, cut: Cut, rng: random.Random) -> None:
        scene = Scene(machine, self._bench.server())
        self._bench.scene_now = scene
        scene.acknowledged = dict(cut.acknowledged)
        if scene.json("status")["interrupted_restore"]:
            ran = scene.run("restore", rng.choice(("--continue", "--abort")))
            # Files whose data had not reached the disk differ from what the restore had read.
            if ran.code not in (0, 3):
                raise Problem(f"the restore cannot be finished: {ran.code} {ran.err[-300:]}")
        known = scene.check_known()
        scene.check_store()
        for checkpoint in rng.sample(sorted(known.keys() & cut.acknowledged.keys()), 1):
            scene.check_restorable(checkpoint)
        now = scene.tree()
        saved = scene.json("save", "after the cut")["checkpoint"]["id"]
        edits.edit(scene.project, rng, 2)
        scene.ok("restore", saved, "--yes")
        if found := differences(now, read_tree(str(scene.project))):
            raise Problem(f"a save after the cut differs: {found[:3]}", is_loss=True)
        scene.server.settle()


def _make(kind: str, image: Path, megabytes: int) -> None:
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    _tool(*_MAKERS[kind], str(image))


def _mount(image: Path, where: Path) -> None:
    where.mkdir(exist_ok=True)
    # A clone has the same identity as the image, which XFS refuses unless told.
    _tool("mount", "-o", "loop,nouuid" if _is_xfs(image) else "loop", str(image), str(where))


def _is_xfs(image: Path) -> bool:
    with open(image, "rb") as file:
        return file.read(4) == b"XFSB"


def _unmount(where: Path) -> None:
    for _ in range(100):
        if subprocess.run(["umount", where], capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    _tool("umount", "-l", str(where))


def _tool(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PATH": _PATH})
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
