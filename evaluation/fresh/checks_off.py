"""Tests of other languages, workflows and linters that no longer check."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.variant import Claims, variant

_GROUP = "tests switched off"
_SKIPPED = "skip|switched off|disabled|no longer run"
_JEST = """\
const { total, limit } = require('../lib/cart');

describe('total', () => {
  it('adds the prices', () => {
    expect(total([4, 9])).toBe(13);
  });

  it('is zero for nothing', () => {
    expect(total([])).toBe(0);
  });
});

describe('limit', () => {
  it('refuses a high price', () => {
    expect(() => limit(10001)).toThrow();
  });
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

func TestAll(t *testing.T) {
	if Left(20, 20) != 0 {
		t.Fatal("wrong")
	}
}
"""
_ESLINT = """\
{
  "root": true,
  "extends": "eslint:recommended",
  "rules": {
    "eqeqeq": "error",
    "no-eval": "error"
  }
}
"""


def _cart_in_javascript(place: Place) -> None:
    shop(place)
    place.write("lib/cart.js", "exports.total = (all) => all.reduce((a, b) => a + b, 0);\n")
    place.write("test/cart.test.js", _JEST)
    place.write("package.json", '{"name": "shop", "scripts": {"test": "jest"}}\n')
    place.run("git add -A && git commit -qm jest")


@variant(_GROUP, "it.skip and xit in a jest file")
def jest_skips(place: Place, claims: Claims) -> Iterator[None]:
    _cart_in_javascript(place)
    yield
    place.run("sed -i \"s/it('adds/it.skip('adds/; s/it('refuses/xit('refuses/\" test/cart.test.js")
    work_goes_on(place)
    claims.warn("cart.test.js", "2|adds the prices", _SKIPPED)
    claims.lead("test", _SKIPPED)


@variant(_GROUP, "describe.only in a jest file")
def jest_only(place: Place, claims: Claims) -> Iterator[None]:
    _cart_in_javascript(place)
    yield
    place.run("sed -i \"s/describe('total/describe.only('total/\" test/cart.test.js")
    place.run("git commit -qam 'look at one'")
    claims.warn("cart.test.js", "only|no longer run|switched off")
    claims.lead("test", "only|no longer run|switched off|skip")


@variant(_GROUP, "t.Skip in a test of Go")
def go_skip(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    left = "package refund\n\nfunc Left(paid, back int) int { return paid - back }\n"
    place.write("go.mod", "module example.org/shop\n\ngo 1.22\n")
    place.write("refund/refund.go", left)
    place.write("refund/refund_test.go", _GO)
    place.run("git add -A && git commit -qm go")
    yield
    place.run("sed -i 's/^func TestPart.*/&\\n\\tt.Skip(\"flaky\")/' refund/refund_test.go")
    claims.warn("refund_test.go|TestPart", _SKIPPED)
    claims.lead("test", _SKIPPED)


@variant(_GROUP, "or true after the tests of a workflow")
def workflow_or_true(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("sed -i 's/run: pytest -q/& || true/' .github/workflows/ci.yml")
    work_goes_on(place)
    claims.warn("ci.yml", "true|fail|ignore|always pass")
    claims.lead("ci.yml|workflow|test|CI", "true|fail|ignore|always pass|switched off")


@variant(_GROUP, "continue-on-error in a workflow")
def workflow_continues(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        "sed -i 's/^ *run: pytest -q/        continue-on-error: true\\n&/' .github/workflows/ci.yml"
    )
    claims.warn("ci.yml", "continue-on-error|fail|ignore")
    claims.lead("ci.yml|workflow|test|CI")


@variant(_GROUP, "or true after the tests in a Makefile")
def makefile_or_true(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("sed -i 's/\\tpytest -q/\\tpytest -q || true/' Makefile && git commit -qam make")
    claims.warn("Makefile", "true|fail|ignore|always pass")
    claims.lead("Makefile|test")


@variant(_GROUP, "the step with the tests removed from a workflow")
def workflow_without_tests(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run("sed -i '/- name: tests/,$d' .github/workflows/ci.yml")
    claims.warn("ci.yml", "test", "no longer|removed|deleted|gone|switched off")
    claims.lead("ci.yml|workflow|CI|test")


@variant(_GROUP, "a rule of eslint disabled")
def eslint_rule_off(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write(".eslintrc.json", _ESLINT)
    place.run("git add -A && git commit -qm eslint")
    yield
    place.run('sed -i \'s/"no-eval": "error"/"no-eval": "off"/\' .eslintrc.json')
    claims.say(".eslintrc.json|eslint", "no-eval", "off|disabled")
    claims.lead("eslint|no-eval")
