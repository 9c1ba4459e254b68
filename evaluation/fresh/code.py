"""Functions and classes added, removed and changed."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.variant import Claims, variant

_GROUP = "code"
_NEW = "+|added|new"
_GONE = "-|−|removed|deleted|gone"
_CHANGED = "~|changed|edited|modified|signature|parameter"
_MAIN = '''\
"""The service."""

import asyncio


def total(prices):
    return sum(prices)


def discount(price, percent=10):
    return price - price * percent / 100


class Session:
    def __init__(self, user):
        self.user = user

    def close(self):
        self.user = None


class Mailer:
    def send(self, address, text):
        print(address, text)


async def serve():
    await asyncio.sleep(1)
'''
_JAVASCRIPT = """\
'use strict';

function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

const discount = (price, percent = 10) => price - (price * percent) / 100;

class Session {
  constructor(user) {
    this.user = user;
  }
}

module.exports = { total, discount, Session };
"""
_TYPESCRIPT = """\
export interface Order {
  id: number;
  price: number;
}

export function total(orders: Order[]): number {
  return orders.reduce((sum, order) => sum + order.price, 0);
}

export class Basket {
  private orders: Order[] = [];

  add(order: Order): void {
    this.orders.push(order);
  }
}

export function isEmpty(orders: Order[]): boolean {
  return orders.length === 0;
}
"""
_GO = """\
package order

import "errors"

type Order struct {
	Price int
}

func Total(orders []Order) int {
	sum := 0
	for _, one := range orders {
		sum += one.Price
	}
	return sum
}

func (o *Order) Check() error {
	if o.Price < 0 {
		return errors.New("the price is below zero")
	}
	return nil
}
"""


def _service(place: Place, path: str, text: str) -> None:
    shop(place)
    place.write(path, text)
    place.run("git add -A && git commit -qm service")


@variant(_GROUP, "a function of Python added, while a log grows")
def function_added(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    yield
    place.write(
        "app/main.py", _MAIN + "\n\ndef limit(price, most=1000):\n    return min(price, most)\n"
    )
    work_goes_on(place)
    claims.say("app/main.py", "limit", _NEW)
    claims.lead("main.py")
    claims.deny("discount", "Session", "Mailer", "serve")


@variant(_GROUP, "a class of Python removed")
def class_removed(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    yield
    place.run("sed -i '/^class Mailer/,/^async/{/^async/!d}' app/main.py && git commit -qam mail")
    claims.say("app/main.py", "Mailer", _GONE)
    claims.lead("main.py|Mailer")
    claims.deny("Session", "discount", "serve")


@variant(_GROUP, "a function of Python changed and a parameter added to another")
def function_changed(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    yield
    text = _MAIN.replace("return sum(prices)", "return round(sum(prices), 2)")
    place.write("app/main.py", text.replace("percent=10)", "percent=10, least=0)"))
    claims.say("app/main.py", "total", "discount", _CHANGED)
    claims.lead("main.py")
    claims.deny("Session", "Mailer", "serve")


@variant(_GROUP, "a method and an async function of Python")
def method_added(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    yield
    text = _MAIN.replace(
        "    def close(self):",
        "    def renew(self):\n        return self.user\n\n    def close(self):",
    )
    place.write("app/main.py", text + "\n\nasync def shut_down():\n    await asyncio.sleep(0)\n")
    claims.say("app/main.py", "renew|Session")
    claims.say("app/main.py", "shut_down", _NEW)
    claims.lead("main.py")
    claims.deny("Mailer", "discount")


@variant(_GROUP, "a function of Python renamed where it is used too")
def function_renamed(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    place.write(
        "app/pay.py",
        "from app.main import discount\n\n\ndef pay(price):\n    return discount(price)\n",
    )
    place.run("git add -A && git commit -qm pay")
    yield
    place.run("sed -i 's/discount/reduced/g' app/*.py")
    claims.say("app/main.py", "discount", "reduced")
    claims.say("app/pay.py")
    claims.lead("main.py|app")
    claims.deny("Session", "Mailer")


@variant(_GROUP, "a class of Python moved to another file")
def class_moved(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    yield
    start, end = _MAIN.index("class Mailer"), _MAIN.index("async def serve")
    place.write("app/mail.py", _MAIN[start:end].rstrip() + "\n")
    place.write("app/main.py", _MAIN[:start] + _MAIN[end:])
    place.run("git add -A && git commit -qm 'mail has its own file'")
    claims.say("app/mail.py", "Mailer")
    claims.say("app/main.py", "Mailer", f"{_GONE}|moved")
    claims.lead("mail.py|main.py|app")


@variant(_GROUP, "a Python file that no longer compiles")
def syntax_error(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "app/main.py", _MAIN)
    yield
    place.write("app/main.py", _MAIN.replace("return sum(prices)", "return sum(prices"))
    claims.warn("app/main.py", "syntax|compile|parse|invalid")
    claims.lead("main.py")


@variant(_GROUP, "functions of JavaScript added and removed")
def javascript(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "lib/orders.js", _JAVASCRIPT)
    yield
    text = _JAVASCRIPT.replace(
        "class Session", "async function fetchOrders(user) {\n  return [user];\n}\n\nclass Session"
    )
    text = text.replace(
        "const discount = (price, percent = 10) => price - (price * percent) / 100;\n\n", ""
    )
    place.write("lib/orders.js", text.replace("total, discount,", "total, fetchOrders,"))
    work_goes_on(place)
    claims.say("lib/orders.js", "fetchOrders", _NEW)
    claims.say("lib/orders.js", "discount", _GONE)
    claims.lead("orders.js")
    claims.deny("Session")


@variant(_GROUP, "an interface, a class and a function of TypeScript")
def typescript(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "web/orders.ts", _TYPESCRIPT)
    yield
    text = _TYPESCRIPT[: _TYPESCRIPT.index("export function isEmpty")]
    text += "export interface Voucher {\n  code: string;\n}\n\n"
    text += "export class Coupon implements Voucher {\n  constructor(public code: string) {}\n}\n"
    place.write("web/orders.ts", text)
    place.run("git commit -qam vouchers")
    claims.say("web/orders.ts", "Coupon", _NEW)
    claims.say("web/orders.ts", "Voucher", _NEW)
    claims.say("web/orders.ts", "isEmpty", _GONE)
    claims.lead("orders.ts")
    claims.deny("Basket")


@variant(_GROUP, "a function and a method of Go")
def go(place: Place, claims: Claims) -> Iterator[None]:
    _service(place, "order/order.go", _GO)
    yield
    text = _GO[: _GO.index("func (o *Order) Check")].replace('import "errors"\n\n', "")
    text += "func Largest(orders []Order) (best Order) {\n\tfor _, one := range orders {\n"
    text += "\t\tif one.Price > best.Price {\n\t\t\tbest = one\n\t\t}\n\t}\n\treturn best\n}\n"
    place.write("order/order.go", text)
    claims.say("order/order.go", "Largest", _NEW)
    claims.say("order/order.go", "Check", _GONE)
    claims.lead("order.go")
    claims.deny("Total")
