"""A small shop with tests, a workflow and a log, for variants to start from."""

from __future__ import annotations

from evaluation.place import Place

_CART = """\
\"\"\"The cart.\"\"\"


class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, price, count=1):
        self.items.append((name, price, count))

    def total(self):
        return sum(price * count for _, price, count in self.items)
"""
_REFUNDS = """\
\"\"\"Refunds.\"\"\"


def refund(paid, returned):
    if returned < 0 or returned > paid:
        raise ValueError("the refund is not in the limits")
    return paid - returned


def is_late(days):
    return days > 30
"""
_TEST_CART = """\
from shop.cart import Cart


def test_an_empty_cart_costs_nothing():
    assert Cart().total() == 0


def test_a_cart_adds_prices():
    cart = Cart()
    cart.add("tea", 4)
    cart.add("cup", 9, 2)
    assert cart.total() == 22
"""
_TEST_REFUNDS = """\
import pytest

from shop.refunds import is_late, refund


def test_refund_of_a_part():
    left = refund(20, 5)
    assert left == 15


def test_refund_of_everything():
    left = refund(20, 20)
    assert left == 0


def test_refund_above_the_price_fails():
    with pytest.raises(ValueError):
        refund(20, 21)


def test_refund_below_zero_fails():
    with pytest.raises(ValueError):
        refund(20, -1)


def test_refund_after_a_month_is_late():
    late = is_late(31)
    assert late
"""
_PYPROJECT = """\
[project]
name = "shop"
version = "1.4.0"
dependencies = ["requests>=2.31"]

[tool.pytest.ini_options]
testpaths = ["tests"]

[tool.coverage.report]
fail_under = 90
show_missing = true
"""
_WORKFLOW = """\
name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .
      - name: tests
        run: pytest -q
"""
_MAKEFILE = "test:\n\tpytest -q\n\nlint:\n\truff check .\n"


def shop(place: Place) -> None:
    """Write the shop, and commit everything but its log."""
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": _CART,
        "shop/refunds.py": _REFUNDS,
        "tests/test_cart.py": _TEST_CART,
        "tests/test_refunds.py": _TEST_REFUNDS,
        "pyproject.toml": _PYPROJECT,
        "Makefile": _MAKEFILE,
        ".github/workflows/ci.yml": _WORKFLOW,
        "README.md": "# Shop\n\nA shop that sells tea.\n",
        ".gitignore": "*.log\n/build/\n__pycache__/\nnode_modules/\n.venv/\n.env\n",
    }
    for path, content in files.items():
        place.write(path, content)
    place.run("git init -q && git add -A && git commit -qm 'the shop'")
    place.write("app.log", "".join(f"request {number} ok\n" for number in range(200)))


def work_goes_on(place: Place) -> None:
    """Let the log grow and a sentence of the README change, as on any day."""
    place.run("seq 500 >> app.log && echo 'It also sells cups.' >> README.md")
