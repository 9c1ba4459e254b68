"""What a store takes on disk is what `du` says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from clew import opening
from clew.model.results import StorePart
from clew.store.disk_usage import disk_usage
from clew.store.layout import Layout


def du(path: Path) -> int:
    done = subprocess.run(
        ["du", "-s", "--block-size=1", str(path)], capture_output=True, check=True, text=True
    )
    return int(done.stdout.split()[0])


def full_store(tmp_path: Path) -> Path:
    """Return a store with everything in it: packs, a fork of its own, a copy, the reserve."""
    project, store = tmp_path / "project", tmp_path / "store"
    project.mkdir()
    for number in range(30):
        (project / f"file{number}").write_bytes(os.urandom(5_000 + number))
    with opening.open(project, store, create=True) as ws:
        ws.save("first")
        ws.forks.create("@", name="managed")
        ws.verify("@", "true")
    return store


def test_the_parts_add_up_to_what_du_says(tmp_path: Path) -> None:
    store = full_store(tmp_path)

    found = dict(disk_usage(Layout(str(store))))

    assert sum(found.values()) == du(store)
    assert found[StorePart.PACKS] >= 150_000
    assert found[StorePart.FORKS] >= 150_000
    assert found[StorePart.RESERVE] == du(store / "reserve")
    assert found[StorePart.CATALOGUE] == du(store / "catalog.db") + du(store / "backup")
    assert set(found) == set(StorePart.ALL)


def test_stats_are_what_du_says_once_the_command_has_ended(tmp_path: Path) -> None:
    store = full_store(tmp_path)

    with opening.open(tmp_path / "project", store) as ws:
        stats = ws.store.stats()

    assert stats.disk_bytes == du(store)
    assert stats.disk_bytes > stats.store_bytes


def test_links_are_not_followed_and_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    store = full_store(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "large").write_bytes(os.urandom(1 << 20))
    (store / "forks" / "away").symlink_to(outside)
    os.link(next((store / "packs").iterdir()), store / "tmp" / "again")

    assert sum(dict(disk_usage(Layout(str(store)))).values()) == du(store)
