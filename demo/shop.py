"""The project of the demo: a little shop with tests, a database, a secret and a git repository.

Half of what makes it work is ignored by git, as in most projects.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

_FILES = {
    ".gitignore": ".env\n*.db\nbuild/\n",
    "README.md": "# Shop\n\nPrices come from `shop.db`, the payment key from `.env`.\n",
    "deploy.sh": "#!/bin/sh\nexec python3 -m shop\n",
    "prices.py": '''\
import sqlite3


def total(basket):
    """Return the price of a basket in cents."""
    with sqlite3.connect("shop.db") as db:
        prices = dict(db.execute("SELECT name, cents FROM products"))
    return sum(prices[name] * count for name, count in basket.items())
''',
    "test_prices.py": """\
import unittest
from pathlib import Path

import prices


class PricesTest(unittest.TestCase):
    def test_basket(self):
        self.assertEqual(prices.total({"tea": 2, "cup": 1}), 1700)

    def test_payment_key_is_there(self):
        self.assertIn("PAYMENT_KEY=", Path(".env").read_text())
""",
    ".env": "PAYMENT_KEY=not-a-real-key\n",
    "build/report.html": "<h1>Sales</h1>\n",
}


def create(root: Path) -> None:
    """Write the project."""
    for name, text in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / ".env").chmod(0o600)
    (root / "deploy.sh").chmod(0o755)
    _sql(
        root,
        "CREATE TABLE products (name TEXT PRIMARY KEY, cents INTEGER)",
        "INSERT INTO products VALUES ('tea', 400), ('cup', 900)",
    )


def add_discounts(root: Path) -> None:
    """Make the changes that the agent was asked for: code, a test, and a column in the database."""
    _sql(
        root,
        "ALTER TABLE products ADD COLUMN discount INTEGER DEFAULT 0",
        "UPDATE products SET discount = 10 WHERE name = 'tea'",
    )
    _replace(
        root / "prices.py", "SELECT name, cents", "SELECT name, cents * (100 - discount) / 100"
    )
    _replace(root / "test_prices.py", "1700", "1620")


def tidy_up(root: Path) -> None:
    """Make the changes that break the project."""
    _sql(
        root,
        "CREATE TABLE items (name TEXT PRIMARY KEY, cents INTEGER)",
        "INSERT INTO items SELECT name, cents FROM products",
        "DROP TABLE products",
    )
    _replace(root / "prices.py", "FROM products", "FROM items")
    (root / ".env").unlink()
    (root / "build" / "report.html").unlink()
    (root / "build").rmdir()
    (root / "deploy.sh").chmod(0o644)


def _sql(root: Path, *statements: str) -> None:
    db = sqlite3.connect(root / "shop.db")
    with db:
        for statement in statements:
            db.execute(statement)
    db.close()


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    if old not in text:
        raise ValueError(f"Not in {path.name}: {old!r}")
    path.write_text(text.replace(old, new))
