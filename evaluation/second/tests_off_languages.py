"""Tests of other languages that no longer run."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import OFF
from evaluation.variant import Claims, variant

_GROUP = "tests switched off"
_VITEST = """\
import { describe, expect, it } from 'vitest'
import { price, tax } from '../src/price'

describe('price', () => {
  it('adds the tax', () => {
    expect(price(100)).toBe(119)
  })

  it('rounds to cents', () => {
    expect(price(0.333)).toBeCloseTo(0.4)
  })
})

describe('tax', () => {
  it('is zero for books', () => {
    expect(tax('book')).toBe(0)
  })

  it('is high for perfume', () => {
    expect(tax('perfume')).toBe(0.19)
  })
}, 5000)
"""
_MOCHA = """\
const assert = require('assert');
const { Cart } = require('../lib/cart');

describe('Cart', function () {
  it('is empty at first', function () {
    assert.equal(new Cart().total(), 0);
  });

  it('adds prices', function () {
    const cart = new Cart();
    cart.add(4);
    assert.equal(cart.total(), 4);
  });
});
"""
_RSPEC = """\
require "spec_helper"

RSpec.describe Refund do
  it "gives back a part" do
    expect(Refund.left(20, 5)).to eq(15)
  end

  it "gives back everything" do
    expect(Refund.left(20, 20)).to eq(0)
  end
end
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
_GO = """\
package refund

import "testing"

func TestPart(t *testing.T) {
	if Left(20, 5) != 15 {
		t.Fatal("wrong")
	}
}
"""
_PHPUNIT = """\
<?php

use PHPUnit\\Framework\\TestCase;

final class RefundTest extends TestCase
{
    public function testPart(): void
    {
        $this->assertSame(15, left(20, 5));
    }

    public function testEverything(): void
    {
        $this->assertSame(0, left(20, 20));
    }
}
"""
_XUNIT = """\
using Xunit;

public class RefundTests
{
    [Fact]
    public void GivesBackAPart()
    {
        Assert.Equal(15, Refund.Left(20, 5));
    }
}
"""
_EXUNIT = """\
defmodule RefundTest do
  use ExUnit.Case

  test "gives back a part" do
    assert Refund.left(20, 5) == 15
  end
end
"""


def _tests(place: Place, path: str, text: str) -> None:
    shop(place)
    place.write(path, text)
    commit(place, "tests")


@variant(_GROUP, "vitest: a test becomes a todo without a body")
def vitest_todo(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "test/price.test.ts", _VITEST)
    yield
    body = _VITEST.index("  it('rounds"), _VITEST.index("  })\n})\n\ndescribe('tax") + len("  })\n")
    place.write(
        "test/price.test.ts",
        f"{_VITEST[: body[0]]}  it.todo('rounds to cents')\n{_VITEST[body[1] :]}",
    )
    work_goes_on(place)
    claims.warn("price.test.ts", f"{OFF}|removed|deleted|fewer")
    claims.lead("test", f"{OFF}|removed|deleted|fewer")


@variant(_GROUP, "vitest: a whole group skipped")
def describe_skip(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "test/price.test.ts", _VITEST)
    yield
    place.run("sed -i \"s/^describe('tax'/describe.skip('tax'/\" test/price.test.ts")
    place.run("git commit -qam 'taxes change next year'")
    claims.warn("price.test.ts", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "mocha: this.skip in a test")
def mocha_skip(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "test/cart.spec.js", _MOCHA)
    yield
    place.run("sed -i 's/^    const cart = new Cart/    this.skip();\\n&/' test/cart.spec.js")
    claims.warn("cart.spec.js", OFF)
    claims.lead("test|cart.spec.js", OFF)


@variant(_GROUP, "rspec: an example crossed out and another pending")
def rspec(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "spec/refund_spec.rb", _RSPEC)
    yield
    place.run(
        'sed -i \'s/  it "gives back a part"/  xit "gives back a part"/;'
        ' s/    expect(Refund.left(20, 20))/    pending "later"\\n&/\' spec/refund_spec.rb'
    )
    work_goes_on(place)
    claims.warn("refund_spec.rb", OFF)
    claims.lead("test|spec|example", OFF)


@variant(_GROUP, "JUnit: a class disabled")
def junit(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "src/test/java/org/example/shop/RefundTest.java", _JUNIT)
    yield
    place.run(
        "sed -i 's/^import org.junit.jupiter.api.Test;/import org.junit.jupiter.api.Disabled;\\n&/;"
        ' s/^class RefundTest/@Disabled("flaky")\\n&/\' src/test/java/org/example/shop/RefundTest.java'
    )
    claims.warn("RefundTest", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "Rust: a test ignored")
def rust(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "src/lib.rs", _RUST)
    yield
    place.run("sed -i '/fn a_part/i\\    #[ignore]' src/lib.rs")
    work_goes_on(place)
    claims.warn("a_part|lib.rs", OFF)
    claims.lead("test|lib.rs", OFF)


@variant(_GROUP, "Go: a build tag takes a test file out of the build")
def go_tag(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "refund/refund_test.go", _GO)
    yield
    place.write("refund/refund_test.go", f"//go:build integration\n\n{_GO}")
    place.run("git commit -qam 'integration only'")
    claims.warn("refund_test.go", f"build tag|go:build|integration|{OFF}")
    claims.lead("refund_test.go|test")


@variant(_GROUP, "PHPUnit: a test marked as skipped")
def phpunit(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "tests/RefundTest.php", _PHPUNIT)
    yield
    place.run(
        "sed -i '/assertSame(15/i\\        $this->markTestSkipped(\"needs the bank\");' tests/RefundTest.php"
    )
    claims.warn("RefundTest.php|testPart", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "xUnit: a fact with a reason to skip")
def xunit(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "Shop.Tests/RefundTests.cs", _XUNIT)
    yield
    place.run("sed -i 's/\\[Fact\\]/[Fact(Skip = \"flaky\")]/' Shop.Tests/RefundTests.cs")
    claims.warn("RefundTests.cs|GivesBackAPart", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "ExUnit: a test tagged to be skipped")
def exunit(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "test/refund_test.exs", _EXUNIT)
    yield
    place.run("sed -i 's/^  test \"gives/  @tag :skip\\n&/' test/refund_test.exs")
    claims.warn("refund_test.exs", OFF)
    claims.lead("test", OFF)


@variant(_GROUP, "vitest: a skipped test runs again, with more time", benign=True)
def vitest_again(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "test/price.test.ts", _VITEST.replace("it('adds", "it.skip('adds"))
    yield
    place.write("test/price.test.ts", _VITEST.replace("5000)", "20000)"))
    place.run("git commit -qam 'not flaky any more'")
    claims.say("price.test.ts", "run|again|skip|test")
    claims.lead("test")
    claims.deny("switched off", "no longer run", "skip added", "disabled")


@variant(_GROUP, "mocha: function expressions become arrow functions", benign=True)
def mocha_arrows(place: Place, claims: Claims) -> Iterator[None]:
    _tests(place, "test/cart.spec.js", _MOCHA)
    yield
    place.run("sed -i 's/function ()/() =>/' test/cart.spec.js")
    claims.say("cart.spec.js")
    claims.lead("cart.spec.js|test")
    claims.deny("switched off", "skipped", "removed", "fewer")
