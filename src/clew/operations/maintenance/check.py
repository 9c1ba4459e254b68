"""Check the integrity of a store, and rebuild its catalogue from the packs."""

from __future__ import annotations

import os

from clew.errors import StoreDamaged
from clew.model.results import CheckResult, Damage
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.store.check import CATALOGUE
from clew.store.check import check as check_store
from clew.store.layout import Layout
from clew.store.rebuild import rebuild
from clew.store.store import Store


def check(context: Context, read_data: bool, monitor: Monitor) -> CheckResult:
    """Check the store of a workspace."""
    return check_store(context.store, read_data, monitor)


def check_root(root: str, read_data: bool, monitor: Monitor) -> CheckResult:
    """Check a store that may be too damaged to open."""
    try:
        where = "format"
        Layout(root).open()
        where = CATALOGUE
        store = Store.open(root)
    except StoreDamaged as error:
        return CheckResult((Damage(where, str(error)),), (), 0, 0, 0, 0)
    try:
        return check_store(store, read_data, monitor)
    finally:
        store.close()


def rebuild_root(root: str, monitor: Monitor) -> CheckResult:
    """Rebuild the catalogue from the packs; the store must not be open in this process."""
    return rebuild(Layout(os.path.abspath(root)), monitor)
