"""What a light reader and Python's own say of two versions of a source file."""

from __future__ import annotations

import pytest

from clew.detectors.code.definitions import Differences, differences, read_version
from clew.detectors.files.source_files import SourceFiles
from tests.kit.moments import facts, story

PYTHON = '''\
"""The service."""

import asyncio
import json


def total(prices):
    """Return the sum."""
    return sum(prices)  # no discount


class Session(object):
    limit = 3

    def close(self):
        self.user = None


async def serve():
    await asyncio.sleep(1)


TIMEOUT = 3
'''
JAVASCRIPT = """\
'use strict';
import { a } from "b";

// function comment() {}
function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

const discount = (price, percent = 10) => price - (price * percent) / 100;
const text = `function inString() {`;

export default class Session extends Base {
  static async close(user) {
    if (user) { return; }
  }
  get name() { return "}"; }
}

exports.shown = function () { return /[{]/.test("x"); };
"""
GO = """\
package order

// func Comment() {}
type Order struct {
	Price int
}

func Total[T any](orders []T) map[string]struct{} {
	return nil
}

func (o *Order) Check() error {
	text := `func Raw() {`
	return text
}

const Limit = 3
"""
RUST = """\
pub struct Order { price: u32 }

impl Order {
    pub fn new(price: u32) -> Self { Order { price } }
    fn check<'a>(&'a self) -> char { '{' }
}

impl fmt::Display for Order {
    fn fmt(&self) -> String { r#"fn raw() {"#.into() }
}

pub(crate) async fn total(orders: &[Order]) -> u32 { 1 }
pub const MAX: u32 = 3;
"""
JAVA = """\
package shop;

public final class Cart<T extends Item> extends Base implements Closeable {
    private final List<Item> items = new ArrayList<>();

    @Override
    public Map<String, Integer> total(int a, int b) throws IOException {
        if (a > b) {
            return sum(a);
        }
        return null;
    }

    static <T> void add(T one)
    {
        items.add(one);
    }

    enum Kind { A, B }
}
"""
KOTLIN = """\
data class Price(val cents: Int)

class Cart(private val items: List<Price>) : Base() {
    suspend fun total(count: Int): Int = items.size + count

    companion object {
        fun make() = Cart(listOf())
    }
}

fun main() { println("fun x() {") }
"""
RUBY = """\
module Shop
  class Cart < Base
    def total(prices)
      prices.map do |price|
        price
      end
    end

    def self.make
      new
    end

    def empty?
      true
    end
  end
end
"""
PHP = """\
<?php
namespace Shop\\Orders;

# function comment() {}
final class Cart extends Base
{
    public function total(array $prices): int
    {
        return array_sum($prices);
    }

    private static function make() { return new self(); }
}

function helper($a) { return $a; }
"""
C = """\
#include <stdio.h>

static int total(const int *prices, int count)
{
    return prices[0] + count;
}

struct order {
    int price;
};

int main(void) { return total(0, 1); }
"""
CSHARP = """\
using System;

namespace Shop
{
    public class Cart
    {
        public int Count { get; set; }

        public async Task<int> Sum(int a, int b = 3)
        {
            return a + b;
        }

        public int Short(int a) => a;
    }
}
"""
SWIFT = """\
final class Cart: Base {
    func total(_ prices: [Int]) -> Int {
        prices.reduce(0, +)
    }
}

extension Cart {
    func clear() { }
}

struct Price { let cents: Int }
"""
ELIXIR = """\
defmodule Shop.Cart do
  def total(prices) do
    Enum.sum(prices)
  end

  defp helper(a), do: a
end
"""
SHELL = """\
build() {
  echo "test() {"
}

function deploy() {
  true
}
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", PYTHON, "total Session Session.close serve TIMEOUT"),
        ("a.js", JAVASCRIPT, "total discount text Session Session.close Session.name shown"),
        ("a.go", GO, "Order Total Order.Check Limit"),
        ("a.rs", RUST, "Order Order.new Order.check Order.fmt total MAX"),
        ("a.java", JAVA, "Cart Cart.total Cart.add Cart.Kind"),
        ("a.kt", KOTLIN, "Price Cart Cart.total Cart.make main"),
        ("a.rb", RUBY, "Shop Shop.Cart Shop.Cart.total Shop.Cart.make Shop.Cart.empty?"),
        ("a.php", PHP, "Cart Cart.total Cart.make helper"),
        ("a.c", C, "total order main"),
        ("a.cs", CSHARP, "Cart Cart.Sum Cart.Short"),
        ("a.swift", SWIFT, "Cart Cart.total Cart.clear Price"),
        ("a.ex", ELIXIR, "Cart Cart.total Cart.helper"),
        ("a.sh", SHELL, "build deploy"),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_definitions_are_listed_with_their_classes(name: str, text: str, expected: str) -> None:
    version = read_version(name, text.encode())

    assert version is not None
    assert " ".join(version.symbols) == expected


def _between(name: str, old: str, new: str) -> Differences:
    before, after = read_version(name, old.encode()), read_version(name, new.encode())
    assert before is not None
    assert after is not None
    return differences(before, after)


def _said(name: str, old: str, new: str) -> list[str]:
    found = _between(name, old, new)
    return [
        *(f"+{one.shown}" for one in found.added),
        *(f"−{one.shown}" for one in found.removed),
        *(f"{was.shown} → {now.shown}" for was, now in found.renamed),
        *(f"~{name}" for name in found.changed),
        *([found.only] if found.only else []),
    ]


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "expected"),
    [
        ("a.py", PYTHON, "return sum(", "return max(", ["~total()"]),
        ("a.py", PYTHON, "total(prices):", "total(prices, rate=2):", ["~total(+rate)"]),
        ("a.py", PYTHON, "total(prices):", "total(prices: list[int]):", ["~total()"]),
        ("a.py", PYTHON, "def close", "def end", ["Session.close() → Session.end()"]),
        ("a.py", PYTHON, "limit = 3", "limit = 4", ["~Session"]),
        ("a.py", PYTHON, "Session(object)", "Session(Base)", ["~Session"]),
        ("a.py", PYTHON, "TIMEOUT = 3", "TIMEOUT = 4", ["~TIMEOUT"]),
        ("a.py", PYTHON, "async def serve", "def serve2():\n    pass\n\n\nasync def serve", ["+serve2()"]),
        ("a.py", PYTHON, "    def close(self):\n        self.user = None\n", "", ["−Session.close()"]),
        ("a.py", PYTHON, "class Session(object):", "@final\nclass Session(object):", ["~Session"]),
        ("a.py", PYTHON, "sum(prices)  #", "sum(\n        prices\n    )  #", ["layout"]),
        ("a.py", PYTHON, "# no discount", "# a discount", ["comments"]),
        ("a.py", PYTHON, "Return the sum.", "Return the total.", ["comments"]),
        ("a.py", PYTHON, "import asyncio\nimport json", "import json\nimport asyncio", ["imports"]),
        ("a.js", JAVASCRIPT, "sum + price", "sum - price", ["~total()"]),
        ("a.js", JAVASCRIPT, "price, percent = 10", "price, percent = 10, least", ["~discount(+least)"]),
        ("a.js", JAVASCRIPT, "if (user) { return; }", "return;", ["~Session.close()"]),
        ("a.js", JAVASCRIPT, "function total", "function addUp", ["total() → addUp()"]),
        ("a.js", JAVASCRIPT, "'use strict';", '"use strict"', ["layout"]),
        ("a.js", JAVASCRIPT, "// function", "// a function", ["comments"]),
        ("a.js", JAVASCRIPT, "exports.shown = f", "exports.hidden = f", ["shown() → hidden()"]),
        ("a.go", GO, "return text", "return nil", ["~Order.Check()"]),
        ("a.go", GO, "Price int", "Price int64", ["~Order"]),
        ("a.go", GO, "Check() error", "Verify() error", ["Order.Check() → Order.Verify()"]),
        ("a.go", GO, "\treturn nil\n", "\n\treturn nil\n", ["layout"]),
        ("a.rs", RUST, "u32 { 1 }", "u32 { 2 }", ["~total()"]),
        ("a.rs", RUST, "price: u32 }\n\nimpl", "price: u64 }\n\nimpl", ["~Order"]),
        ("a.java", JAVA, "return sum(a)", "return sum(b)", ["~Cart.total()"]),
        ("a.java", JAVA, "Integer> total", "Integer> whole", ["Cart.total() → Cart.whole()"]),
        ("a.kt", KOTLIN, "items.size + count", "items.size", ["~Cart.total()"]),
        ("a.rb", RUBY, "    price\n", "    price + 1\n", ["~Shop.Cart.total()"]),
        ("a.php", PHP, "array_sum($prices)", "0", ["~Cart.total()"]),
        ("a.c", C, "prices[0] + count", "count", ["~total()"]),
        ("a.cs", CSHARP, "return a + b", "return a", ["~Cart.Sum()"]),
        ("a.swift", SWIFT, "reduce(0, +)", "reduce(1, +)", ["~Cart.total()"]),
        ("a.ex", ELIXIR, "Enum.sum(prices)", "0", ["~Cart.total()"]),
        ("a.sh", SHELL, "  true", "  false", ["~deploy()"]),
    ],
    ids=range(37),
)  # fmt: skip
def test_a_difference_is_named_by_its_definition(
    name: str, text: str, old: str, new: str, expected: list[str]
) -> None:
    assert old in text

    assert _said(name, text, text.replace(old, new, 1)) == expected


def test_a_class_that_came_or_went_is_named_once_without_its_methods() -> None:
    assert _said("a.py", "x = 1\n", PYTHON.replace("TIMEOUT", "x")) == [
        "+total()", "+Session", "+serve()", "~x",
    ]  # fmt: skip


def test_a_file_that_cannot_be_parsed_has_no_definitions() -> None:
    for content in (b"def (", b"\0", b"(" * 5_000, b"x = " + b"-" * 200_000):
        assert read_version("a.py", content) is None


@pytest.mark.parametrize("name", ["a.js", "a.go", "a.rs", "a.java", "a.rb", "a.php", "a.lua"])
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    for part in ("(", "{", "'", '"', "`", "/*", "//", "/", "[", "function a(", "class A {", "\\"):
        version = read_version(name, (part * 20_000).encode())
        assert version is not None


def test_a_moved_class_is_told_by_both_files() -> None:
    start, end = PYTHON.index("class Session"), PYTHON.index("async def")
    old = {"app/main.py": PYTHON.encode()}
    new = {
        "app/main.py": (PYTHON[:start] + PYTHON[end:]).encode(),
        "app/login.py": PYTHON[start:end].encode(),
    }

    found = [fact for fact in facts(SourceFiles(), old, new) if fact.kind == "code.symbols"]

    assert [(fact.subject, fact.marks) for fact in found] == [
        ("app/main.py", ("Session moved to app/login.py",))
    ]
    assert story([], old, new, [SourceFiles()]).headline == (
        "main.py: Session moved to app/login.py; added login.py"
    )


def _headline(old: dict[str, str], new: dict[str, str]) -> str:
    encoded = [{path: text.encode() for path, text in one.items()} for one in (old, new)]
    return story([], encoded[0], encoded[1], [SourceFiles()]).headline


def _function(name: str, body: str = "return 1") -> str:
    return f"def {name}():\n    {body}\n\n\n"


def test_one_file_is_told_with_what_happened_in_it() -> None:
    old = {"app/main.py": _function("orders") + _function("old")}
    new = {"app/main.py": _function("orders", "return 2") + _function("limit", "return 3")}

    assert _headline(old, new) == "app/main.py: +limit(), −old(), ~orders()"


def test_two_files_are_told_one_after_the_other() -> None:
    old = {"app/main.py": "x = 1\n", "app/mail.py": "x = 1\n"}
    new = {
        "app/main.py": f"x = 1\n{_function('limit')}",
        "app/mail.py": "x = 1\nclass Mailer: ...\n",
    }

    assert _headline(old, new) == "app/mail.py: +Mailer; app/main.py: +limit()"


def test_of_many_files_the_most_important_definitions_are_told() -> None:
    old = {f"app/part_{number}.py": _function(f"f{number}") for number in range(13)}
    new = {path: text.replace("return 1", "return 2") for path, text in old.items()}
    new["app/part_3.py"] += _function("limit")

    assert _headline(old, new) == "edited 13 source files in app (+limit(), ~f0() and 12 more)"


def test_a_formatter_is_told_as_that() -> None:
    old = {f"app/part_{number}.py": f"def f( a,b ):\n  return {number}\n" for number in range(30)}
    new = {path: f"def f(a, b):\n    return {n}\n" for n, path in enumerate(old)}

    assert _headline(old, new) == "reformatted 30 source files in app"


def test_code_that_a_program_wrote_is_told_apart() -> None:
    old = {
        "api/order_pb2.py": "x = 1\n",
        "api/z.go": "// Code generated by mock; DO NOT EDIT.\nx\n",
        "a.py": "x = 1\n",
    }
    new = {path: f"{text}y = 2\n" for path, text in old.items()}

    assert _headline(old, new) == "a.py: +y; generated code changed (2 files in api)"


def test_a_directory_with_most_of_the_files_is_named() -> None:
    old = {f"web/tests/fixtures/{n}.txt": "1\n" for n in range(12)} | {"web/README.md": "1\n"}

    assert _headline(old, dict.fromkeys(old, "2\n")) == (
        "edited 13 documents in web/tests/fixtures (12) and README.md"
    )


def test_only_so_many_files_are_parsed() -> None:
    old = {f"s/{n:03}.py": b"a = 1\n" for n in range(200)}
    found = facts(SourceFiles(), old, dict.fromkeys(old, b"a = 2\n"))

    assert [fact.kind for fact in found].count("code.symbols") == 30
    assert found[0].after == "200"


# Formatters


UGLY = {
    "a.js": (
        """\
export function total( prices ){
return prices.reduce( (a,b)=>a+b , 0 ) }
export class Cart { constructor( ){ this.items=[ ] }
add( item ){ this.items.push( item ) } }
const twice = x => x*2
const names = {'a':1,'b c':2, "d": 'it\\'s'}
""",
        """\
export function total(prices) {
  return prices.reduce((a, b) => a + b, 0);
}
export class Cart {
  constructor() {
    this.items = [];
  }
  add(item) {
    this.items.push(item);
  }
}
const twice = (x) => x * 2;
const names = { a: 1, "b c": 2, d: "it's" };
""",
    ),
    "a.ts": (
        (
            "class A { private x: number = 1; get(): number { return this.x } }\n"
            "export const f = async x => { await g(x,1) }\n"
        ),
        (
            "class A {\n  private x: number = 1;\n  get(): number {\n    return this.x;\n  }\n}\n"
            "export const f = async (x) => {\n  await g(\n    x,\n    1,\n  );\n};\n"
        ),
    ),
    "a.go": (
        "package a\nfunc F(a int,b int)int{return a+b}\ntype T struct{A int;B string}\n",
        (
            "package a\n\nfunc F(a int, b int) int { return a + b }\n\n"
            "type T struct {\n\tA int\n\tB string\n}\n"
        ),
    ),
    "a.rs": (
        "struct A{a:u32}\nimpl A{fn new(a:u32)->A{A{a}} fn get(&self)->u32{self.a}}\n",
        (
            "struct A {\n    a: u32,\n}\nimpl A {\n    fn new(a: u32) -> A {\n        A { a }\n    }\n"
            "    fn get(&self) -> u32 {\n        self.a\n    }\n}\n"
        ),
    ),
    "A.java": (
        "class A { int a; int get(){return a;} void set(int b){a=b;} }\n",
        (
            "class A {\n  int a;\n\n  int get() {\n    return a;\n  }\n\n  void set(int b) {\n    a = b;\n"
            "  }\n}\n"
        ),
    ),
    "a.py": (
        "def f(a,b = 'x'):\n  return {'a':a,\n   'b':b}\nclass A:\n  def g(self): return f(1)\n",
        'def f(a, b="x"):\n    return {"a": a, "b": b}\n\n\nclass A:\n    def g(self):\n        return f(1)\n',
    ),
}


@pytest.mark.parametrize("path", UGLY)
def test_a_formatter_changes_the_layout_only(path: str) -> None:
    for before, after in (UGLY[path], UGLY[path][::-1]):
        old, new = (read_version(path, text.encode()) for text in (before, after))
        assert old is not None
        assert new is not None
        assert differences(old, new) == Differences(only="layout")


def test_a_method_that_a_formatter_put_on_its_own_line_is_not_new() -> None:
    before, after = UGLY["a.js"]
    old = read_version("a.js", before.encode())
    new = read_version("a.js", after.replace("a + b", "a - b").encode())
    assert old is not None
    assert new is not None

    found = differences(old, new)

    assert (found.added, found.removed) == ((), ())
    assert "total()" in found.changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('";"', '""'),
        ('"a b"', '"a  b"'),
        ("(a + b) * c", "a + b * c"),
        ("f(a)", "f[a]"),
        ("a, b", "b, a"),
    ],
)
def test_what_a_program_does_is_not_its_layout(before: str, after: str) -> None:
    old = read_version("a.js", f"const x = {before};\n".encode())
    new = read_version("a.js", f"const x = {after};\n".encode())
    assert old is not None
    assert new is not None

    assert differences(old, new).only == ""


_VUE = """\
<template>
  <button @click="buy">{page}</button>
</template>

<script setup lang="ts">
function buy(): void {{}}
{more}</script>
"""


def test_the_program_of_a_component_is_read_and_not_its_page() -> None:
    old = _VUE.format(page="Buy", more="function clear(): void {}\n").encode()
    found = facts(
        SourceFiles(),
        {"web/Cart.vue": old},
        {"web/Cart.vue": _VUE.format(page="Buy", more="").encode()},
    )
    assert [one.marks for one in found if one.kind == "code.symbols"] == [("−clear()",)]
    page = old.replace(b"Buy", b"Pay now")
    (fact,) = facts(SourceFiles(), {"web/Cart.vue": old}, {"web/Cart.vue": page})
    assert not any("only" in mark for mark in fact.marks)
