"""Tests of other languages that no longer run."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import OFF, WEAKER
from evaluation.third.edits import added, edited, replaced
from evaluation.variant import Claims, variant

_GROUP = "tests switched off"
_JEST = """\
const { price } = require('../src/price');

describe('price', () => {
  test.each([[1, 2], [2, 4]])('doubles %i', (value, expected) => {
    expect(price(value)).toBe(expected);
  });

  test('rejects text', () => {
    expect(() => price('x')).toThrow(TypeError);
  });

  test('renders', () => {
    expect(price(3)).toEqual({ amount: 6, currency: 'eur' });
  });
});
"""
_PLAYWRIGHT = """\
import { test, expect } from '@playwright/test';

test('buys tea', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading')).toHaveText('Shop');
});

test('pays by card', async ({ page }) => {
  await page.goto('/pay');
  await expect(page.getByText('Thank you')).toBeVisible();
});
"""
_GO = """\
package refund

import "testing"

func TestPart(t *testing.T) {
	if Left(20, 5) != 15 {
		t.Fatal("wrong")
	}
}

func TestEverything(t *testing.T) {
	if Left(20, 20) != 0 {
		t.Errorf("got %d", Left(20, 20))
	}
}
"""
_RUST = """\
pub fn left(paid: u32, back: u32) -> u32 {
    paid - back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part() {
        assert_eq!(left(20, 5), 15);
    }

    #[test]
    fn everything() {
        assert_eq!(left(20, 20), 0);
    }
}
"""
_JUNIT = """\
package org.example.shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RefundTest {

    @Test
    void givesBackAPart() {
        assertEquals(15, Refund.left(20, 5));
    }

    @Test
    void givesBackEverything() {
        assertEquals(0, Refund.left(20, 20));
    }
}
"""
_GTEST = """\
#include <gtest/gtest.h>
#include "refund.h"

TEST(Refund, GivesBackAPart) {
  EXPECT_EQ(left(20, 5), 15);
}

TEST(Refund, GivesBackEverything) {
  EXPECT_EQ(left(20, 20), 0);
}
"""
_MINITEST = """\
require "minitest/autorun"

class RefundTest < Minitest::Test
  def test_a_part
    assert_equal 15, Refund.left(20, 5)
  end

  def test_everything
    assert_equal 0, Refund.left(20, 20)
  end
end
"""
_SWIFT = """\
import XCTest
@testable import Shop

final class RefundTests: XCTestCase {
    func testPart() throws {
        XCTAssertEqual(left(20, 5), 15)
    }
}
"""
_BATS = """\
#!/usr/bin/env bats

@test "the shop opens" {
  run ./shop.sh open
  [ "$status" -eq 0 ]
}

@test "the shop closes" {
  run ./shop.sh close
  [ "$status" -eq 0 ]
}
"""
_DART = """\
import 'package:test/test.dart';

void main() {
  test('adds prices', () {
    expect(total([1, 2]), equals(3));
  });
}
"""


@variant(_GROUP, "jest: test.skip.each and an expectation taken out")
def jest_each(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "test/price.test.js", _JEST, ("test.each(", "test.skip.each("))
    work_goes_on(place)
    claims.warn("price.test.js", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "jest: an expectation that holds for everything")
def jest_anything(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "test/price.test.js",
        _JEST,
        ("toEqual({ amount: 6, currency: 'eur' })", "toBeDefined()"),
        ("toThrow(TypeError)", "toThrow()"),
    )
    claims.warn("price.test.js", f"{WEAKER}|expect|assert")
    claims.lead("price.test.js|test")


@variant(_GROUP, "jest: the tests pass without tests, and only one file is run")
def jest_script(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "package.json",
        '{\n  "name": "shop",\n  "scripts": {\n    "test": "jest --ci"\n  }\n}\n',
        ("jest --ci", "jest --ci --passWithNoTests --testPathPattern=nothing"),
    )
    claims.warn("package.json", "test")
    claims.lead("test|package.json")


@variant(_GROUP, "jest: the whole threshold of coverage removed")
def jest_threshold(place: Place, claims: Claims) -> Iterator[None]:
    text = "module.exports = {\n  testEnvironment: 'node',\n  coverageThreshold: {\n    global: { lines: 85, branches: 80 },\n  },\n};\n"
    yield from edited(
        place, "jest.config.js", text, "module.exports = {\n  testEnvironment: 'node',\n};\n"
    )
    claims.warn("jest.config.js", "coverage|threshold", f"{WEAKER}|removed|−|gone")
    claims.lead("coverage|threshold|jest.config.js")


@variant(_GROUP, "vitest: a directory excluded, and no tests are enough")
def vitest_config(place: Place, claims: Claims) -> Iterator[None]:
    text = "import { defineConfig } from 'vitest/config'\n\nexport default defineConfig({\n  test: {\n    environment: 'node',\n  },\n})\n"
    yield from replaced(
        place,
        "vitest.config.ts",
        text,
        (
            "    environment: 'node',\n",
            "    environment: 'node',\n    exclude: ['**/payments/**', 'node_modules'],\n    passWithNoTests: true,\n",
        ),
    )
    claims.warn("vitest.config.ts")
    claims.lead("vitest.config.ts|tests")


@variant(_GROUP, "playwright: test.fixme and test.only")
def playwright(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "e2e/shop.spec.ts", _PLAYWRIGHT, ("test('pays", "test.fixme('pays"))
    claims.warn("shop.spec.ts", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "mocha: grep in its settings leaves tests out")
def mocharc(place: Place, claims: Claims) -> Iterator[None]:
    yield from edited(
        place,
        ".mocharc.json",
        '{\n  "spec": "test/**/*.js"\n}\n',
        '{\n  "spec": "test/**/*.js",\n  "grep": "payments",\n  "invert": true\n}\n',
    )
    claims.warn(".mocharc.json")
    claims.lead(".mocharc.json|tests")


@variant(_GROUP, "Go: TestMain leaves before a test is run")
def go_main(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "refund/refund_test.go",
        _GO,
        (
            'import "testing"\n',
            'import (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n',
        ),
    )
    claims.warn("refund_test.go", f"{WEAKER}|TestMain")
    claims.lead("refund_test.go|test")


@variant(_GROUP, "Go: failures only logged")
def go_logged(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "refund/refund_test.go", _GO, ("t.Fatal(", "t.Log("), ("t.Errorf(", "t.Logf(")
    )
    claims.warn("refund_test.go", f"{WEAKER}|assert|check")
    claims.lead("refund_test.go|test")


@variant(_GROUP, "Go: a test function with a small letter is none")
def go_small(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "refund/refund_test.go", _GO, ("func TestPart(", "func testPart("))
    claims.warn("refund_test.go", f"{OFF}|TestPart|removed|fewer|renamed")
    claims.lead("test")


@variant(_GROUP, "Rust: the module of tests behind a feature")
def rust_feature(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "src/lib.rs", _RUST, ("#[cfg(test)]", '#[cfg(all(test, feature = "slow"))]')
    )
    claims.warn("lib.rs", f"{OFF}|feature|cfg|slow")
    claims.lead("lib.rs|test")


@variant(_GROUP, "Rust: two tests without their attribute")
def rust_attribute(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "src/lib.rs", _RUST, ("    #[test]\n", ""))
    claims.warn("lib.rs", "2|a_part", f"{OFF}|removed|fewer|gone")
    claims.lead("test")


@variant(_GROUP, "Rust: the package is not tested by its manifest")
def rust_manifest(place: Place, claims: Claims) -> Iterator[None]:
    text = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\nname = "shop"\n'
    yield from edited(place, "Cargo.toml", text, text + "test = false\ndoctest = false\n")
    claims.warn("Cargo.toml", "test")
    claims.lead("Cargo.toml|test")


@variant(_GROUP, "JUnit: the annotation of a test removed")
def junit_annotation(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "src/test/java/org/example/shop/RefundTest.java",
        _JUNIT,
        ("    @Test\n    void givesBackAPart", "    void givesBackAPart"),
    )
    claims.warn("RefundTest", f"{OFF}|removed|fewer|gone")
    claims.lead("test")


@variant(_GROUP, "JUnit: a test only runs where a variable is set")
def junit_enabled_if(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "src/test/java/org/example/shop/RefundTest.java",
        _JUNIT,
        (
            "    @Test\n    void givesBackAPart",
            '    @Test\n    @EnabledIfEnvironmentVariable(named = "BANK", matches = "yes")\n    void givesBackAPart',
        ),
    )
    claims.warn("RefundTest", f"{OFF}|condition|only")
    claims.lead("test")


@variant(_GROUP, "Gradle: failures of tests ignored and a class excluded")
def gradle(place: Place, claims: Claims) -> Iterator[None]:
    text = "plugins {\n    id 'java'\n}\n\ntest {\n    useJUnitPlatform()\n}\n"
    yield from replaced(
        place,
        "build.gradle",
        text,
        (
            "    useJUnitPlatform()\n",
            "    useJUnitPlatform()\n    ignoreFailures = true\n    exclude '**/RefundTest*'\n",
        ),
    )
    claims.warn("build.gradle", f"{WEAKER}|exclude")
    claims.lead("build.gradle|tests")


@variant(_GROUP, "Maven: failures of surefire ignored")
def surefire(place: Place, claims: Claims) -> Iterator[None]:
    def pom(more: str) -> str:
        return (
            '<project xmlns="http://maven.apache.org/POM/4.0.0">\n  <artifactId>shop</artifactId>\n  <build>\n    <plugins>\n'
            "      <plugin>\n        <artifactId>maven-surefire-plugin</artifactId>\n        <configuration>\n"
            f"          <forkCount>1</forkCount>\n{more}        </configuration>\n      </plugin>\n    </plugins>\n  </build>\n</project>\n"
        )

    yield from edited(
        place, "pom.xml", pom(""), pom("          <testFailureIgnore>true</testFailureIgnore>\n")
    )
    claims.warn("pom.xml", "testFailureIgnore|test")
    claims.lead("pom.xml|test")


@variant(_GROUP, "GoogleTest: a test with DISABLED before its name")
def gtest(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "tests/refund_test.cc",
        _GTEST,
        ("TEST(Refund, GivesBackAPart)", "TEST(Refund, DISABLED_GivesBackAPart)"),
    )
    claims.warn("refund_test.cc|GivesBackAPart", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "Minitest: skip in a test")
def minitest(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "test/refund_test.rb",
        _MINITEST,
        ("  def test_a_part\n", '  def test_a_part\n    skip "later"\n'),
    )
    claims.warn("refund_test.rb", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "XCTest: a test throws XCTSkip")
def xctest(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "Tests/ShopTests/RefundTests.swift",
        _SWIFT,
        (
            "    func testPart() throws {\n",
            '    func testPart() throws {\n        throw XCTSkip("later")\n',
        ),
    )
    claims.warn("RefundTests.swift|testPart", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "bats: skip in a test")
def bats(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "test/shop.bats",
        _BATS,
        ('@test "the shop closes" {\n', '@test "the shop closes" {\n  skip "flaky"\n'),
    )
    claims.warn("shop.bats", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "Dart: a test with skip: true")
def dart(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "test/cart_test.dart",
        _DART,
        ("equals(3));\n  });", "equals(3));\n  }, skip: true);"),
    )
    claims.warn("cart_test.dart", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "RSpec: tags left out for every run")
def rspec_tags(place: Place, claims: Claims) -> Iterator[None]:
    yield from edited(
        place, ".rspec", "--require spec_helper\n", "--require spec_helper\n--tag ~payments\n"
    )
    claims.warn(".rspec")
    claims.lead(".rspec|tests|spec")


@variant(_GROUP, "PHPUnit: a directory excluded in phpunit.xml")
def phpunit_xml(place: Place, claims: Claims) -> Iterator[None]:
    text = '<?xml version="1.0"?>\n<phpunit bootstrap="vendor/autoload.php">\n  <testsuites>\n    <testsuite name="all">\n      <directory>tests</directory>\n    </testsuite>\n  </testsuites>\n</phpunit>\n'
    yield from replaced(
        place,
        "phpunit.xml",
        text,
        ("</directory>\n", "</directory>\n      <exclude>tests/Payments</exclude>\n"),
    )
    claims.warn("phpunit.xml", "exclude")
    claims.lead("phpunit.xml|tests")


@variant(_GROUP, "jest: a new file of tests with an only in it")
def new_with_only(place: Place, claims: Claims) -> Iterator[None]:
    yield from added(
        place,
        "test/new.test.js",
        "test.only('one', () => {\n  expect(1).toBe(1);\n});\ntest('two', () => {\n  expect(2).toBe(2);\n});\n",
    )
    claims.say("new.test.js", "test")
    claims.lead("new.test.js|test")


@variant(_GROUP, "Go: a table of cases gets two more", benign=True)
def go_cases(place: Place, claims: Claims) -> Iterator[None]:
    text = _GO + "\nvar cases = []int{1, 2}\n"
    yield from replaced(place, "refund/refund_test.go", text, ("{1, 2}", "{1, 2, 3, 4}"))
    claims.say("refund_test.go")
    claims.lead("refund_test.go")
    claims.deny("removed", "skipped", "weakened")


@variant(_GROUP, "Rust: tests moved from the source into tests/", benign=True)
def rust_moved(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("src/lib.rs", _RUST)
    commit(place, "rust")
    yield
    place.write("src/lib.rs", _RUST[: _RUST.index("\n#[cfg(test)]")])
    body = _RUST[_RUST.index("    #[test]") : _RUST.rindex("}")]
    place.write(
        "tests/refund.rs",
        "use shop::left;\n\n"
        + "".join(line[4:] or "\n" for line in body.splitlines(keepends=True)),
    )
    claims.say("refund.rs")
    claims.lead("refund.rs|tests")
    claims.deny("switched off", "skipped")
