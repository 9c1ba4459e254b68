"""Replacing the catalogue while other processes have it open, or with a crash in between."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.store.layout import Layout
from clew.store.rebuild import rebuild
from clew.store.replace_catalogue import begin_replacing, finish_replacing
from clew.store.store import Store
from tests.kit.child import Child
from tests.store.scratch import QUIET, Scratch

_OPEN = "from clew import opening; clew = opening.open({0!r}, store={1!r})"


def test_a_process_that_had_the_old_catalogue_open_saves_into_the_new_one(
    scratch: Scratch,
) -> None:
    scratch.write("file", "one")
    scratch.save()
    with Child() as other:
        other.do(_OPEN.format(str(scratch.project), str(scratch.root)))
        scratch.close()
        rebuild(Layout(str(scratch.root)), QUIET)
        scratch.write("file", "two")
        other.do("saved = clew.save('after the rebuild'); clew.close()")
    scratch.open()

    assert [found.labels.intent for found in _timeline(scratch)] == ["after the rebuild", ""]
    scratch.assert_whole()


def test_a_process_that_closes_the_old_catalogue_leaves_the_new_ones_log_alone(
    scratch: Scratch,
) -> None:
    scratch.write("file", "one")
    scratch.save()
    with Child() as old, Child() as new:
        old.do(_OPEN.format(str(scratch.project), str(scratch.root)))
        scratch.close()
        rebuild(Layout(str(scratch.root)), QUIET)
        new.do(_OPEN.format(str(scratch.project), str(scratch.root)))
        scratch.write("file", "two")
        new.do("clew.save('in the log of the new one')")
        old.do("clew.close()")
        scratch.write("file", "three")
        new.do("clew.save('and this too'); import os")
        new.process.kill()
        new.process.wait()
    scratch.open()

    intents = [found.labels.intent for found in _timeline(scratch)]
    assert intents == ["and this too", "in the log of the new one", ""]
    scratch.assert_whole()


def test_a_collection_that_waited_for_a_rebuild_sweeps_by_the_new_catalogue(
    scratch: Scratch,
) -> None:
    scratch.write("file", "one")
    scratch.save()
    other = scratch.beside()
    scratch.close()
    rebuild(Layout(str(scratch.root)), QUIET)
    scratch.open()
    scratch.write("file", "two")
    scratch.save()
    other.gc()
    other.close()

    scratch.assert_whole()


@pytest.mark.parametrize("step", ["begun", "old one linked", "log moved"])
def test_whoever_opens_the_store_finishes_a_replacement(scratch: Scratch, step: str) -> None:
    scratch.write("file", "one")
    kept = scratch.save("kept")
    scratch.store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    new = scratch.root / "tmp" / "next"
    shutil.copy(scratch.root / "catalog.db", new)
    scratch.store.checkpoints.label(kept.id, kept.labels._replace(intent="only in the old log"))
    aside = scratch.root / "quarantine" / "old.db"
    log = Path(f"{scratch.root / 'catalog.db'}-wal").read_bytes()
    begin_replacing(scratch.store.layout, str(new))
    if step != "begun":
        aside.hardlink_to(scratch.root / "catalog.db")
    if step == "log moved":
        Path(f"{scratch.root / 'catalog.db'}-wal").rename(f"{aside}-wal")
    opened = Store.open(str(scratch.root))
    found = opened.checkpoints.get(kept.id)
    opened.close()

    assert log
    assert found is not None
    assert found.labels.intent == "kept"
    assert not (scratch.root / "catalog.new").exists()
    assert finish_replacing(scratch.store.layout) is None


def _timeline(scratch: Scratch) -> list:  # type: ignore[type-arg]
    return list(scratch.store.checkpoints.newest_first(scratch.context.workspace))
