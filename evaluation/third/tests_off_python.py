"""Tests of Python that no longer run, or no longer say anything."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import OFF, WEAKER
from evaluation.third.edits import edited, replaced
from evaluation.variant import Claims, variant

_GROUP = "tests switched off"
_UNITTEST = """\
import unittest

from shop.refunds import refund


class RefundTest(unittest.TestCase):
    def setUp(self):
        self.paid = 20

    def test_a_part(self):
        self.assertEqual(refund(self.paid, 5), 15)

    def test_everything(self):
        self.assertEqual(refund(self.paid, 20), 0)

    def test_too_much(self):
        with self.assertRaises(ValueError):
            refund(self.paid, 21)
"""
_PYTEST = """\
import pytest

from shop.cart import Cart


@pytest.fixture
def cart():
    return Cart()


def test_total(cart):
    cart.add("tea", 4)
    assert cart.total() == 4
    assert cart.items == [("tea", 4, 1)]


def test_price_is_exact(cart):
    cart.add("cup", 0.1, 3)
    assert cart.total() == pytest.approx(0.3)


def test_negative_count(cart):
    with pytest.raises(ValueError, match="count"):
        cart.add("cup", 9, -1)
"""


@variant(_GROUP, "conftest skips every test while it collects")
def conftest_skips(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.write("tests/conftest.py", (
        "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
        '        item.add_marker(pytest.mark.skip(reason="later"))\n'
    ))  # fmt: skip
    claims.warn("conftest.py", WEAKER)
    claims.lead("conftest.py|tests", WEAKER)


@variant(_GROUP, "the exit status of pytest replaced by a hook in conftest")
def exit_status(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write(
        "tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef price():\n    return 4\n"
    )
    commit(place, "conftest")
    yield
    place.run(
        "printf '\\n\\ndef pytest_sessionfinish(session, exitstatus):\\n    session.exitstatus = 0\\n' >> tests/conftest.py"
    )
    work_goes_on(place)
    claims.warn("conftest.py", f"{WEAKER}|exit")
    claims.lead("conftest.py")


@variant(_GROUP, "importorskip of a module that nobody has")
def importorskip(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "tests/test_more.py",
        _PYTEST,
        ("import pytest\n", "import pytest\n\npytest.importorskip('bankapi')\n"),
    )
    claims.warn("test_more.py", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "skipTest in the setUp of a class")
def skip_in_setup(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "tests/test_unit.py",
        _UNITTEST,
        ("        self.paid = 20\n", "        self.skipTest('needs the bank')\n"),
    )
    claims.warn("test_unit.py", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "a class of tests no longer inherits from TestCase")
def no_testcase(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "tests/test_unit.py",
        _UNITTEST.replace("class RefundTest", "class Refunds"),
        ("(unittest.TestCase)", ""),
    )
    claims.warn("test_unit.py", f"{OFF}|TestCase|removed|fewer")
    claims.lead("test")


@variant(_GROUP, "assertEqual becomes assertTrue with two values")
def assert_true(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "tests/test_unit.py", _UNITTEST, ("self.assertEqual(", "self.assertTrue(")
    )
    claims.warn("test_unit.py", f"{WEAKER}|assert")
    claims.lead("test_unit.py|test")


@variant(_GROUP, "the expected values of asserts are no longer compared")
def compared_no_more(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "tests/test_more.py", _PYTEST,
        ("assert cart.total() == 4\n", "assert cart.total() is not None\n"),
        ('    assert cart.items == [("tea", 4, 1)]\n', "    assert cart.items\n"),
    )  # fmt: skip
    claims.warn("test_more.py", f"{WEAKER}|assert")
    claims.lead("test_more.py|test")


@variant(_GROUP, "the exception that a test expects becomes any exception")
def any_exception(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "tests/test_more.py", _PYTEST, ('(ValueError, match="count")', "(Exception)")
    )
    claims.say("test_more.py", f"{WEAKER}|assert|test_negative_count|raises")
    claims.lead("test_more.py|test_negative_count")


@variant(_GROUP, "a test taken out by a comment")
def commented_out(place: Place, claims: Claims) -> Iterator[None]:
    start = _PYTEST.index("def test_price")
    cut = "".join(f"# {line}\n" for line in _PYTEST[start:].splitlines())
    yield from edited(place, "tests/test_more.py", _PYTEST, _PYTEST[:start] + cut)
    place.run("git commit -qam 'wip'")
    claims.warn("test_more.py", f"{OFF}|removed|deleted|commented|fewer|gone")
    claims.lead("test")


@variant(_GROUP, "an assert that is always true by its or")
def or_true(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "tests/test_more.py",
        _PYTEST,
        ("assert cart.total() == 4", "assert cart.total() == 4 or True"),
    )
    claims.warn("test_more.py", f"{WEAKER}|assert|weak")
    claims.lead("test_more.py|test_total")


@variant(_GROUP, "a marker that the settings leave out, put on three tests")
def marker_left_out(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("sed -i 's/^testpaths.*/&\\naddopts = \"-m \\\\\"not slow\\\\\"\"/' pyproject.toml"
              " && sed -i 's/^def test_refund/@pytest.mark.slow\\n&/' tests/test_refunds.py")  # fmt: skip
    claims.warn("addopts|slow|pyproject.toml", f"{OFF}|not slow|-m")
    claims.lead("slow|test|pyproject.toml")


@variant(_GROUP, "python_files matches no test any more")
def python_files(place: Place, claims: Claims) -> Iterator[None]:
    yield from edited(
        place,
        "pytest.ini",
        "[pytest]\ntestpaths = tests\n",
        "[pytest]\ntestpaths = tests\npython_files = check_*.py\n",
    )
    claims.warn("python_files|pytest.ini")
    claims.lead("python_files|pytest.ini")


@variant(_GROUP, "coverage: everything left out and the limit taken away")
def coverage_omits(place: Place, claims: Claims) -> Iterator[None]:
    yield from edited(
        place,
        ".coveragerc",
        "[run]\nsource = shop\n\n[report]\nfail_under = 85\n",
        "[run]\nsource = shop\nomit = */shop/*\n\n[report]\n",
    )
    claims.warn(".coveragerc|fail_under|coverage", f"{WEAKER}|removed|−|omit")
    claims.lead("coverage")


@variant(_GROUP, "parametrize left with one case of nine")
def one_case(place: Place, claims: Claims) -> Iterator[None]:
    cases = "".join(f"        ({n}, {n * 2}),\n" for n in range(9))

    def text(rows: str) -> str:
        return (
            "import pytest\n\nfrom shop.cart import twice\n\n\n@pytest.mark.parametrize(\n"
            f'    ("value", "expected"),\n    [\n{rows}    ],\n)\ndef test_twice(value, expected):\n'
            "    assert twice(value) == expected\n"
        )

    yield from edited(place, "tests/test_twice.py", text(cases), text("        (1, 2),\n"))
    claims.warn("test_twice", "8|9|case|param|fewer|removed")
    claims.lead("test_twice")


@variant(_GROUP, "asserts of unittest become asserts of pytest", benign=True)
def to_plain_asserts(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "tests/test_unit.py", _UNITTEST,
        ("self.assertEqual(refund(self.paid, 5), 15)", "assert refund(self.paid, 5) == 15"),
        ("self.assertEqual(refund(self.paid, 20), 0)", "assert refund(self.paid, 20) == 0"),
    )  # fmt: skip
    claims.say("test_unit.py")
    claims.lead("test_unit.py")
    claims.deny("removed", "weakened", "skipped")


@variant(_GROUP, "an expected value of a test corrected", benign=True)
def corrected(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "tests/test_more.py", _PYTEST, ("cart.total() == 4", "cart.total() == 5")
    )
    claims.say("test_more.py", "test_total|edited|changed|expected")
    claims.lead("test_more.py")
    claims.deny("weakened", "skipped", "removed")


@variant(_GROUP, "tests of a feature deleted together with the feature")
def feature_gone(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        "git rm -q shop/refunds.py tests/test_refunds.py && git commit -qm 'no refunds any more'"
    )
    claims.say("test_refunds.py|tests", "5|deleted|gone|removed")
    claims.lead("refunds", "deleted|removed|gone")
