"""Rebuilds beside saves, in real processes: nothing that is acknowledged goes into a file set aside."""

from __future__ import annotations

from pathlib import Path

from clew import opening
from tests.races.test_purge_beside_saves import ended, start

_SAVE = """
import sys
from clew import opening
root, store, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with opening.open(root, store=store, create=True) as clew:
    for number in range(rounds):
        open(f"{root}/file", "w").write(f"{root} {number}")
        print(clew.save(f"save {number}").checkpoint.id.hex(), flush=True)
"""

_REBUILD = """
import sys, time
from clew import opening
root, store, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(rounds // 3):
    result = opening.check_store(store, rebuild=True)
    if not result.whole:
        sys.exit(str(result.damages))
    time.sleep(0.05)
"""


def test_saves_beside_rebuilds_are_kept(tmp_path: Path) -> None:
    store = tmp_path / "store"
    roots = [tmp_path / f"project {number}" for number in range(2)]
    for root in roots:
        root.mkdir()
        with opening.open(root, store=str(store), create=True) as clew:
            clew.save("there is something to rebuild")
    running = [start(_SAVE, root, store) for root in roots] + [start(_REBUILD, store, store)]
    said = [ended(process) for process in running]

    assert [error for _, error in said if error] == []
    for root, (acknowledged, _) in zip(roots, said, strict=False):
        with opening.open(root, store=str(store)) as clew:
            *timeline, _ = clew.log(limit=None).checkpoints

            assert [found.id.hex() for found in timeline] == acknowledged[::-1]
            assert [found.labels.intent for found in timeline] == [
                f"save {number}" for number in reversed(range(len(acknowledged)))
            ]
            assert clew.store.check(read_data=True).whole
