"""Functions, methods, classes and types that come, go and change."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop
from evaluation.place import Place
from evaluation.third.edits import edited, replaced
from evaluation.variant import Claims, variant

_GROUP = "code"
_NEW = "+|added|new"
_GONE = "-|−|removed|deleted|gone"
_CHANGED = "~|changed|edited|modified|signature|parameter|→"
_PYTHON = '''\
"""Orders."""

import functools
from dataclasses import dataclass
from typing import overload


@dataclass
class Order:
    number: int
    price: int = 0

    @functools.cached_property
    def tax(self):
        return self.price * 0.19

    @staticmethod
    def parse(text):
        return Order(int(text))

    async def send(self, host):
        return host


def main(argv=None):
    if argv:
        def inner():
            return 1
        return inner()
    return 0
'''
_VUE = """\
<template>
  <button @click="buy">Buy</button>
</template>

<script setup lang="ts">
import { ref } from 'vue'

const count = ref(0)

function buy() {
  count.value += 1
}

function clear() {
  count.value = 0
}
</script>
"""
_REACT = """\
import React, { useState } from 'react';

export default function Cart({ items }) {
  const [open, setOpen] = useState(false);
  return <ul>{items.map((item) => <li key={item}>{item}</li>)}</ul>;
}

export const Total = React.memo(({ sum }) => <b>{sum}</b>);

export class Legacy extends React.Component {
  render() {
    return <i>{this.props.text}</i>;
  }
}
"""
_EXPRESS = """\
const express = require('express');
const app = express();

app.get('/orders', async (req, res) => {
  res.json(await list());
});

app.delete('/orders/:id', requireLogin, async (req, res) => {
  res.json(await remove(req.params.id));
});

module.exports = { app };
"""
_FASTAPI = """\
from fastapi import Depends, FastAPI

app = FastAPI()


@app.get("/orders")
def orders():
    return []


@app.delete("/orders/{number}")
def delete_order(number: int, user=Depends(login)):
    return number
"""
_RUST = """\
pub trait Store {
    fn get(&self, id: u64) -> Option<String>;
    fn delete(&mut self, id: u64);
}

pub struct Memory;

impl Store for Memory {
    fn get(&self, id: u64) -> Option<String> {
        None
    }

    fn delete(&mut self, id: u64) {}
}

macro_rules! tea {
    () => {};
}
"""
_KOTLIN = """\
package org.example.shop

data class Price(val amount: Int, val currency: String)

class Cart {
    private val items = mutableListOf<Price>()

    fun total(): Int = items.sumOf { it.amount }

    fun clear() {
        items.clear()
    }
}

fun format(price: Price) = "${price.amount} ${price.currency}"
"""
_GO = """\
package cart

type Cart struct {
	items []int
}

func (c *Cart) Add(price int) {
	c.items = append(c.items, price)
}

func (c *Cart) Total() int {
	return len(c.items)
}

func New[T any](items ...T) *Cart {
	return &Cart{}
}
"""
_JAVA = """\
package org.example.shop;

import java.util.List;

public sealed interface Payment permits Card {
    long amount();
}

record Card(long amount, String owner) implements Payment {}

enum State { OPEN, PAID, SENT }

class Service {
    <T extends Payment> List<T> all(Class<T> kind) throws IllegalStateException {
        return List.of();
    }

    @Deprecated
    void cancel(long id) {
    }
}
"""


@variant(_GROUP, "Python: a static method, an async method and a field of a dataclass")
def python_members(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "shop/orders.py", _PYTHON,
        ("    @staticmethod\n    def parse(text):\n        return Order(int(text))\n\n", ""),
        ("async def send(self, host):", "async def send(self, host, retries=3):"),
        ("    price: int = 0\n", "    price: int = 0\n    paid: bool = False\n"),
    )  # fmt: skip
    claims.say("orders.py", "parse", _GONE)
    claims.say("orders.py", "send", _CHANGED)
    claims.say("orders.py", "paid|Order", f"{_NEW}|{_CHANGED}")
    claims.lead("orders.py")
    claims.deny("main()", "inner")


@variant(_GROUP, "Python: a function renamed, its body the same")
def python_renamed(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "shop/orders.py", _PYTHON, ("def main(argv=None):", "def run(argv=None):")
    )
    claims.say("orders.py", "main", "run")
    claims.lead("orders.py", "main|run")


@variant(_GROUP, "Vue: a function of a component removed")
def vue(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "web/Cart.vue", _VUE, ("function clear() {\n  count.value = 0\n}\n", "")
    )
    claims.say("Cart.vue", "clear", _GONE)
    claims.lead("Cart.vue")


@variant(_GROUP, "React: a component removed and one added")
def react(place: Place, claims: Claims) -> Iterator[None]:
    start = _REACT.index("export class Legacy")
    after = _REACT[:start] + "export function Empty() {\n  return <p>nothing</p>;\n}\n"
    yield from edited(place, "web/Cart.jsx", _REACT, after)
    claims.say("Cart.jsx", "Legacy", _GONE)
    claims.say("Cart.jsx", "Empty", _NEW)
    claims.lead("Cart.jsx")
    claims.deny("−Total", "-Total")


@variant(_GROUP, "Express: the login taken from a route, and a route added")
def express(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "server/app.js",
        _EXPRESS,
        ("requireLogin, ", ""),
        (
            "module.exports",
            "app.post('/orders', async (req, res) => {\n  res.json(await create(req.body));\n});\n\nmodule.exports",
        ),
    )
    claims.say("app.js", "/orders|route|requireLogin|app.delete|edited")
    claims.lead("app.js")


@variant(_GROUP, "FastAPI: a route loses its dependency on a login")
def fastapi(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(place, "api/main.py", _FASTAPI, (", user=Depends(login)", ""))
    claims.say("main.py", "delete_order", _CHANGED)
    claims.lead("main.py", "delete_order")


@variant(_GROUP, "Rust: a method of a trait removed everywhere, and a macro")
def rust(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "src/store.rs",
        _RUST,
        ("    fn delete(&mut self, id: u64);\n", ""),
        ("\n    fn delete(&mut self, id: u64) {}\n", ""),
        ("macro_rules! tea {\n    () => {};\n}\n", ""),
    )
    claims.say("store.rs", "delete", _GONE)
    claims.say("store.rs", "tea", _GONE)
    claims.lead("store.rs")
    claims.deny("get")


@variant(_GROUP, "Kotlin: a function removed and a property of a data class added")
def kotlin(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "src/Cart.kt",
        _KOTLIN,
        ("    fun clear() {\n        items.clear()\n    }\n", ""),
        ("val currency: String)", "val currency: String, val tax: Int = 0)"),
    )
    claims.say("Cart.kt", "clear", _GONE)
    claims.say("Cart.kt", "Price", _CHANGED)
    claims.lead("Cart.kt")


@variant(_GROUP, "Go: a method gets another receiver, and a generic function goes")
def go(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place,
        "cart/cart.go",
        _GO,
        ("func (c *Cart) Total() int", "func (c Cart) Total() int"),
        ("\nfunc New[T any](items ...T) *Cart {\n\treturn &Cart{}\n}\n", ""),
    )
    claims.say("cart.go", "New", _GONE)
    claims.say("cart.go", "Total", _CHANGED)
    claims.lead("cart.go")
    claims.deny("Add")


@variant(_GROUP, "Java: a record, a constant of an enumeration and a method")
def java(place: Place, claims: Claims) -> Iterator[None]:
    yield from replaced(
        place, "src/main/java/org/example/shop/Payment.java", _JAVA,
        ("record Card(long amount, String owner)", "record Card(long amount, String owner, String bank)"),
        ("    @Deprecated\n    void cancel(long id) {\n    }\n", ""),
        ("OPEN, PAID, SENT", "OPEN, PAID"),
    )  # fmt: skip
    claims.say("Payment.java", "cancel", _GONE)
    claims.say("Payment.java", "Card", _CHANGED)
    claims.say("Payment.java", "State", f"{_CHANGED}|SENT")
    claims.lead("Payment.java")


@variant(_GROUP, "JavaScript: a program minified by mistake", benign=True)
def minified(place: Place, claims: Claims) -> Iterator[None]:
    before = "export function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n\nexport function tax(price) {\n  return price * 0.19;\n}\n"
    after = "export function total(prices){return prices.reduce((a,b)=>a+b,0)}export function tax(price){return price*0.19}\n"
    yield from edited(place, "web/sum.js", before, after)
    claims.say("sum.js", "format|layout|whitespace|same|style")
    claims.lead("sum.js")
    claims.deny("−tax", "-tax", "+tax", "~tax")


@variant(_GROUP, "Python: black and a new docstring over a module", benign=True)
def black(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    yield
    place.run(
        'sed -i \'s/"tea"/"tea"/; s/    cart = Cart()/    cart = (\\n        Cart()\\n    )/\' tests/test_cart.py'
    )
    claims.say("test_cart.py", "format|layout|style|same|edited")
    claims.lead("test_cart.py")
    claims.deny("assert", "removed", "skipped")
