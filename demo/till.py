"""The project of the second part: a till with a virtualenv and a database, and a dozen steps of work.

One step upgrades a package, and from then on receipts are wrong by a factor of a hundred.
Nobody runs the tests until the end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from demo import wheels

CULPRIT = "tidy up the dependencies"
UPGRADE = ".venv/bin/pip install -q --no-index --find-links wheels --upgrade moneyfmt"

_FILES = {
    "test": "#!/bin/sh\nexec .venv/bin/python -m unittest -q\n",
    "requirements.txt": "moneyfmt\n",
    "settings.ini": "[till]\nname = Corner Café\n",
    "README.md": "# Till\n\nSales are in `till.db`.\n",
    "till.py": '''\
import sqlite3

from moneyfmt import show


def receipt(sale):
    """Return the lines of a receipt."""
    with sqlite3.connect("till.db") as db:
        rows = db.execute("SELECT product, cents FROM sales WHERE sale = ?", [sale]).fetchall()
    return [f"{product} {show(cents)}" for product, cents in rows]
''',
    "test_till.py": """\
import unittest

import till


class ReceiptTest(unittest.TestCase):
    def test_receipt(self):
        self.assertIn("tea 4.50", till.receipt(1)[0])
""",
}


def create(root: Path) -> None:
    """Write the project, without its virtualenv."""
    for name, text in _FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "test").chmod(0o755)
    wheels.build(root / "wheels")
    _sql(root, "CREATE TABLE sales (sale INTEGER, product TEXT, cents INTEGER)")
    _sql(root, "INSERT INTO sales VALUES (1, 'tea', 450), (1, 'cake', 600)")


def steps() -> list[tuple[str, Callable[[Path], None]]]:
    """Return the steps of the agent, each with the intent of its checkpoint; the upgrade is a command."""
    return [
        ("log every receipt", _log_receipts),
        ("import yesterday's sales", lambda root: _sql(root, _SALES)),
        ("new name on the receipts", _rename_shop),
        ("say how to run the tests", lambda root: _add(root / "README.md", _TESTING)),
        ("test an empty sale", lambda root: _add(root / "test_till.py", _EMPTY_SALE)),
        (CULPRIT, lambda root: _replace(root / "requirements.txt", "moneyfmt", "moneyfmt >= 1")),
        ("receipts in euros", _use_euros),
        ("totals of a day", lambda root: _add(root / "till.py", _TOTALS)),
        ("opening hours", lambda root: _add(root / "settings.ini", "opens = 8:00\n")),
        ("find sales faster", lambda root: _sql(root, "CREATE INDEX by_sale ON sales (sale)")),
        ("notes for the release", lambda root: _add(root / "NOTES.md", "# 1.1\n\nEuros.\n")),
    ]


_SALES = "INSERT INTO sales VALUES (2, 'coffee', 350), (2, 'cake', 600), (3, 'tea', 450)"
_TESTING = "\nRun the tests with `./test`.\n"
_EMPTY_SALE = """\

    def test_empty_sale(self):
        self.assertEqual(till.receipt(99), [])
"""
_EUROS = """\

    def test_euros(self):
        self.assertTrue(till.receipt(1)[0].endswith(" €"))
"""
_TOTALS = '''\


def total():
    """Return what was sold, in cents."""
    with sqlite3.connect("till.db") as db:
        return db.execute("SELECT sum(cents) FROM sales").fetchone()[0]
'''


def _log_receipts(root: Path) -> None:
    _replace(root / "till.py", "import sqlite3\n", "import logging\nimport sqlite3\n")
    _replace(
        root / "till.py", "    return [f", '    logging.info("receipt %s", sale)\n    return [f'
    )


def _rename_shop(root: Path) -> None:
    _replace(root / "settings.ini", "Corner Café", "Café at the Corner")


def _use_euros(root: Path) -> None:
    _replace(root / "till.py", "show(cents)", "show(cents, '€')")
    _add(root / "test_till.py", _EUROS)


def _add(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    if old not in text:
        raise ValueError(f"Not in {path.name}: {old!r}")
    path.write_text(text.replace(old, new))


def _sql(root: Path, statement: str) -> None:
    db = sqlite3.connect(root / "till.db")
    with db:
        db.execute(statement)
    db.close()
