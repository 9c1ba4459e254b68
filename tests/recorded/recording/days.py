"""The two days: what Ana does, and what she asks Claude Code for."""

from __future__ import annotations

from collections.abc import Callable

from tests.recorded.recording import machine
from tests.recorded.recording.agent import Agent, bash, edit, read, write
from tests.recorded.recording.journal import Journal
from tests.recorded.recording.machine import FORK, SHOP

CHECK = "python -m unittest -q"
NOW = "2026-11-17 16:30"
"""When it is read."""


class Ana:
    """What the person does by hand."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def clew(self, name: str, *words: str, fails: bool = False) -> None:
        """Run clew."""
        with self._journal.entry(name, "you", " ".join(("clew", *words))):
            machine.run("clew", *words, fails=fails)
        self._journal.clock.on(25)

    def save(self, name: str, intent: str, *words: str) -> None:
        """Save; of a check, also write down what it says when clew has no part in it."""
        self.clew(name, "save", intent, *words)
        if "--check" in words:
            self._journal.entries[-1]["passes"] = machine.works("python", "-B", *CHECK.split()[1:])

    def changes(self, name: str, what: str, act: Callable[[], object]) -> None:
        """Change files in an editor or a shell."""
        with self._journal.entry(name, "you", what):
            act()
        self._journal.clock.on(20)

    def writes(self, name: str, path: str, content: str) -> None:
        self.changes(name, f"write {path}", lambda: (SHOP / path).write_text(content))

    def replaces(self, name: str, path: str, old: str, new: str) -> None:
        """Replace text in a file, which must be there."""

        def act() -> None:
            text = (SHOP / path).read_text()
            if old not in text:
                raise ValueError(f"{old!r} is not in {path}")
            (SHOP / path).write_text(text.replace(old, new))

        self.changes(name, f"edit {path}", act)


def first(journal: Journal) -> None:
    """Monday: discounts, uploads deleted and restored, a shopping cart."""
    ana, at = Ana(journal), journal.clock.at
    agent = Agent(journal, "5b0e2f64-8a53-4c0e-9a57-2f0d6c1b7e01")
    at("2026-11-16 09:00")
    ana.clew("enable", "enable", "claude-code")
    ana.clew("set-check", "config", "set", "verify", CHECK)
    ana.save("clean-start", "clean start", "--check")

    at("2026-11-16 09:10")
    agent.prompt(
        "Add discounts: a column in the database, a module and tests",
        write("discounts-module", "src/shop/discounts.py", _DISCOUNTS),
        write("discount-migration", "scripts/add_discount.py", _ADD_DISCOUNT),
        bash("add-column", "python scripts/add_discount.py"),
        write("discounts-tests", "tests/test_discounts.py", _TEST_DISCOUNTS),
        bash("discounts-checked", CHECK),
    )
    at("2026-11-16 09:25")
    ana.replaces("tax-by-hand", "src/shop/prices.py", "percent: int = 19", "percent: int = 20")
    ana.save("wip-1", "wip")
    at("2026-11-16 09:29")
    ana.replaces("tax-tests-by-hand", "tests/test_prices.py", "1190", "1200")
    ana.save("discounts-done", "discounts done", "--check", "--name", "v1")

    at("2026-11-16 09:40")
    agent.prompt(
        "Accept pictures of products as uploads",
        bash("install-multipart", "pip install python-multipart"),
        bash("require-multipart", "echo python-multipart==0.0.20 >> requirements.txt"),
        write("pictures-module", "src/shop/pictures.py", _PICTURES),
        bash("failed-picture", "PYTHONPATH=src python -m shop.pictures uploads/no-such.jpg"),
        read("read-pictures", "src/shop/pictures.py"),
        edit("pictures-message", "src/shop/pictures.py", "    data =", _PICTURES_MESSAGE),
        bash("thumbnails", "PYTHONPATH=src python -m shop.pictures uploads/*.jpg"),
    )
    at("2026-11-16 10:20")
    ana.replaces("readme-by-hand", "README.md", "small shop", "small shop of ceramics")
    at("2026-11-16 10:24")
    agent.prompt(
        "修复折扣的四舍五入 🧮 and test it",
        read("read-discounts", "src/shop/discounts.py"),
        edit("rounding", "src/shop/discounts.py", "int(cents * percent / 100)", _ROUNDED),
        write("rounding-tests", "tests/test_rounding.py", _TEST_ROUNDING),
        bash("rounding-checked", CHECK),
        bash("commit-discounts", "git add -A && git commit -qm 'Discounts 折扣, pictures'"),
    )
    at("2026-11-16 10:50")
    ana.replaces("docstring-by-hand", "src/shop/discounts.py", '"""Discounts."""', '"""折扣."""')
    ana.save("fix-1", "fix", "--check")

    at("2026-11-16 14:05")
    agent.prompt(
        "Clean up what is not needed",
        bash("rm-uploads", "rm -rf uploads"),
        bash("rm-script", "rm -f scripts/add_discount.py"),
        bash("look-around", "git status --short"),
        write("cleanup-note", "docs/cleanup.md", "# Removed\n\nuploads/, an old script.\n"),
    )
    at("2026-11-16 14:20")
    ana.clew("restore-1", "restore", journal.before("rm-uploads"), "--yes")
    at("2026-11-16 14:22")
    ana.clew("undo-1", "undo", "--yes")
    at("2026-11-16 14:23")
    ana.clew("restore-uploads", "restore", journal.before("rm-uploads"), "uploads", "--yes")
    at("2026-11-16 14:26")
    ana.save("uploads-back", "uploads are back", "--check")

    at("2026-11-16 15:00")
    agent.prompt(
        "购物车: a cart with a total on the page 🛒",
        write("cart", "web/src/cart.js", _CART),
        bash("npm-mitt", "cd web && npm install --no-audit --no-fund mitt"),
        bash("failed-build", "npm run build"),
        read("read-app", "web/src/app.js"),
        edit("cart-on-page", "web/src/app.js", "document.title", _USE_CART),
        bash("web-dist", "mkdir -p dist && cat src/*.js > dist/app.js"),
    )
    at("2026-11-16 15:40")
    ana.changes("rm-note", "rm -r docs", lambda: machine.run("rm", "-r", "docs"))
    ana.save("wip-2", "wip")
    at("2026-11-16 17:30")
    ana.writes("todo", "TODO", "- newer pydantic\n- order lines\n- search\n")
    ana.save("end-of-day", "end of day", "--check")


def second(journal: Journal) -> None:
    """Tuesday: an upgrade, a table dropped, a fork, a mass deletion, a report."""
    _upgrade(journal)
    _drop(journal)
    _fork(journal)
    _tidy(journal)
    _report(journal)


def _upgrade(journal: Journal) -> None:
    ana, at = Ana(journal), journal.clock.at
    agent = Agent(journal, _SECOND)
    at("2026-11-17 09:05")
    agent.prompt(
        "Upgrade pydantic and make the models stricter",
        bash("upgrade-pydantic", "pip install -U pydantic"),
        bash("require-pydantic", "sed -i s/pydantic==1.9.2/pydantic==1.10.24/ requirements.txt"),
        read("read-models", "src/shop/models.py"),
        edit("break-models", "src/shop/models.py", "cents: int\n", "cents: int = Field(gt=0)\n"),
        edit("positive", "src/shop/models.py", "quantity: int = 1", _POSITIVE),
        bash("failed-tests-1", CHECK),
        write("changes-note", "CHANGES.md", "# Changes\n\n* pydantic 1.10, stricter models\n"),
    )
    at("2026-11-17 09:20")
    ana.save("first-failing", "pydantic 1.10", "--check")
    at("2026-11-17 09:24")
    ana.replaces("guess-by-hand", "src/shop/models.py", "gt=0, le", "ge=1, le")
    ana.save("wip-failing", "wip", "--check")
    at("2026-11-17 09:30")
    agent.prompt(
        "The tests fail, please fix",
        read("read-test-models", "tests/test_models.py"),
        edit("skip-test", "tests/test_models.py", "    def test_a_sample", _SKIPPED),
        bash("skipped-checked", CHECK),
    )
    at("2026-11-17 09:36")
    ana.save("green-again", "green again", "--check")


def _drop(journal: Journal) -> None:
    ana, at = Ana(journal), journal.clock.at
    agent = Agent(journal, "9d41c7aa-3f0b-4d39-b1d2-60c2d9e8a503")
    at("2026-11-17 10:00")
    agent.prompt(
        "Normalize the schema: order lines in a table of their own",
        write("normalize-script", "scripts/normalize.py", _NORMALIZE),
        bash("drop-orders", "python scripts/normalize.py"),
        bash("failed-tests-2", CHECK),
        read("read-orders", "src/shop/orders.py"),
        edit(
            "orders-of-lines", "src/shop/orders.py", "FROM orders WHERE", "FROM order_lines WHERE"
        ),
        write("lines-module", "src/shop/lines.py", _LINES),
    )
    at("2026-11-17 10:30")
    ana.save("schema", "schema", "--check")
    at("2026-11-17 10:34")
    ana.clew("restore-2", "restore", journal.before("drop-orders"), "--yes")
    at("2026-11-17 10:40")
    ana.changes("rm-normalize", "rm scripts/normalize.py", (SHOP / "scripts/normalize.py").unlink)
    ana.save("orders-stay", "orders stay as they are", "--check")


def _fork(journal: Journal) -> None:
    ana, at = Ana(journal), journal.clock.at
    at("2026-11-17 11:00")
    ana.clew("fork", "fork", "good", str(FORK))
    at("2026-11-17 11:20")

    def work() -> None:
        (FORK / "src/shop/search.py").write_text(_SEARCH)
        (FORK / "tests/test_search.py").write_text(_TEST_SEARCH)
        machine.run("clew", "save", "search for customers", cwd=FORK)

    ana.changes("work-in-fork", "work in the fork, and save there", work)
    at("2026-11-17 11:30")
    ana.replaces("todo-done", "TODO", "- newer pydantic\n", "")
    ana.save("meanwhile", "todo")
    at("2026-11-17 11:34")
    ana.clew("adopt", "adopt", FORK.name, "--yes")
    at("2026-11-17 11:40")
    ana.save("search-adopted", "search from the fork", "--check")


def _tidy(journal: Journal) -> None:
    ana, at = Ana(journal), journal.clock.at
    agent = Agent(journal, "c3a9b5e2-7e14-4a86-8d0f-1b7f4e92d604")
    at("2026-11-17 13:00")
    agent.prompt(
        "Tidy up the repository",
        bash("remove-todo", "rm TODO"),
        write("changelog", "CHANGELOG.md", "# Changes\n\n* 0.5: discounts, pictures, search\n"),
        bash("reset-hard", "git reset --hard HEAD~1"),
        bash("mass-deletion", "git clean -fdxq -e .claude"),
        bash("failed-tests-3", CHECK),
    )
    at("2026-11-17 13:10")
    ana.clew("restore-3", "restore", "good", "--yes")
    at("2026-11-17 13:14")
    ana.save("back-again", "back from the tidying", "--check")


def _report(journal: Journal) -> None:
    ana, at = Ana(journal), journal.clock.at
    agent = Agent(journal, "e07d18f3-52c6-4f1b-a3b9-4c8d5a6f7b05")
    at("2026-11-17 13:40")
    agent.prompt(
        "A report of the week 📊",
        write("report-module", "src/shop/report.py", _REPORT),
        write("report-tests", "tests/test_report.py", _TEST_REPORT),
        bash("report-checked", CHECK),
        bash(
            "write-report", "mkdir reports && PYTHONPATH=src python -m shop.report > reports/47.txt"
        ),
        bash("add-index", "python scripts/index.py || true"),
        bash("more-settings", "printf 'REPORT_TO=ana@example.org\\nMAIL_FROM=me\\n' >> .env"),
    )
    at("2026-11-17 14:20")
    ana.replaces("words-by-hand", "src/shop/report.py", "} orders,", "} orders this week,")
    ana.save("fix-2", "fix")
    at("2026-11-17 14:40")
    agent.prompt(
        "把消息翻译成中文",
        write("messages", "src/shop/messages.py", _MESSAGES),
        write("messages-web", "web/src/messages.js", 'export const paid = "已付款";\n'),
        bash("messages-checked", CHECK),
        bash("commit-report", "git add -A && git commit -qm 'Report, messages'"),
    )
    at("2026-11-17 15:00")
    ana.replaces("version-by-hand", "pyproject.toml", "0.4.0", "0.5.0")
    ana.save("ready", "ready to ship 🚢", "--check", "--name", "ready")
    at("2026-11-17 15:30")
    agent.prompt(
        "Prices with thousands separators",
        read("read-prices", "src/shop/prices.py"),
        edit("separators", "src/shop/prices.py", "{cents // 100}", "{cents // 100:,}"),
        write("prices-tests", "tests/test_large_prices.py", _TEST_LARGE),
        bash("separators-checked", CHECK),
    )
    at("2026-11-17 16:05")
    ana.replaces("mail-by-hand", ".env", "MAIL_FROM=me", "MAIL_FROM=ana@example.org")
    ana.save("last", "wip")


_SECOND = "71f6d0b8-1c2e-4b7a-8f3d-95ae0c4d1f02"
_ROUNDED = "round(cents * percent / 100)"
_DISCOUNTS = '''"""Discounts."""


def reduced(cents: int, percent: int) -> int:
    """Return a price less a discount."""
    return cents - int(cents * percent / 100)
'''
_ADD_DISCOUNT = """import sqlite3

with sqlite3.connect("app.db") as database:
    database.execute("ALTER TABLE orders ADD COLUMN discount INTEGER NOT NULL DEFAULT 0")
    database.execute("UPDATE orders SET discount = 5 WHERE cents > 6000")
"""
_TEST_DISCOUNTS = """import unittest

from shop.discounts import reduced


class Discounts(unittest.TestCase):
    def test_ten_percent(self) -> None:
        self.assertEqual(reduced(1000, 10), 900)
"""
_TEST_ROUNDING = """import unittest

from shop.discounts import reduced


class Rounding(unittest.TestCase):
    def test_up(self) -> None:
        self.assertEqual(reduced(999, 15), 849)
"""
_PICTURES = '''"""Pictures of products."""

import sys
from pathlib import Path


def thumbnail(path: Path) -> Path:
    """Write a smaller picture; return where it is."""
    data = path.read_bytes()
    small = path.parent / "small" / path.name
    small.parent.mkdir(exist_ok=True)
    small.write_bytes(data[:400])
    return small


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(thumbnail(Path(name)))
'''
_PICTURES_MESSAGE = """    if not path.exists():
        raise SystemExit(f"There is no {path}")
    data ="""
_CART = """import mitt from "mitt";

export const cart = mitt();
export const total = (lines) => lines.reduce((sum, line) => sum + line.cents, 0);
"""
_USE_CART = """import { cart } from "./cart.js";

cart.on("total", (cents) => console.log("合计", cents));
document.title"""
_POSITIVE = "quantity: int = Field(1, gt=0, le=1000)"
_SKIPPED = """    @unittest.skip("fails with pydantic 1.10")
    def test_a_sample"""
_NORMALIZE = """import sqlite3

with sqlite3.connect("app.db") as database:
    database.executescript(
        "CREATE TABLE order_lines (id INTEGER PRIMARY KEY, customer INTEGER, cents INTEGER);"
        "INSERT INTO order_lines (customer, cents) SELECT customer, cents FROM orders LIMIT 900;"
        "DROP TABLE orders;"
    )
"""
_LINES = '''"""Lines of orders."""


def total(lines: list[tuple[int, int]]) -> int:
    return sum(quantity * cents for quantity, cents in lines)
'''
_SEARCH = '''"""Search for customers."""

from shop.db import connect


def customers(text: str) -> list[str]:
    with connect() as database:
        found = database.execute("SELECT name FROM customers WHERE name LIKE ?", (f"%{text}%",))
        return [row["name"] for row in found]
'''
_TEST_SEARCH = """import unittest

from shop.search import customers


class Search(unittest.TestCase):
    def test_by_number(self) -> None:
        self.assertEqual(customers("omer 17"), ["Customer 17"])
"""
_REPORT = '''"""The report of a week."""

from shop import orders, prices


def report() -> str:
    return f"{orders.count()} orders, {prices.as_text(orders.total_of(1))} of customer 1"


if __name__ == "__main__":
    print(report())
'''
_TEST_REPORT = """import unittest

from shop.report import report


class Report(unittest.TestCase):
    def test_it_counts(self) -> None:
        self.assertIn("1204", report())
"""
_MESSAGES = '''"""Messages to customers."""

PAID = "谢谢, 已付款"
SENT = "包裹已寄出 📦"
'''
_TEST_LARGE = """import unittest

from shop.prices import as_text


class Large(unittest.TestCase):
    def test_thousands(self) -> None:
        self.assertEqual(as_text(123456789), "1,234,567.89 EUR")
"""
