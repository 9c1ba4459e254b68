"""Tests that no longer run or check less, in the languages and runners that people use."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.checks.suite_files import SuiteFiles
from clew.detectors.checks.suites import language_of_suite, read_suite
from clew.detectors.files.source_files import SourceFiles
from clew.model.fact import Fact, Severity
from tests.detectors.real_git import Repo
from tests.kit.moments import Moment, evidence, facts, file, findings, problems, story
from tests.kit.tools import require

PYTHON = """\
import pytest

from shop import refund, total


def test_total():
    assert total([4, 9]) == 13


def test_refund():
    left = refund(20, 5)
    assert left == 15
    assert left > 0


class TestCart:
    def test_empty(self):
        assert total([]) == 0


@pytest.mark.parametrize("price", [1, 2, 3])
def test_prices(price):
    assert total([price]) == price
"""
UNITTEST = """\
import unittest


class CartTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1]), 1)

    def test_refund(self):
        with self.assertRaises(ValueError):
            refund(1, 2)
"""
JEST = """\
describe('cart', () => {
  // it('is a comment', () => {});
  it('adds prices', () => {
    expect(total([4, 9])).toBe(13);
  });

  it("is `zero` for nothing", async () => {
    const text = "it('is a text', () => {})";
    expect(total([])).toBe(0);
  });
});

test('refuses', function () {
  expect(() => refund(1, 2)).toThrow();
});
"""
GO = """\
package cart

import "testing"

// func TestComment(t *testing.T) {}

func TestTotal(t *testing.T) {
	if total(4, 9) != 13 {
		t.Fatal("wrong")
	}
}

func TestRefund(t *testing.T) {
	assert.Equal(t, 15, refund(20, 5))
}
"""
RUST = """\
pub fn total(a: u32, b: u32) -> u32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(total(4, 9), 13);
    }

    #[tokio::test]
    async fn refunds() {
        assert!(refund().await);
    }
}
"""
JUNIT = """\
class CartTest {
    @Test
    void adds() {
        assertEquals(13, total(4, 9));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void refunds(int price) {
        assertThat(refund(price)).isEqualTo(0);
    }
}
"""
KOTLIN = """\
class CartTest {
    @Test
    fun `adds prices`() {
        assertEquals(13, total(4, 9))
    }

    @Test
    fun refunds() {
        assertTrue(refund())
    }
}
"""
RSPEC = """\
RSpec.describe Cart do
  describe "#total" do
    it "adds prices" do
      expect(total).to eq(13)
    end

    it "refunds" do
      expect(refund).to eq(0)
    end
  end
end
"""
MINITEST = """\
class CartTest < Minitest::Test
  def test_total
    assert_equal 13, total
  end

  def test_refund
    assert_equal 0, refund
  end
end
"""
XUNIT = """\
public class CartTests
{
    [Fact]
    public void Adds()
    {
        Assert.Equal(13, Total(4, 9));
    }

    [Theory]
    [InlineData(1)]
    public async Task Refunds(int price)
    {
        Assert.Equal(0, await Refund(price));
    }
}
"""
PHPUNIT = """\
<?php
class CartTest extends TestCase
{
    public function testTotal(): void
    {
        $this->assertSame(13, total(4, 9));
    }

    #[Test]
    public function it_refunds(): void
    {
        $this->assertSame(0, refund());
    }
}
"""
PEST = """\
<?php
it('adds prices', function () {
    expect(total())->toBe(13);
});

test('refunds', fn () => expect(refund())->toBe(0));
"""
SWIFT = """\
final class CartTests: XCTestCase {
    func testTotal() {
        XCTAssertEqual(total(), 13)
    }

    func testRefund() throws {
        XCTAssertTrue(try refund())
    }
}
"""
GTEST = """\
TEST(Cart, Total) {
  EXPECT_EQ(13, total());
}

TEST_F(CartTest, Refund) {
  ASSERT_TRUE(refund());
}
"""
BATS = """\
@test "total" {
  run total 4 9
  [ "$output" = 13 ]
}

@test "refund" {
  run refund
  [ "$status" -eq 0 ]
}
"""
EXUNIT = """\
defmodule CartTest do
  use ExUnit.Case

  describe "total" do
    test "adds prices" do
      assert total() == 13
    end

    test "refunds" do
      assert refund() == 0
    end
  end
end
"""
DART = """\
void main() {
  group('cart', () {
    test('adds', () {
      expect(total(), 13);
    });
    test('refunds', () {
      expect(refund(), 0);
    });
  });
}
"""
BUSTED = """\
describe("cart", function()
  it("adds", function()
    assert.are.equal(13, total())
  end)
  it("refunds", function()
    assert.is_true(refund())
  end)
end)
"""
TESTTHAT = """\
test_that("adds", {
  expect_equal(total(), 13)
})

test_that("refunds", {
  expect_true(refund())
})
"""
SCALA = """\
class CartSpec extends AnyFunSuite {
  test("adds") {
    assert(total == 13)
  }
  test("refunds") {
    assert(refund == 0)
  }
}
"""
HSPEC = """\
spec = describe "cart" $ do
  it "adds" $
    total `shouldBe` 13
  it "refunds" $ do
    refund `shouldBe` 0
"""
CLOJURE = """\
(deftest adds
  (is (= 13 (total))))

(deftest refunds
  (is (= 0 (refund))))
"""
PERL = "use Test::More;\nok(total() == 13);\nis(refund(), 0);\ndone_testing;\n"
GHERKIN = """\
Feature: cart
  Scenario: adds
    When I add
    Then it is 13

  Scenario: refunds
    Then it is 0
"""
PLAYWRIGHT = """\
import { test, expect } from '@playwright/test';
test.describe('cart', () => {
  test('adds', async ({ page }) => {
    await expect(page).toHaveTitle('Cart');
  });
  test('refunds', { tag: '@slow' }, async ({ page }) => {
    expect(await page.title()).toBe('x');
  });
});
"""
NODE = """\
import test from 'node:test';
test('adds', () => { assert.equal(total(), 13); });
test('refunds', { timeout: 10 }, (t) => {
  assert.ok(refund());
});
"""

_SUITES = {
    "tests/test_cart.py": PYTHON, "tests/cart_test.py": UNITTEST, "src/cart.test.js": JEST,
    "cart/cart_test.go": GO, "src/lib.rs": RUST, "src/test/java/CartTest.java": JUNIT,
    "app/CartTest.kt": KOTLIN, "spec/cart_spec.rb": RSPEC, "test/cart_test.rb": MINITEST,
    "Shop.Tests/CartTests.cs": XUNIT, "tests/Unit/CartTest.php": PHPUNIT,
    "tests/Feature/PestTest.php": PEST, "Tests/CartTests.swift": SWIFT, "cart_test.cc": GTEST,
    "test/cart.bats": BATS, "test/cart_test.exs": EXUNIT, "test/cart_test.dart": DART,
    "spec/cart_spec.lua": BUSTED, "tests/testthat/test-cart.R": TESTTHAT,
    "src/test/scala/CartSpec.scala": SCALA, "test/CartSpec.hs": HSPEC,
    "test/shop/cart_test.clj": CLOJURE, "t/cart.t": PERL, "features/cart.feature": GHERKIN,
    "e2e/cart.spec.ts": PLAYWRIGHT, "test/node.mjs": NODE,
}  # fmt: skip
_NUMBERS = {"tests/test_cart.py": 6, "src/cart.test.js": 3}


@pytest.mark.parametrize("path", _SUITES)
def test_the_tests_of_a_file_are_counted_and_all_run(path: str) -> None:
    suite = read_suite(language_of_suite(path), _SUITES[path].encode())

    assert suite is not None
    assert (suite.total, suite.running) == (_NUMBERS.get(path, 2),) * 2
    if not path.endswith(".t"):
        assert all(case.body.asserts for case in suite.cases.values())


# What no longer runs: the file, what is replaced by what, how it is told, and the number of tests

_STOPPED = [
    ("tests/test_cart.py", "def test_total", "@pytest.mark.skip\ndef test_total", "skip", 1),
    ("tests/test_cart.py", "def test_total", '@pytest.mark.skip(reason="x")\ndef test_total', "skip", 1),
    ("tests/test_cart.py", "def test_total", '@pytest.mark.skipif(True, reason="x")\ndef test_total', "skip", 1),
    ("tests/test_cart.py", "def test_total", '@pytest.mark.skipif("CI" in os.environ, reason="x")\ndef test_total', "skip", 1),
    ("tests/test_cart.py", "def test_total", "@pytest.mark.xfail\ndef test_total", "xfail", 1),
    ("tests/test_cart.py", "def test_prices", "@pytest.mark.skip\ndef test_prices", "skip", 3),
    ("tests/test_cart.py", "[1, 2, 3]", "[]", "no cases", 3),
    ("tests/test_cart.py", "    left = refund(20, 5)", "    pytest.skip('later')\n    left = refund(20, 5)", "skip", 1),
    ("tests/test_cart.py", "from shop", "pytestmark = pytest.mark.skip\nfrom shop", "skip", 6),
    ("tests/test_cart.py", "from shop", "pytestmark = [pytest.mark.slow, pytest.mark.skip('x')]\nfrom shop", "skip", 6),
    ("tests/test_cart.py", "from shop", "pytest.skip('x', allow_module_level=True)\nfrom shop", "skip", 6),
    ("tests/test_cart.py", "class TestCart:", "class TestCart:\n    __test__ = False\n", "skip", 1),
    ("tests/test_cart.py", "class TestCart:", "@pytest.mark.skip\nclass TestCart:", "skip", 1),
    ("tests/test_cart.py", "class TestCart:", "class XTestCart:", "not collected", 1),
    ("tests/test_cart.py", "def test_total", "def _test_total", "renamed", 1),
    ("tests/test_cart.py", "def test_total", "def xtest_total", "renamed", 1),
    ("tests/test_cart.py", "def test_total():\n    assert", "# def test_total():\n#     assert", "commented out", 1),
    ("tests/test_cart.py", "def test_total", "off = pytest.mark.skip('x')\n\n\n@off\ndef test_total", "skip", 1),
    ("tests/test_cart.py", "def test_total", "@pytest.fixture(autouse=True)\ndef off():\n    pytest.skip('x')\n\n\ndef test_total", "skip", 6),
    ("tests/test_cart.py", "def test_total", "if False:\n  def test_total2(): pass\n\n\n@unittest.skip('x')\ndef test_total", "skip", 1),
    ("tests/cart_test.py", "class Cart", "@unittest.skip('x')\nclass Cart", "skip", 2),
    ("tests/cart_test.py", "    def test_total", "    @unittest.expectedFailure\n    def test_total", "xfail", 1),
    ("tests/cart_test.py", "        self.assertE", "        self.skipTest('x')\n        self.assertE", "skip", 1),
    ("tests/cart_test.py", "        self.assertE", "        raise unittest.SkipTest\n        self.assertE", "skip", 1),
    ("tests/cart_test.py", "    def test_total", "    def setUp(self):\n        self.skipTest('x')\n\n    def test_total", "skip", 2),
    ("src/cart.test.js", "it('adds", "it.skip('adds", "skip", 1),
    ("src/cart.test.js", "it('adds", "xit('adds", "skip", 1),
    ("src/cart.test.js", "describe(", "describe.skip(", "skip", 2),
    ("src/cart.test.js", "describe(", "xdescribe(", "skip", 2),
    ("src/cart.test.js", "it('adds", "fit('adds", "only", 2),
    ("src/cart.test.js", "describe(", "describe.only(", "only", 1),
    ("src/cart.test.js", "it('adds prices', () => {\n    expect(total([4, 9])).toBe(13);\n  })", "it.todo('adds prices')", "skip", 1),
    ("src/cart.test.js", "it('adds", "it.failing('adds", "xfail", 1),
    ("src/cart.test.js", "function () {", "function () {\n  this.skip();", "skip", 1),
    ("src/cart.test.js", "test('refuses'", "test('refuses', { skip: true }", "skip", 1),
    ("e2e/cart.spec.ts", "test('adds", "test.fixme('adds", "skip", 1),
    ("e2e/cart.spec.ts", "test.describe(", "test.describe.skip(", "skip", 2),
    ("e2e/cart.spec.ts", "    await expect", "    test.skip();\n    await expect", "skip", 1),
    ("e2e/cart.spec.ts", "{ tag: '@slow' }, ", "{ tag: '@slow', only: true }, ", "only", 1),
    ("test/node.mjs", "{ timeout: 10 }", "{ skip: 'flaky' }", "skip", 1),
    ("test/node.mjs", "(t) => {", "(t) => {\n  t.skip('x');", "skip", 1),
    ("cart/cart_test.go", "\tassert", '\tt.Skip("x")\n\tassert', "skip", 1),
    ("cart/cart_test.go", "\tassert", "\tt.SkipNow()\n\tassert", "skip", 1),
    ("cart/cart_test.go", "package", "//go:build integration\n\npackage", "build tag integration", 2),
    ("cart/cart_test.go", "package", "// +build ignore\n\npackage", "build tag ignore", 2),
    ("cart/cart_test.go", "func TestTotal", "func testTotal", "renamed", 1),
    ("cart/cart_test.go", "func TestTotal", "func xTestTotal", "renamed", 1),
    ("src/lib.rs", "    fn adds", '    #[ignore = "x"]\n    fn adds', "skip", 1),
    ("src/lib.rs", "    #[test]\n", "", "not collected", 1),
    ("src/test/java/CartTest.java", "    void adds", '    @Disabled("x")\n    void adds', "skip", 1),
    ("src/test/java/CartTest.java", "class CartTest", "@Disabled\nclass CartTest", "skip", 2),
    ("src/test/java/CartTest.java", "@Test\n", "@Test(enabled = false)\n", "skip", 1),
    ("src/test/java/CartTest.java", "@Test\n    void", "void", "not collected", 1),
    ("app/CartTest.kt", "    fun refunds", "    @Ignore\n    fun refunds", "skip", 1),
    ("app/CartTest.kt", "    fun `adds", '    @Disabled("x")\n    fun `adds', "skip", 1),
    ("spec/cart_spec.rb", 'it "adds', 'xit "adds', "skip", 1),
    ("spec/cart_spec.rb", 'it "adds prices" do', 'it "adds prices", skip: "x" do', "skip", 1),
    ("spec/cart_spec.rb", 'it "adds prices" do', 'it "adds prices", :skip do', "skip", 1),
    ("spec/cart_spec.rb", 'it "adds prices" do', 'it "adds prices" do\n      skip "x"', "skip", 1),
    ("spec/cart_spec.rb", 'it "adds prices" do', 'it "adds prices" do\n      pending "x"', "xfail", 1),
    ("spec/cart_spec.rb", 'it "adds prices" do', 'fit "adds prices" do', "only", 1),
    ("spec/cart_spec.rb", "describe \"#", "xdescribe \"#", "skip", 2),
    ("test/cart_test.rb", "    assert_equal 13", '    skip "x"\n    assert_equal 13', "skip", 1),
    ("test/cart_test.rb", "def test_total", "def xtest_total", "renamed", 1),
    ("Shop.Tests/CartTests.cs", "[Fact]", '[Fact(Skip = "x")]', "skip", 1),
    ("Shop.Tests/CartTests.cs", "[Fact]", '[Fact, Ignore("x")]', "skip", 1),
    ("Shop.Tests/CartTests.cs", "        Assert.Equal(13", "        Assert.Ignore();\n        Assert.Equal(13", "skip", 1),
    ("tests/Unit/CartTest.php", "        $this->assertSame(13", "        $this->markTestSkipped('x');\n        $this->assertSame(13", "skip", 1),
    ("tests/Unit/CartTest.php", "function testTotal", "function xtestTotal", "renamed", 1),
    ("tests/Feature/PestTest.php", "->toBe(13);\n})", "->toBe(13);\n})->skip('x')", "skip", 1),
    ("Tests/CartTests.swift", "        XCTAssertTrue", '        throw XCTSkip("x")\n        XCTAssertTrue', "skip", 1),
    ("cart_test.cc", "Cart, Total", "Cart, DISABLED_Total", "skip", 1),
    ("cart_test.cc", "  EXPECT_EQ", '  GTEST_SKIP() << "x";\n  EXPECT_EQ', "skip", 1),
    ("test/cart.bats", "  run total", '  skip "x"\n  run total', "skip", 1),
    ("test/cart_test.exs", '    test "adds', '    @tag :skip\n    test "adds', "skip", 1),
    ("test/cart_test.exs", "  use ExUnit.Case\n", "  use ExUnit.Case\n  @moduletag :skip\n", "skip", 2),
    ("test/cart_test.dart", "expect(total(), 13);\n    }", "expect(total(), 13);\n    }, skip: 'x'", "skip", 1),
    ("spec/cart_spec.lua", 'it("adds', 'pending("adds', "skip", 1),
    ("tests/testthat/test-cart.R", "  expect_equal", '  skip("x")\n  expect_equal', "skip", 1),
    ("src/test/scala/CartSpec.scala", 'test("adds', 'ignore("adds', "skip", 1),
    ("test/CartSpec.hs", 'it "adds', 'xit "adds', "skip", 1),
    ("test/shop/cart_test.clj", "(deftest adds", "#_(deftest adds", "skip", 1),
    ("t/cart.t", "use Test::More;", "use Test::More skip_all => 'x';", "skip", 2),
    ("features/cart.feature", "  Scenario: adds", "  @wip\n  Scenario: adds", "skip", 1),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "how", "number"), _STOPPED)
def test_tests_that_no_longer_run_are_a_warning(
    path: str, old: str, new: str, how: str, number: int
) -> None:
    text = _SUITES[path]
    assert old in text

    found = _facts({path: text}, {path: text.replace(old, new, 1)})

    (fact,) = [fact for fact in found if fact.severity == Severity.HIGH]
    assert (fact.kind, fact.scope, fact.subject) == ("test.skipped", how, path)
    assert int(fact.before or 0) - int(fact.after or 0) == number


def _facts(old: dict[str, str], new: dict[str, str]) -> list[Fact]:
    return facts(SuiteFiles(), _encoded(old), _encoded(new))


def _encoded(texts: dict[str, str]) -> Moment:
    return {path: text.encode() for path, text in texts.items()}


def _headline(old: dict[str, str], new: dict[str, str]) -> str:
    return story([SuiteFiles()], _encoded(old), _encoded(new), [SourceFiles()]).headline


# What checks less

_WEAKER = [
    ("tests/test_cart.py", "    assert left == 15\n    assert left > 0\n", "", "asserts", 2),
    ("tests/test_cart.py", "    assert left > 0\n", "", "asserts", 1),
    ("tests/test_cart.py", "assert left == 15", "assert True", "constant", 1),
    ("tests/test_cart.py", "assert left == 15\n    assert left > 0", "assert left == left\n    assert True", "constant", 2),
    ("tests/test_cart.py", "assert left == 15", "assert (left == 15, 'a tuple')", "constant", 1),
    ("tests/test_cart.py", "assert left == 15", "assert left is not None", "weaker", 1),
    ("tests/test_cart.py", "    assert total([4, 9]) == 13", "    pass", "empty", 1),
    ("tests/test_cart.py", "    assert total([4, 9]) == 13", "    ...", "empty", 1),
    ("tests/test_cart.py", "    assert total([4, 9]) == 13", "    return\n    assert total([4, 9]) == 13", "empty", 1),
    ("tests/test_cart.py", "    assert total([4, 9]) == 13", "    if False:\n        assert total([4, 9]) == 13", "empty", 1),
    ("tests/test_cart.py", "    assert left == 15\n    assert left > 0\n", "    try:\n        assert left == 15\n        assert left > 0\n    except AssertionError:\n        pass\n", "hidden", 2),
    ("tests/test_cart.py", "    assert left == 15\n    assert left > 0\n", "    with contextlib.suppress(Exception):\n        assert left == 15\n        assert left > 0\n", "hidden", 2),
    ("tests/cart_test.py", "self.assertEqual(total([1]), 1)", "self.assertTrue(True)", "constant", 1),
    ("tests/cart_test.py", "self.assertEqual(total([1]), 1)", "self.assertEqual(1, 1)", "constant", 1),
    ("src/cart.test.js", "    expect(total([4, 9])).toBe(13);\n", "", "empty", 1),
    ("src/cart.test.js", "expect(total([4, 9])).toBe(13);", "expect(true).toBe(true);", "constant", 1),
    ("src/cart.test.js", "    expect(total([])).toBe(0);\n", "", "asserts", 1),
    ("cart/cart_test.go", "\tassert.Equal(t, 15, refund(20, 5))\n", "", "empty", 1),
    ("cart/cart_test.go", '\t\tt.Fatal("wrong")\n', "", "asserts", 1),
    ("src/lib.rs", "assert_eq!(total(4, 9), 13);", "assert!(true);", "constant", 1),
    ("src/test/java/CartTest.java", "        assertEquals(13, total(4, 9));\n", "", "empty", 1),
    ("spec/cart_spec.rb", "      expect(total).to eq(13)\n", "", "empty", 1),
    ("Shop.Tests/CartTests.cs", "Assert.Equal(13, Total(4, 9));", "Assert.True(true);", "constant", 1),
    ("tests/Unit/CartTest.php", "$this->assertSame(13, total(4, 9));", "$this->assertTrue(true);", "constant", 1),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "how", "number"), _WEAKER)
def test_tests_that_check_less_are_a_warning(
    path: str, old: str, new: str, how: str, number: int
) -> None:
    text = _SUITES[path]
    assert old in text

    found = _facts({path: text}, {path: text.replace(old, new, 1)})

    (fact,) = [fact for fact in found if fact.severity == Severity.HIGH]
    assert (fact.kind, fact.scope, fact.subject) == ("test.weakened", how, path)
    assert int(fact.before or 0) - int(fact.after or 0) == number


# What looks similar and is no warning


def _without(text: str, start: str, end: str) -> str:
    return text[: text.index(start)] + text[text.index(end) :]


_CART = PYTHON[PYTHON.index("class TestCart") : PYTHON.index("@pytest")]
_BENIGN: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("nothing but layout", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("total([4, 9])", "total(\n        [4, 9]\n    )")}),
    ("a comment", {"test_a.py": PYTHON}, {"test_a.py": PYTHON + "# end\n"}),
    ("a test is added", {"test_a.py": PYTHON}, {"test_a.py": f"{PYTHON}\n\ndef test_new():\n    assert 1 < total([2])\n"}),
    ("a test is renamed", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("test_refund", "test_half_a_refund")}),
    ("a class is renamed", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("TestCart", "TestBasket")}),
    ("a test moves to another file", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace(_CART, ""), "test_b.py": _CART}),
    ("a file is renamed", {"tests/test_a.py": PYTHON}, {"tests/test_b.py": PYTHON}),
    ("a file is renamed and edited", {"tests/test_a.py": PYTHON}, {"tests/test_b.py": PYTHON.replace("13", "14")}),
    ("tests become parameters", {"test_a.py": "".join(f"def test_{n}():\n    assert f({n}) == {n}\n\n\n" for n in range(3))},
     {"test_a.py": "import pytest\n\n\n@pytest.mark.parametrize('n', [0, 1, 2])\ndef test_f(n):\n    assert f(n) == n\n"}),
    ("a class becomes functions", {"tests/test_a.py": UNITTEST}, {"tests/test_a.py": "def test_total():\n    assert total([1]) == 1\n\n\ndef test_refund():\n    with pytest.raises(ValueError):\n        refund(1, 2)\n"}),
    ("tests are merged", {"test_a.py": "def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert g() == 2\n"}, {"test_a.py": "def test_both():\n    x = 1\n    y = 2\n    z = 3\n    assert f() == 1\n    assert g() == 2\n"}),
    ("a skip is removed", {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skip\ndef test_total")}, {"test_a.py": PYTHON}),
    ("the reason of a skip is reworded", {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skip('a')\ndef test_total")}, {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skip('b')\ndef test_total")}),
    ("a skipped test is removed", {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skip\ndef test_total")}, {"test_a.py": PYTHON.replace("def test_total():\n    assert total([4, 9]) == 13\n", "")}),
    ("a condition was there before", {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skipif(os.name == 'nt', reason='x')\ndef test_total")}, {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_total")}),
    ("a condition on a platform is added", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("def test_total", "@pytest.mark.skipif(os.name == 'nt', reason='x')\ndef test_total")}),
    ("an assertion is rewritten", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("assert left == 15\n    assert left > 0", "assert (left, 1) == (15, 1)")}),
    ("assertions move to a helper", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("    assert left == 15\n    assert left > 0\n", "    check_refund(left, 15)\n")}),
    ("assertions move to a helper with another name", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("    assert left == 15\n    assert left > 0\n", "    everything_is_fine(left, 15)\n")}),
    ("an assertion moves to another test", {"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("    assert left > 0\n", "").replace("    assert total([4, 9]) == 13\n", "    assert total([4, 9]) == 13\n    assert left > 0\n")}),
    ("the tested module goes too", {"shop/refunds.py": "def refund(): ...\n", "tests/test_refunds.py": PYTHON, "a.py": "1"}, {"a.py": "1"}),
    ("the tested package goes too", {"shop/refunds/__init__.py": "", "shop/refunds/a.py": "x = 1\n", "tests/test_refunds.py": PYTHON}, {"shop/b.py": "1"}),
    ("the tested function goes too", {"shop.py": "def refund(a, b):\n    return a - b\n\n\ndef total(a):\n    return 1\n", "test_a.py": PYTHON}, {"shop.py": "def total(a):\n    return 1\n", "test_a.py": _without(PYTHON, "def test_refund", "class TestCart")}),
    ("a project goes with its tests", {"old/src/a.py": "x = 1\n", "old/tests/test_a.py": PYTHON, "b": "1"}, {"b": "1"}),
    ("tests of a library that was copied in", {"vendor/six/test_six.py": PYTHON, "third_party/x/tests/test_y.py": PYTHON}, {}),
    ("tests of a dependency", {"node_modules/a/test/a.test.js": JEST, ".venv/lib/python3/site-packages/a/tests/test_a.py": PYTHON}, {}),
    ("jest: a test is renamed", {"a.test.js": JEST}, {"a.test.js": JEST.replace("adds prices", "sums prices")}),
    ("jest: only is removed", {"a.test.js": JEST.replace("describe(", "describe.only(")}, {"a.test.js": JEST}),
    ("jest: formatted", {"a.test.js": JEST}, {"a.test.js": JEST.replace("'", '"').replace("`zero`", "zero").replace('"it("is a text", () => {})"', "'x'").replace("is zero", "is `zero`")}),
    ("jest: a todo is added", {"a.test.js": JEST}, {"a.test.js": f"{JEST}it.todo('later');\n"}),
    ("playwright: a condition", {"e2e/a.spec.ts": PLAYWRIGHT}, {"e2e/a.spec.ts": PLAYWRIGHT.replace("    await expect", "    test.skip(process.platform === 'win32', 'x');\n    await expect")}),
    ("go: short tests", {"a_test.go": GO}, {"a_test.go": GO.replace("\tassert", "\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tassert")}),
    ("go: a tag of a platform", {"a_test.go": GO}, {"a_test.go": "//go:build linux\n\n" + GO}),
    ("go: a helper is removed", {"a_test.go": GO + "\nfunc helper() {}\n"}, {"a_test.go": GO}),
    ("rust: a test moves", {"src/a.rs": RUST, "src/b.rs": "fn x() {}\n"}, {"src/a.rs": _without(RUST, "    #[tokio::test]", "}\n"), "src/b.rs": "#[cfg(test)]\nmod tests {\n    #[tokio::test]\n    async fn refunds() {\n        assert!(refund().await);\n    }\n}\n"}),
    ("junit: a condition", {"CartTest.java": JUNIT}, {"CartTest.java": JUNIT.replace("    void adds", "    @DisabledOnOs(OS.WINDOWS)\n    void adds")}),
    ("rspec: a condition", {"a_spec.rb": RSPEC}, {"a_spec.rb": RSPEC.replace('"adds prices" do', '"adds prices" do\n      skip "x" if windows?')}),
    ("a fixture is edited", {"tests/fixtures/test_data.py": "def test_x():\n    assert 1\n"}, {"tests/fixtures/readme.txt": ""}),
    ("a document mentions tests", {"docs/a.md": "def test_x(): assert 1\n"}, {"docs/a.md": ""}),
    ("a test of the future has no assertions", {"test_a.py": "def test_x():\n    f()\n"}, {"test_a.py": "def test_x():\n    g()\n"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"), [one[1:] for one in _BENIGN], ids=[one[0] for one in _BENIGN]
)
def test_what_only_looks_like_that_is_no_warning(old: dict[str, str], new: dict[str, str]) -> None:
    assert [fact for fact in _facts(old, new) if fact.severity == Severity.HIGH] == []


# How it is told


def _tests(number: int, name: str = "order") -> str:
    return "\n\n".join(f"def test_{name}_{n}():\n    assert f({n}) == {n}\n" for n in range(number))


def test_a_directory_of_tests_that_is_gone_is_told_with_their_number() -> None:
    old = {f"tests/test_{n}.py": _tests(5, f"t{n}") for n in range(8)}
    old |= {"tests/conftest.py": "", "tests/data/a.json": "{}", "src/a.py": "x = 1\n"}

    told = story([SuiteFiles()], _encoded(old), _encoded({"src/a.py": "x = 1\n"}), [SourceFiles()])

    assert told.headline == "! tests/ deleted (40 tests)"
    assert told.lines[0].path_count == 12


def test_a_file_of_tests_that_is_gone_is_told_by_name() -> None:
    old = {"tests/test_refunds.py": _tests(6), "tests/test_cart.py": _tests(2, "cart")}

    assert _headline(old, {"tests/test_cart.py": _tests(2, "cart")}) == (
        "! test_refunds.py deleted (6 tests)"
    )


def test_tests_that_are_gone_from_a_file_are_counted() -> None:
    assert _headline({"test_a.py": _tests(6)}, {"test_a.py": _tests(3)}) == (
        "! 3 tests removed from test_a.py"
    )
    assert _headline({"test_a.py": _tests(2)}, {"test_a.py": _tests(1)}) == (
        "! test_order_1 removed from test_a.py"
    )


def test_skips_of_several_files_share_a_line() -> None:
    old = {"tests/test_a.py": _tests(3, "a"), "tests/test_b.py": _tests(5, "b")}
    new = {
        path: f"import pytest\npytestmark = pytest.mark.skip\n{text}" for path, text in old.items()
    }

    told = story([SuiteFiles()], _encoded(old), _encoded(new), [SourceFiles()])

    assert told.headline == "! 8 tests skipped (test_a.py and test_b.py)"
    assert "tests/test_a.py" in told.lines[0].text
    assert "test_b_0" in told.lines[0].text


def test_very_many_files_are_one_fact() -> None:
    old = {f"tests/unit/test_{n:02}.py": _tests(2, f"t{n}") for n in range(30)}
    new = {
        path: f"import pytest\npytestmark = pytest.mark.skip\n{text}" for path, text in old.items()
    }

    (fact,) = _facts(old, new)

    assert (fact.subject, fact.before, fact.after) == ("tests/unit/", "60", "0")
    assert fact.marks == ("30 files",)


def test_a_case_that_is_gone_from_a_table_is_a_test_that_is_gone() -> None:
    (fact,) = _facts({"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("[1, 2, 3]", "[1]")})

    assert (fact.kind, fact.scope, fact.severity) == ("test.removed", "cases", "high")
    assert (fact.before, fact.after) == ("6", "4")
    assert (
        _facts({"test_a.py": PYTHON}, {"test_a.py": PYTHON.replace("[1, 2, 3]", "[1, 2, 4, 5]")})[
            0
        ].kind
        == "test.added"
    )


def test_a_name_that_no_runner_looks_for_hides_a_file() -> None:
    for to in ("tests/_test_cart.py", "tests/test_cart.py.bak", "tests/cart_checks.py"):
        assert _headline({"tests/test_cart.py": _tests(6)}, {to: _tests(6)}) == (
            f"! test_cart.py → {to.rpartition('/')[2]}: 6 tests no longer run"
        )


def test_what_is_good_news_is_no_warning() -> None:
    new = f"{PYTHON}\n\ndef test_new():\n    assert total([2]) > 1\n"
    assert _headline({"test_a.py": PYTHON}, {"test_a.py": new}) == "test_new added (test_a.py)"
    skipped = PYTHON.replace("def test_total", "@pytest.mark.skip\ndef test_total")
    assert (
        _headline({"test_a.py": skipped}, {"test_a.py": PYTHON})
        == "test_total runs again (test_a.py)"
    )
    assert _headline({}, {"tests/test_a.py": _tests(6)}) == "6 tests added (test_a.py)"


def test_skipped_examples_of_documents_are_told() -> None:
    old = {"docs/a.rst": ">>> total()\n13\n", "shop/test_x.py": '"""\n>>> f()\n1\n"""\n'}
    new = {
        "docs/a.rst": ">>> total()  # doctest: +SKIP\n13\n",
        "shop/test_x.py": '"""\n>>> f()  # doctest: +SKIP\n1\n"""\n',
    }

    found = _facts(old, new)

    assert [(fact.subject, fact.scope, fact.severity) for fact in found] == [
        ("docs/a.rst", "doctest", "high"),
        ("shop/test_x.py", "doctest", "high"),
    ]


def test_another_branch_or_an_undone_edit_is_no_warning(tmp_path: Path) -> None:
    require("git")
    repo = Repo(tmp_path / "root")
    repo.git("init", "-q")
    repo.commit("a.txt")
    repo.git("branch", "old")
    repo.commit("tests/test_a.py", _tests(6))

    def severities() -> set[str]:
        found = evidence(before, repo.moment())
        return {fact.severity for one in findings(SuiteFiles(), found) for fact in one.facts}

    before = repo.moment()
    repo.git("checkout", "-q", "old")
    assert severities() == {"note"}
    repo.git("checkout", "-q", "main")
    repo.write("tests/test_a.py", _tests(8))
    before = repo.moment()
    repo.git("checkout", "-q", ".")
    assert severities() == {"note"}
    before = repo.moment()
    repo.git("checkout", "-qb", "fix")
    repo.git("rm", "-q", "tests/test_a.py")
    repo.git("commit", "-qm", "x")
    assert severities() == {"high"}


def test_no_secret_of_a_test_is_told() -> None:
    canary = "ghp_1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R"
    text = f"def test_{canary}():\n    assert f('{canary}') == 1\n\n\nit('{canary}', () => {{}})\n"
    js = f"it('uses {canary} here', () => {{ expect(1).toBe(f('{canary}')); }});\n"
    old = {"test_a.py": text.partition("\n\n\nit")[0], "a.test.js": js, "b.test.js": js}

    told = story(
        [SuiteFiles()], _encoded(old), _encoded({"b.test.js": js.replace("it(", "it.skip(")})
    )

    assert canary not in str(told)


def test_hostile_and_huge_files_cost_one_line_at_most() -> None:
    texts = [
        "(" * 50_000,
        "it(" * 20_000,
        "describe('",
        "def test_a(:",
        "\0" * 100,
        "'''",
        "`" * 999,
    ]
    for path in _SUITES:
        for text in texts:
            _facts({path: _SUITES[path]}, {path: text})
            assert (
                problems(SuiteFiles(), _encoded({path: text}), _encoded({path: _SUITES[path]}))
                == []
            )
    big = {"test_a.py": file(b"def test_a(): assert f()\n", size=1 << 30)}
    assert problems(SuiteFiles(), big, {"test_a.py": b"x"}) == [
        ("", "1 changed test files are too many to read")
    ]
    assert (
        facts(SuiteFiles(), {"test_a.py": b"def test_a(): assert f()\n"}, {"test_a.py": b"("}) == []
    )


@pytest.mark.parametrize(
    ("path", "text", "strong", "weak"),
    [
        ("tests/test_a.py", UNITTEST, "assertEqual(", "assertTrue("),
        ("tests/test_a.py", UNITTEST, "assertEqual(total([1]), 1)", "assertIsInstance(total([1]), int)"),
        ("test/a.test.js", JEST, "toBe(13)", "toBeDefined()"),
        ("test/a.test.js", JEST, "expect(total([])).toBe(0)", "expect(total([])).not.toBeNull()"),
        ("src/test/CartTest.java", JUNIT, "assertEquals(13, total(4, 9))", "assertNotNull(total(4, 9))"),
        ("cart/cart_test.go", GO, "assert.Equal(t, 15, refund(20, 5))", "assert.NotNil(t, refund(20, 5))"),
        ("tests/CartTest.php", PHPUNIT, "assertSame(13, total(4, 9))", "assertNotNull(total(4, 9))"),
        ("spec/cart_spec.rb", RSPEC, "expect(total).to eq(13)", "expect(total).to be_truthy"),
        ("test/cart_test.rb", MINITEST, "assert_equal 13, total()", "assert_not_nil total()"),
    ],
)  # fmt: skip
def test_an_assertion_that_no_longer_compares_is_weaker(
    path: str, text: str, strong: str, weak: str
) -> None:
    text = text.replace("assert_equal 13, total\n", "assert_equal 13, total()\n")
    assert strong in text
    found = _facts({path: text}, {path: text.replace(strong, weak)})
    told = [(fact.scope, fact.severity) for fact in found if fact.kind == "test.weakened"]
    assert told == [("weaker", Severity.HIGH)]


@pytest.mark.parametrize(
    ("path", "text", "fails", "says"),
    [
        ("cart/cart_test.go", GO, "t.Fatal(", "t.Log("),
        ("src/a.test.js", JEST, "expect(total([])).toBe(0);", "console.log(total([]));"),
        ("tests/test_a.py", PYTHON, "assert total([]) == 0", "print(total([]) == 0)"),
    ],
)
def test_a_failure_that_is_only_printed_is_no_check(
    path: str, text: str, fails: str, says: str
) -> None:
    assert fails in text
    found = _facts({path: text}, {path: text.replace(fails, says)})
    assert [(one.kind, one.severity) for one in found] == [("test.weakened", Severity.HIGH)]


def test_asserts_that_became_a_helper_are_no_warning() -> None:
    new = GO.replace(
        '	if total(4, 9) != 13 {\n		t.Fatal("wrong")\n	}\n',
        "	compareTotals(t, 4, 9)\n",
    )
    found = _facts({"cart/cart_test.go": GO}, {"cart/cart_test.go": new})
    assert all(one.severity != Severity.HIGH for one in found)


_MAIN = "\n\nfunc TestMain(m *testing.M) {\n\tsetUp()\n\tos.Exit(%s)\n}\n"


def test_a_main_of_go_that_runs_no_test_skips_all() -> None:
    path = "cart/cart_test.go"
    found = _facts({path: GO}, {path: GO + _MAIN % "0"})
    assert [(one.kind, one.scope, one.severity) for one in found] == [
        ("test.skipped", "skip", Severity.HIGH)
    ]
    assert _facts({path: GO}, {path: GO + _MAIN % "m.Run()"}) == []


@pytest.mark.parametrize(
    ("path", "text", "before", "after"),
    [
        ("src/test/CartTest.java", JUNIT, "    @Test\n", '    @Test\n    @EnabledIfEnvironmentVariable(named = "BANK", matches = "1")\n'),
        ("src/lib.rs", RUST, "#[cfg(test)]", '#[cfg(all(test, feature = "slow"))]'),
        ("tests/test_a.py", PYTHON, "def test_refund", '@pytest.mark.skipif(not os.environ.get("BANK"), reason="")\ndef test_refund'),
        ("tests/test_a.py", PYTHON, "def test_refund", '@pytest.mark.skipif("BANK" not in os.environ, reason="")\ndef test_refund'),
        ("tests/test_a.py", UNITTEST, "    def test_refund", '    @unittest.skipUnless(os.getenv("BANK") == "1", "")\n    def test_refund'),
    ],
)  # fmt: skip
def test_a_test_that_only_runs_on_request_is_a_warning(
    path: str, text: str, before: str, after: str
) -> None:
    assert before in text
    found = _facts({path: text}, {path: text.replace(before, after)})
    assert [(one.kind, one.severity) for one in found] == [("test.skipped", Severity.HIGH)]
    assert found[0].scope.startswith("only with ")


@pytest.mark.parametrize(
    "condition",
    ['sys.platform == "win32"', 'os.environ.get("NO_NETWORK")', "sys.version_info < (3, 12)"],
)
def test_a_test_that_is_skipped_on_some_systems_is_a_note(condition: str) -> None:
    path = "tests/test_a.py"
    new = PYTHON.replace(
        "def test_refund", f"@pytest.mark.skipif({condition}, reason='')\ndef test_refund"
    )
    found = _facts({path: PYTHON}, {path: new})
    assert [(one.kind, one.scope, one.severity) for one in found] == [
        ("test.skipped", "condition", Severity.NOTE)
    ]


@pytest.mark.parametrize(
    ("needs", "scope", "severity"),
    [
        ("pytest.importorskip('bank')", "skip", Severity.HIGH),
        ("pytest.importorskip('bank')\nimport bank", "condition", Severity.NOTE),
        ("bank = pytest.importorskip('bank')", "", ""),
    ],
)
def test_a_module_that_the_tests_do_not_even_use_skips_them(
    needs: str, scope: str, severity: str
) -> None:
    new = PYTHON.replace("import pytest\n", f"import pytest\n\n{needs}\n")
    found = _facts({"tests/test_a.py": PYTHON}, {"tests/test_a.py": new})
    told = [(one.kind, one.scope, one.severity) for one in found]
    assert told == ([("test.skipped", scope, severity)] if scope else [])
