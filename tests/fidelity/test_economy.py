"""What is stored grows with what changed, and the same files always have the same name."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

from clew import opening
from clew.model.results import Stats
from tests.kit import everything
from tests.kit.wreck import edit_unnoticed


def test_an_unchanged_workspace_adds_a_record_and_nothing_else(on_ext4: Path) -> None:
    everything.build(on_ext4 / "project")
    with opening.open(on_ext4 / "project", store=str(on_ext4 / "store"), create=True) as clew:
        clew.save("first")
        before, packs = clew.store.stats(), _pack_bytes(on_ext4 / "store")
        clew.save("second")
        after = clew.store.stats()

    assert _kinds(after) == _kinds(before)
    assert after.objects == before.objects + 1
    assert _pack_bytes(on_ext4 / "store") - packs < 4096


def test_a_small_edit_in_a_large_file_costs_about_a_chunk(on_ext4: Path) -> None:
    (on_ext4 / "project").mkdir()
    big = on_ext4 / "project" / "big"
    big.write_bytes(random.Random(5).randbytes(20 << 20))
    with opening.open(on_ext4 / "project", store=str(on_ext4 / "store"), create=True) as clew:
        clew.save("first")
        edit_unnoticed(big, at=9_000_000, new=b"changed")
        result = clew.save("second")

    assert 0 < result.new_bytes < 2 << 20


def test_the_same_files_in_many_places_are_stored_once(on_ext4: Path) -> None:
    noise = random.Random(6).randbytes(2 << 20)
    for name in ("one", "two"):
        (on_ext4 / name).mkdir()
        for copy in range(5):
            (on_ext4 / name / f"copy {copy}").write_bytes(noise)
        with opening.open(on_ext4 / name, store=str(on_ext4 / "store"), create=True) as clew:
            clew.save(name)

    assert _pack_bytes(on_ext4 / "store") < 1.2 * len(noise)


def test_the_same_files_have_the_same_tree_id_whatever_was_saved_before(on_ext4: Path) -> None:
    project = on_ext4 / "project"
    everything.build(project)
    with opening.open(project, store=str(on_ext4 / "long"), create=True) as clew:
        clew.save("first")
        edit_unnoticed(project / "plain/binary", new=b"?")
        clew.save("second")
        (project / "more").mkdir()
        clew.save("third")
        with_history = clew.save("fourth").checkpoint.record
    with opening.open(project, store=str(on_ext4 / "short"), create=True) as clew:
        without_history = clew.save("only").checkpoint.record

    assert with_history.tree == without_history.tree
    assert with_history.state == without_history.state
    assert with_history.links == without_history.links


def test_a_copy_has_the_same_tree_id(on_ext4: Path) -> None:
    records = []
    everything.build(on_ext4 / "project")
    everything.release(on_ext4 / "project")  # cp leaves inode flags behind
    subprocess.run(["chattr", "-d", on_ext4 / "project/flags/nodump"], check=True)
    subprocess.run(["cp", "-a", on_ext4 / "project", on_ext4 / "copy"], check=True)
    for name in ("project", "copy"):
        with opening.open(on_ext4 / name, store=str(on_ext4 / "store"), create=True) as clew:
            records.append(clew.save(name).checkpoint.record)

    assert records[0].tree == records[1].tree


def test_a_touched_file_changes_the_tree_but_not_the_state(on_ext4: Path) -> None:
    (on_ext4 / "project").mkdir()
    (on_ext4 / "project" / "file").write_text("same")
    with opening.open(on_ext4 / "project", store=str(on_ext4 / "store"), create=True) as clew:
        first = clew.save("first").checkpoint.record
        (on_ext4 / "project" / "file").touch()
        second = clew.save("second").checkpoint.record

    assert first.tree != second.tree
    assert first.state == second.state


def _pack_bytes(store: Path) -> int:
    return sum(path.stat().st_size for path in (store / "packs").rglob("*.pack"))


def _kinds(stats: Stats) -> dict[str, tuple[int, int]]:
    return {kind: (number, size) for kind, number, size in stats.by_kind if kind != "record"}


def test_no_verb_leaves_a_file_open(on_ext4: Path) -> None:
    """A server works through the library for weeks."""
    (on_ext4 / "project" / "directory").mkdir(parents=True)
    (on_ext4 / "project" / "directory" / "file").write_text("one")
    with opening.open(on_ext4 / "project", store=str(on_ext4 / "store"), create=True) as clew:
        first = clew.save("first").checkpoint.id.hex()
        left_open = {}
        verbs: dict[str, Callable[[], object]] = {
            "save": lambda: clew.save("again"),
            "status": clew.status,
            "preview": lambda: clew.preview(first),
            "restore": lambda: clew.restore(first),
            "undo": clew.undo,
            "gc": clew.store.gc,
        }
        for name, verb in verbs.items():
            (on_ext4 / "project" / "directory" / "file").write_text(name)
            before = _open_below(on_ext4 / "project")
            verb()
            if _open_below(on_ext4 / "project") > before:
                left_open[name] = _open_below(on_ext4 / "project") - before

    assert left_open == {}


def _open_below(place: Path) -> int:
    links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    return sum(os.readlink(link).startswith(str(place)) for link in links if os.path.lexists(link))
