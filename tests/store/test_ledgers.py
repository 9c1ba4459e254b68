"""Ledgers: numbered lists that adapters store."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import opening
from clew.store.ledgers import Ledgers
from clew.store.store import Store


@pytest.fixture
def ledgers(tmp_path: Path) -> Ledgers:
    return Ledgers(Store.open(str(tmp_path / "store"), create=True).database)


def test_what_is_added_is_there_in_order(ledgers: Ledgers) -> None:
    with ledgers.changing("mine") as ledger:
        numbers = [ledger.add({"n": n}) for n in range(12)]

    assert numbers == list(range(1, 13))
    assert list(ledgers.read("mine").entries.values()) == [{"n": n} for n in range(12)]


def test_a_number_is_never_given_twice(ledgers: Ledgers) -> None:
    with ledgers.changing("mine") as ledger:
        ledger.add({})
        ledger.entries.clear()
    with ledgers.changing("mine") as ledger:
        assert ledger.add({}) == 2


def test_every_owner_has_its_own(ledgers: Ledgers) -> None:
    with ledgers.changing("mine") as ledger:
        ledger.add({"whose": "mine"})

    assert ledgers.read("yours").entries == {}


def test_a_change_that_fails_changes_nothing(ledgers: Ledgers) -> None:
    def fail() -> None:
        with ledgers.changing("mine") as ledger:
            ledger.add({})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert ledgers.read("mine").entries == {}


def test_text_that_is_none_is_kept(ledgers: Ledgers) -> None:
    with ledgers.changing("caf\udce9") as ledger:
        ledger.add({"path": "caf\udce9"})

    assert ledgers.read("caf\udce9").entries == {1: {"path": "caf\udce9"}}


def test_no_listing_of_settings_shows_them(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with opening.open(tmp_path / "project", tmp_path / "store", create=True) as workspace:
        before = workspace.settings.all()
        store = Store.open(str(tmp_path / "store"))
        with Ledgers(store.database).changing("mine") as ledger:
            ledger.add({})
        store.close()

        assert workspace.settings.all() == before
