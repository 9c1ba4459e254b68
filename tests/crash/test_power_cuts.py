"""The power goes away at any moment: what was acknowledged before is there afterwards.

The workspace and the store live on ext4 in an image file on XFS.
A reflink of the image while work goes on is what the disk would hold if the power were cut then;
mounting it replays the journal as a reboot would.
"""

from __future__ import annotations

import fcntl
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clew import opening
from tests.kit import filesystems
from tests.kit.filesystems import Filesystems
from tests.kit.killing import ALL
from tests.kit.running import SOURCE

FICLONE = 0x40049409
CUTS = 60 if ALL else 8
_WORK = """
import os, random, sys
from clew import opening
root, store = sys.argv[1:]
noise = random.Random(2)
with opening.open(root, store=store, create=True) as clew:
    saved = []
    for number in range(100000):
        with open(f"{root}/counter", "w") as file:
            file.write(str(number))
        with open(f"{root}/noise-{number % 7}", "wb") as file:
            file.write(noise.randbytes(20000))
        saved.append(clew.save(f"state {number}").checkpoint.id.hex())
        print("saved", number, saved[-1], flush=True)
        if number % 10 == 9:
            print("deleting", saved[0], flush=True)
            clew.delete([saved.pop(0)])
            clew.store.gc()
        if number % 10 == 4:
            back = clew.restore(saved[-3])
            print("restored", number, saved[-3], flush=True)
"""


@pytest.mark.slow
def test_every_acknowledged_checkpoint_survives_a_power_cut(
    all_filesystems: Filesystems, tmp_path: Path
) -> None:
    big = all_filesystems.get("xfs", 3072)
    image, where = big / "machine.img", tmp_path / "machine"
    filesystems.make_image("ext4", image, 400)
    with filesystems.mounted_image(image, where):
        (where / "project").mkdir()
        promises = _cut_the_power(image, where, big)
    failures = []
    for clone, promised in promises:
        with filesystems.mounted_image(clone, where):
            failures += _broken_promises(where, promised)
        clone.unlink()
    image.unlink()

    assert failures == []
    assert sum(len(promised) for _, promised in promises) > 10


def _cut_the_power(image: Path, where: Path, big: Path) -> list[tuple[Path, dict[str, int]]]:
    """Clone the image at random moments, each with what had been promised before."""
    work = subprocess.Popen(
        [sys.executable, "-c", _WORK, where / "project", where / "store"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    promised: dict[str, int] = {}
    listener = threading.Thread(target=_listen, args=(work, promised))
    listener.start()
    clones, luck = [], random.Random(4)
    try:
        while not promised:  # before that there is nothing to keep, and on a busy machine no store
            assert work.poll() is None, "the work ended early"
            time.sleep(0.05)
        for number in range(CUTS):
            time.sleep(0.3 + luck.random() * 0.4)
            assert work.poll() is None, "the work ended early"
            clone = big / f"clone-{number}.img"
            before = dict(promised)  # what was acknowledged before the cut began
            with open(image, "rb") as source, open(clone, "wb") as target:
                fcntl.ioctl(target, FICLONE, source.fileno())
            clones.append((clone, {i: n for i, n in before.items() if i in promised}))
    finally:
        work.kill()
        work.wait()
        listener.join()
    return clones


def _listen(work: subprocess.Popen[str], promised: dict[str, int]) -> None:
    assert work.stdout
    with work.stdout as said:
        for line in said:
            words = line.split()
            if words[0] == "saved":
                promised[words[2]] = int(words[1])
            elif words[0] == "deleting":
                promised.pop(words[1], None)


def _broken_promises(machine: Path, promised: dict[str, int]) -> list[str]:
    with opening.open(machine / "project", store=str(machine / "store")) as clew:
        known = {found.id.hex() for found in clew.log(limit=None).checkpoints}
        broken = [f"lost {number}" for found, number in promised.items() if found not in known]
        result = clew.store.check(read_data=True)
        broken += [str(damage) for damage in result.damages]
        for identifier, number in promised.items():
            path = str(machine / "project" / "counter")
            if identifier in known and b"".join(clew.cat(identifier, path)) != b"%d" % number:
                broken.append(f"wrong bytes in {number}")
    return broken
