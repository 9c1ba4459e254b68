"""Functions, methods and types added, removed and changed, in other languages."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit, node_tool
from evaluation.variant import Claims, variant

_GROUP = "code"
_NEW = "+|added|new"
_GONE = "-|−|removed|deleted|gone"
_CHANGED = "~|changed|edited|modified|signature|parameter|→"
_RUST = """\
//! The cart.

pub struct Cart {
    items: Vec<u32>,
}

impl Cart {
    pub fn total(&self) -> u32 {
        self.items.iter().sum()
    }
}

pub fn discount(price: u32) -> u32 {
    price - price / 10
}

pub enum State {
    Open,
    Paid,
}
"""
_JAVA = """\
package org.example.shop;

public class Cart {
    private int total;

    public int total() {
        return total;
    }

    public void add(int price) {
        total += price;
    }
}
"""
_RUBY = """\
module Shop
  class Cart
    def initialize
      @items = []
    end

    def total
      @items.sum
    end
  end

  def self.discount(price)
    price * 0.9
  end
end
"""
_PHP = """\
<?php

function total(array $prices): int
{
    return array_sum($prices);
}

function discount(int $price): float
{
    return $price * 0.9;
}

class Mailer
{
    public function send(string $text): void
    {
        echo $text;
    }
}
"""
_C = """\
#include "cart.h"

int total(const int *prices, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += prices[i];
    return sum;
}

int discount(int price)
{
    return price - price / 10;
}
"""
_GO = """\
package store

type Warehouse interface {
	Get(id int) (Order, error)
	Delete(id int) error
}

type Order struct {
	ID    int
	Price int
}

func Open(path string) (Warehouse, error) {
	return open(path)
}
"""
_TYPES = """\
export type Currency = 'eur' | 'usd';

export interface Price {
  amount: number;
  currency: Currency;
}

export const format = (price: Price): string => `${price.amount} ${price.currency}`;
"""
_SHELL = """\
#!/bin/sh
build() {
    make build
}

backup() {
    pg_dump shop > backup.sql
}

build
backup
"""
_CSHARP = """\
namespace Shop;

public class Cart
{
    public int Total() => 0;

    public void Add(int price)
    {
    }
}
"""
_UGLY = """\
export function total( prices ){
return prices.reduce( (a,b)=>a+b , 0 ) }

export class Cart { constructor( ){ this.items=[ ] }
add( item ){ this.items.push( item ) } }
"""


def _source(place: Place, path: str, text: str) -> None:
    shop(place)
    place.write(path, text)
    commit(place, "source")


@variant(_GROUP, "Rust: a function added and another removed")
def rust(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "src/cart.rs", _RUST)
    yield
    start, end = _RUST.index("pub fn discount"), _RUST.index("pub enum State")
    new = "pub fn shipping(weight: u32) -> u32 {\n    weight * 3\n}\n\n"
    place.write("src/cart.rs", _RUST[:start] + new + _RUST[end:])
    work_goes_on(place)
    claims.say("cart.rs", "shipping", _NEW)
    claims.say("cart.rs", "discount", _GONE)
    claims.lead("cart.rs")
    claims.deny("State", "total")


@variant(_GROUP, "Java: a method added to a class")
def java(place: Place, claims: Claims) -> Iterator[None]:
    path = "src/main/java/org/example/shop/Cart.java"
    _source(place, path, _JAVA)
    yield
    place.run(
        f"sed -i '$d' {path} && printf '\\n    public void clear() {{\\n        total = 0;\\n    }}\\n}}\\n' >> {path}"
    )
    claims.say("Cart.java", "clear", _NEW)
    claims.lead("Cart.java")


@variant(_GROUP, "Ruby: a method removed and a class added")
def ruby(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "lib/shop.rb", _RUBY)
    yield
    text = _RUBY.replace("  def self.discount(price)\n    price * 0.9\n  end\n", "  class Voucher\n    def value\n      5\n    end\n  end\n")  # fmt: skip
    place.write("lib/shop.rb", text)
    place.run("git commit -qam vouchers")
    claims.say("shop.rb", "discount", _GONE)
    claims.say("shop.rb", "Voucher", _NEW)
    claims.lead("shop.rb")


@variant(_GROUP, "PHP: a function gets a parameter, and a class goes")
def php(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "src/shop.php", _PHP)
    yield
    text = _PHP[: _PHP.index("class Mailer")].rstrip() + "\n"
    place.write(
        "src/shop.php",
        text.replace("discount(int $price)", "discount(int $price, int $percent = 10)"),
    )
    claims.say("shop.php", "Mailer", _GONE)
    claims.say("shop.php", "discount", _CHANGED)
    claims.lead("shop.php")
    claims.deny("total")


@variant(_GROUP, "C: a function added, and the return type of another changed")
def c_language(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "src/cart.c", _C)
    yield
    text = _C.replace("int total(", "long total(")
    place.write("src/cart.c", f"{text}\nint shipping(int weight)\n{{\n    return weight * 3;\n}}\n")
    claims.say("cart.c", "shipping", _NEW)
    claims.say("cart.c", "total", _CHANGED)
    claims.lead("cart.c")
    claims.deny("discount")


@variant(_GROUP, "Go: a method removed from an interface, and a type added")
def go_interface(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "store/store.go", _GO)
    yield
    text = _GO.replace("\tDelete(id int) error\n", "")
    place.write("store/store.go", f"{text}\ntype Memory struct {{\n\torders map[int]Order\n}}\n")
    claims.say("store.go", "Warehouse|Delete")
    claims.say("store.go", "Memory", _NEW)
    claims.lead("store.go")
    claims.deny("Open")


@variant(_GROUP, "TypeScript: a type widened and a constant function added")
def typescript(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "web/price.ts", _TYPES)
    yield
    text = _TYPES.replace("'eur' | 'usd'", "'eur' | 'usd' | 'chf'")
    place.write(
        "web/price.ts",
        f"{text}\nexport const zero = (currency: Currency): Price => ({{ amount: 0, currency }});\n",
    )
    claims.say("price.ts", "Currency", _CHANGED)
    claims.say("price.ts", "zero", _NEW)
    claims.lead("price.ts")
    claims.deny("~format", "-format", "−format")


@variant(_GROUP, "shell: a function removed with its call")
def shell(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "deploy.sh", _SHELL)
    yield
    place.run("sed -i '/^backup() {/,/^}/d; /^backup$/d' deploy.sh")
    work_goes_on(place)
    claims.say("deploy.sh", "backup", _GONE)
    claims.lead("deploy.sh")


@variant(_GROUP, "C#: a class renamed")
def csharp(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "Shop/Cart.cs", _CSHARP)
    yield
    place.run(
        "git mv Shop/Cart.cs Shop/Basket.cs && sed -i s/Cart/Basket/ Shop/Basket.cs && git commit -qam basket"
    )
    claims.say("Cart", "Basket")
    claims.lead("Basket")


@variant(_GROUP, "JavaScript: formatted by prettier", benign=True)
def prettier(place: Place, claims: Claims) -> Iterator[None]:
    tool = node_tool(place, "prettier@3.3.3")
    _source(place, "web/cart.js", _UGLY)
    yield
    place.run(f"{tool} --log-level silent --write web/cart.js")
    claims.say("cart.js", "format|layout|whitespace|style|same")
    claims.lead("cart.js|format")
    claims.deny("+total", "-total", "−total", "~total", "+Cart", "−Cart")


@variant(_GROUP, "Rust: comments only", benign=True)
def rust_comments(place: Place, claims: Claims) -> Iterator[None]:
    _source(place, "src/cart.rs", _RUST)
    yield
    place.run(
        "sed -i 's#^pub fn discount#/// A tenth less.\\n&#; s#^pub enum#// of an order\\n&#' src/cart.rs"
    )
    claims.say("cart.rs", "comment|document|doc|no code|+2")
    claims.lead("cart.rs")
    claims.deny("+discount", "-discount", "−discount")
