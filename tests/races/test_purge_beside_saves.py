"""Saves, purges, collections and backups beside each other, in real processes: none of them fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from clew import opening
from tests.kit.running import SOURCE

ROUNDS = 16

_SAVE = """
import os, sys, time
from clew import opening
from clew.store.backup import backup
root, store, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with opening.open(root, store=store, create=True) as clew:
    for number in range(rounds):
        open(f"{root}/file", "w").write(f"{root} {number}")
        saved = clew.save(f"save {number}").checkpoint.id.hex()
        os.utime(store + "/backup/annotations.db", (0, 0))  # an hour has passed
        print(saved, flush=True)
"""

_PURGE = """
import os, sys
from clew import opening
root, store, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with opening.open(root, store=store, create=True) as clew:
    for number in range(rounds):
        open(f"{root}/secret", "wb").write(os.urandom(3000))
        doomed = clew.save("a secret").checkpoint.id.hex()
        open(f"{root}/secret", "wb").write(b"")
        kept = clew.save("none").checkpoint.id.hex()
        clew.delete([doomed], purge=True)
        clew.store.gc()
        print(kept, flush=True)
"""


def test_saves_beside_purges_do_not_fail(tmp_path: Path) -> None:
    store = tmp_path / "store"
    running = []
    for number, program in enumerate((_SAVE, _SAVE, _PURGE)):
        root = tmp_path / f"project {number}"
        root.mkdir()
        running.append((root, start(program, root, store)))
    said = [(root, *ended(process)) for root, process in running]

    assert [error for _, _, error in said if error] == []
    for root, acknowledged, _ in said:
        with opening.open(root, store=str(store)) as clew:
            known = {found.id.hex() for found in clew.log(limit=None).checkpoints}

            assert set(acknowledged) <= known
            assert clew.store.check(read_data=True).whole
    assert list((store / "tmp").iterdir()) == []


def start(program: str, root: Path, store: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, str(root), str(store), str(ROUNDS)],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[list[str], str]:
    try:
        out, error = process.communicate(timeout=240)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return out.split(), error
