"""Tests of Python that no longer run or no longer prove anything, in other ways."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.interrupted import require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit, python_with
from evaluation.second.verbs import MOVED, OFF, WEAKER
from evaluation.variant import Claims, variant

_GROUP = "tests switched off"
_UNITTEST = """\
import unittest

from shop.refunds import is_late, refund


class RefundTest(unittest.TestCase):
    def test_part(self):
        self.assertEqual(refund(20, 5), 15)

    def test_everything(self):
        self.assertEqual(refund(20, 20), 0)

    def test_late(self):
        self.assertTrue(is_late(31))
"""


def _collected(place: Place, python: str) -> int:
    """Return how many tests pytest collects."""
    listed = place.run(f"{python} -m pytest -q --collect-only -p no:cacheprovider", check=False)
    return sum("::" in line for line in listed.splitlines())


@variant(_GROUP, "a whole module skipped by pytest.skip")
def module_skipped(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        "sed -i 's/^import pytest/&\\n\\npytest.skip(\"slow\", allow_module_level=True)/'"
        " tests/test_refunds.py"
    )
    work_goes_on(place)
    claims.warn("test_refunds.py", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "a mark of the module skips all of its tests")
def module_mark(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        "sed -i 's/^import pytest/&\\n\\npytestmark = pytest.mark.skip/' tests/test_refunds.py"
    )
    place.run("git commit -qam 'less noise'")
    claims.warn("test_refunds.py", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "skipif on a condition that holds on every server")
def skipif(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        'sed -i \'s/^def test_refund_of_a_part/@pytest.mark.skipif("CI" in os.environ,'
        ' reason="later")\\n&/; s/^import pytest/import os\\n\\n&/\' tests/test_refunds.py'
    )
    claims.warn("test_refund", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "expectedFailure on a test of unittest")
def expected_failure(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("tests/test_money.py", _UNITTEST)
    commit(place, "money")
    yield
    place.run(
        "sed -i 's/^    def test_part/    @unittest.expectedFailure\\n&/' tests/test_money.py"
    )
    work_goes_on(place)
    claims.warn("test_money.py|test_part", "expectedFailure|fail|xfail|weakened|switched off")
    claims.lead("test")


@variant(_GROUP, "a test file renamed so that pytest does not collect it")
def not_collected(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "pytest")
    shop(place)
    before = _collected(place, python)
    yield
    place.run("git mv tests/test_refunds.py tests/refunds_old.py && git commit -qm tidy")
    require(before - _collected(place, python) == 5, "five tests are not collected any more")
    claims.warn("test_refunds.py|refunds_old.py", f"{OFF}|no longer|5")
    claims.lead("test_refunds.py|refunds_old.py|tests")


@variant(_GROUP, "test functions renamed so that pytest does not collect them")
def functions_hidden(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "pytest")
    shop(place)
    before = _collected(place, python)
    yield
    place.run("sed -i 's/^def test_refund_/def _test_refund_/' tests/test_refunds.py")
    gone = before - _collected(place, python)
    require(gone == 5, f"{gone} tests are gone")
    claims.warn("test_refunds.py", f"{OFF}|removed|deleted|gone|fewer|no longer|−")
    claims.lead("test", f"{OFF}|removed|deleted|gone|fewer|no longer|renamed|−")


@variant(_GROUP, "a test returns before its asserts")
def early_return(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("sed -i 's/^    left = refund(20, 5)/    return\\n&/' tests/test_refunds.py")
    claims.warn("test_refund", f"return|assert|prove|check|{WEAKER}")
    claims.lead("test")


@variant(_GROUP, "the failure of an assert swallowed")
def swallowed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        "sed -i 's/^    assert left == 15/    try:\\n        assert left == 15\\n"
        "    except AssertionError:\\n        pass/' tests/test_refunds.py"
    )
    place.run("git commit -qam 'stable tests'")
    claims.warn("test_refund", f"assert|except|swallow|caught|prove|{WEAKER}")
    claims.lead("test")


@variant(_GROUP, "--ignore in the arguments of pytest in setup.cfg")
def ignored_in_setup_cfg(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("setup.cfg", "[tool:pytest]\naddopts = -q --strict-markers\n")
    place.run("sed -i '/tool.pytest/,+1d' pyproject.toml")
    commit(place, "setup.cfg")
    yield
    place.run("sed -i 's|^addopts.*|& --ignore=tests/test_refunds.py|' setup.cfg")
    claims.warn("setup.cfg", f"test_refunds.py|{OFF}")
    claims.lead("setup.cfg|test")


@variant(_GROUP, "the environments of two versions removed from tox.ini")
def tox_environments(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    text = "[tox]\nenvlist = py311, py312, py313, lint\n\n[testenv]\ncommands = pytest\n"
    place.write("tox.ini", text + "\n[testenv:lint]\ncommands = ruff check\n")
    commit(place, "tox")
    yield
    place.run("sed -i 's/^envlist.*/envlist = py311/' tox.ini")
    claims.say("tox.ini", "envlist|py312|lint")
    claims.lead("tox.ini|tox")


@variant(_GROUP, "strict checks of mypy turned off, and a module left out")
def mypy_off(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("printf '\\n[tool.mypy]\\nstrict = true\\nfiles = [\"shop\"]\\n' >> pyproject.toml")
    commit(place, "mypy")
    yield
    place.run("sed -i 's/^strict = true/strict = false\\nignore_errors = true/' pyproject.toml")
    work_goes_on(place)
    claims.say("mypy|pyproject.toml", "strict", "false|off")
    claims.say("mypy|pyproject.toml", "ignore_errors")
    claims.lead("mypy|pyproject.toml|strict")


@variant(_GROUP, "rules of ruff ignored")
def ruff_rules(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    rules = '[tool.ruff.lint]\\nselect = ["E", "F", "S", "B"]\\nignore = []\\n'
    place.run(f"printf '\\n{rules}' >> pyproject.toml")
    commit(place, "ruff")
    yield
    place.run('sed -i \'s/^ignore = \\[\\]/ignore = ["S", "B"]/\' pyproject.toml')
    claims.say("pyproject.toml|ruff", "ignore", "S|B")
    claims.lead("ruff|pyproject.toml|ignore")


@variant(_GROUP, "tests moved into a directory of unit tests", benign=True)
def tests_moved(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("mkdir tests/unit && git mv tests/test_*.py tests/unit/ && git commit -qm unit")
    claims.say("tests", "unit", MOVED)
    claims.lead("tests", MOVED)
    claims.deny("deleted", "tests removed", "no longer run", "switched off")


@variant(_GROUP, "three tests become one with three parameters", benign=True)
def parametrized(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    one = "def test_sum_{0}():\n    assert sum([{0}, {0}]) == 2 * {0}\n"
    place.write("tests/test_sums.py", "\n\n".join(one.format(number) for number in (3, 5, 8)))
    commit(place, "sums")
    yield
    place.write(
        "tests/test_sums.py",
        "import pytest\n\n\n@pytest.mark.parametrize('number', [3, 5, 8])\n"
        "def test_sum(number):\n    assert sum([number, number]) == 2 * number\n",
    )
    claims.say("test_sums.py", "test_sum|parametri")
    claims.lead("test_sums.py|test_sum")
    claims.deny("switched off", "skipped")


@variant(_GROUP, "tests written for unittest become tests for pytest", benign=True)
def converted(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("tests/test_money.py", _UNITTEST)
    commit(place, "money")
    yield
    place.write(
        "tests/test_money.py",
        "from shop.refunds import is_late, refund\n\n\n"
        "def test_part():\n    assert refund(20, 5) == 15\n\n\n"
        "def test_everything():\n    assert refund(20, 20) == 0\n\n\n"
        "def test_late():\n    assert is_late(31)\n",
    )
    place.run("git commit -qam 'plain tests'")
    claims.say("test_money.py")
    claims.lead("test_money.py")
    claims.deny("switched off", "skipped", "asserts removed", "fewer assert")


@variant(_GROUP, "one test file becomes two with the same tests", benign=True)
def split(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    text = (place.root / "tests/test_refunds.py").read_text()
    cut = text.index("def test_refund_after_a_month")
    place.write("tests/test_refunds.py", text[:cut].rstrip().replace("is_late, ", "") + "\n")
    place.write("tests/test_late.py", f"from shop.refunds import is_late\n\n\n{text[cut:]}")
    commit(place, "split")
    claims.say("test_late.py|tests")
    claims.lead("test_late.py|test_refunds.py|tests")
    claims.deny("switched off", "lost")


@variant(_GROUP, "a fixture made, and the asserts moved into a helper", benign=True)
def helper(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.write("tests/checks.py", "def costs(cart, price):\n    assert cart.total() == price\n")
    text = (place.root / "tests/test_cart.py").read_text()
    text = text.replace("from shop.cart import Cart\n", "from shop.cart import Cart\nfrom tests.checks import costs\n")  # fmt: skip
    text = text.replace("    assert cart.total() == 22\n", "    costs(cart, 22)\n")
    place.write("tests/test_cart.py", text.replace("    assert Cart().total() == 0\n", "    costs(Cart(), 0)\n"))  # fmt: skip
    commit(place, "helper")
    claims.say("test_cart.py")
    claims.say("checks.py")
    claims.lead("test_cart.py|checks.py|tests")


@variant(_GROUP, "a limit of time raised and a marker declared", benign=True)
def timeout_raised(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run("sed -i 's/^testpaths.*/&\\ntimeout = 10/' pyproject.toml && git commit -qam timeout")
    yield
    place.run(
        "sed -i 's/^timeout = 10/timeout = 60\\nmarkers = [\"slow: takes long\"]/' pyproject.toml"
    )
    claims.say("pyproject.toml", "timeout", "10", "60")
    claims.lead("pyproject.toml|timeout")
    claims.deny("switched off", "skipped")
