"""The shop before the first day: FastAPI, SQLite, a virtual environment, node_modules, uploads, git."""

from __future__ import annotations

import random
import sqlite3

from tests.recorded.recording.machine import BROUGHT, HOME, SHOP, run
from tests.recorded.recording.packages import NODE

_FILES = {
    "README.md": "# Shop\n\nOrders and customers of a small shop.\n\n"
    "    uvicorn shop.main:app --reload\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0.4.0"\nrequires-python = ">=3.11"\n',
    "requirements.txt": "fastapi==0.95.2\npydantic==1.9.2\n",
    ".gitignore": ".venv/\nnode_modules/\n__pycache__/\n.env\napp.db\nuploads/\nweb/dist/\n"
    ".claude/settings.local.json\n",
    ".env": "DATABASE_URL=sqlite:///app.db\nSESSION_KEY=made-up-0d6f3c58b1\n"
    "MAIL_FROM=shop@example.org\n",
    "src/shop/__init__.py": '"""Orders and customers of a small shop."""\n',
    "src/shop/db.py": '''"""The database of the shop."""

import sqlite3
from pathlib import Path

PATH = Path(__file__).parents[2] / "app.db"


def connect() -> sqlite3.Connection:
    """Return a connection to the database; it must exist."""
    connection = sqlite3.connect(f"file:{PATH}?mode=rw", uri=True)
    connection.row_factory = sqlite3.Row
    return connection
''',
    "src/shop/models.py": '''"""What the interface takes and gives."""

from pydantic import BaseModel, Field


class Line(BaseModel):
    product: str = Field(min_length=1)
    quantity: int = 1
    cents: int


class Order(BaseModel):
    customer: int
    lines: list[Line]

    def total(self) -> int:
        return sum(line.quantity * line.cents for line in self.lines)
''',
    "src/shop/prices.py": '''"""Prices, in cents."""


def with_tax(cents: int, percent: int = 19) -> int:
    return cents + round(cents * percent / 100)


def as_text(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02} EUR"
''',
    "src/shop/orders.py": '''"""Orders in the database."""

from shop.db import connect


def total_of(customer: int) -> int:
    """Return what a customer has ordered, in cents."""
    with connect() as database:
        found = database.execute("SELECT sum(cents) FROM orders WHERE customer = ?", (customer,))
        return found.fetchone()[0] or 0


def count() -> int:
    with connect() as database:
        return database.execute("SELECT count(*) FROM orders").fetchone()[0]
''',
    "src/shop/main.py": '''"""The interface."""

from fastapi import FastAPI

from shop import orders
from shop.models import Order

app = FastAPI(title="shop")


@app.get("/customers/{customer}/total")
def total(customer: int) -> dict[str, int]:
    return {"cents": orders.total_of(customer)}


@app.post("/quote")
def quote(order: Order) -> dict[str, int]:
    return {"cents": order.total()}
''',
    "tests/__init__.py": 'import sys\n\nsys.path.insert(0, "src")\n',
    "tests/test_prices.py": """import unittest

from shop import prices


class Prices(unittest.TestCase):
    def test_tax(self) -> None:
        self.assertEqual(prices.with_tax(1000), 1190)

    def test_text(self) -> None:
        self.assertEqual(prices.as_text(1205), "12.05 EUR")
""",
    "tests/test_orders.py": """import unittest

from shop import orders


class Orders(unittest.TestCase):
    def test_there_are_orders(self) -> None:
        self.assertGreater(orders.count(), 1000)

    def test_a_customer_has_a_total(self) -> None:
        self.assertGreater(orders.total_of(1), 0)
""",
    "tests/test_models.py": """import unittest

from shop.models import Line, Order


class Models(unittest.TestCase):
    def test_total(self) -> None:
        order = Order(customer=1, lines=[Line(product="cup", quantity=2, cents=450)])
        self.assertEqual(order.total(), 900)

    def test_a_sample_costs_nothing(self) -> None:
        self.assertEqual(Line(product="sample", cents=0).cents, 0)
""",
    "web/index.html": '<!doctype html>\n<script type="module" src="src/app.js"></script>\n',
    "web/package.json": '{\n  "name": "shop-web",\n  "private": true,\n  "type": "module"\n}\n',
    "web/src/app.js": 'import format from "date-fns/format";\n\n'
    'document.title = `Shop, ${format(new Date(), "DD.MM.YYYY")}`;\n',
}
_CUSTOMERS = 40
_ORDERS = 1204


def make() -> None:
    """Write the files, and install what they need with the real tools."""
    for name, content in _FILES.items():
        (SHOP / name).parent.mkdir(parents=True, exist_ok=True)
        (SHOP / name).write_text(content)
    _fill_database()
    _upload()
    run("cp", "-r", BROUGHT / "npm-cache", HOME / ".npm")
    run("/usr/bin/python3", "-m", "venv", "--without-pip", ".venv")
    run("pip", "install", "-q", "-r", "requirements.txt")
    first = [name for name in NODE if not name.startswith("mitt")]
    run("npm", "install", "--silent", "--no-audit", "--no-fund", *first, cwd=SHOP / "web")
    _commit()


def _fill_database() -> None:
    chance = random.Random(16)
    with sqlite3.connect(SHOP / "app.db") as database:
        database.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, town TEXT);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, product TEXT, cents INTEGER);"
        )
        towns = ("Lisboa", "Graz", "Gent", "Turku")
        database.executemany(
            "INSERT INTO customers (name, town) VALUES (?, ?)",
            [(f"Customer {number}", chance.choice(towns)) for number in range(_CUSTOMERS)],
        )
        products = ("cup", "bowl", "plate", "jug", "vase")
        database.executemany(
            "INSERT INTO orders (customer, product, cents) VALUES (?, ?, ?)",
            [
                (
                    chance.randrange(_CUSTOMERS) + 1,
                    chance.choice(products),
                    chance.randrange(500, 9000),
                )
                for _ in range(_ORDERS)
            ],
        )
    database.close()


def _upload() -> None:
    chance = random.Random(61)
    (SHOP / "uploads").mkdir()
    for number in range(1, 15):
        picture = b"\xff\xd8\xff\xe0" + chance.randbytes(1500 + 90 * number) + b"\xff\xd9"
        (SHOP / f"uploads/picture-{number:02}.jpg").write_bytes(picture)


def _commit() -> None:
    run("git", "config", "--global", "user.name", "Ana")
    run("git", "config", "--global", "user.email", "ana@example.org")
    run("git", "config", "--global", "init.defaultBranch", "main")
    run("git", "init", "-q")
    run("git", "add", "README.md", ".gitignore", "pyproject.toml")
    run("git", "commit", "-qm", "Begin")
    run("git", "add", "src", "tests", "requirements.txt")
    run("git", "commit", "-qm", "Orders and customers")
    run("git", "add", "-A")
    run("git", "commit", "-qm", "A page")
