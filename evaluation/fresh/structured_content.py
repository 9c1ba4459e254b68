"""Changes inside files of content: translations, records and descriptions of an interface."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.fresh.verbs import ADDED, DROPPED
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.variant import Claims, variant

_OPENAPI = """openapi: 3.1.0
info: {title: Shop, version: 1.8.0}
paths:
  /orders:
    get:
      summary: List orders
      responses: {"200": {description: ok}}
  /orders/{id}:
    get:
      summary: One order
      responses: {"200": {description: ok}}
    delete:
      summary: Cancel an order
      responses: {"204": {description: cancelled}}
  /health:
    get:
      responses: {"200": {description: ok}}
"""


@variant("structured files", "translations in JSON: keys removed from one, added to another")
def json_translations(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    cart = {f"line_{number}": f"Line {number}" for number in range(12)}
    texts = {"title": "Shop", "cart": cart, "account": {"login": "Log in", "logout": "Log out"}}
    for language in ("en", "de"):
        place.write(f"locales/{language}.json", json.dumps(texts, indent=2) + "\n")
    place.run("git add -A && git commit -qm translations")
    yield
    place.run("jq 'del(.cart)' locales/de.json > new && mv new locales/de.json")
    more = '.account += {"delete": "Delete", "export": "Export", "rename": "Rename"}'
    place.run(f"jq '{more}' locales/en.json > new && mv new locales/en.json")
    claims.say("de.json", "cart|12|13", DROPPED)
    claims.say("en.json", "3|account", ADDED)
    claims.lead("de.json|locales")


@variant("structured files", "translations in YAML: a key removed and a text changed")
def yaml_translations(place: Place, claims: Claims) -> Iterator[None]:
    text = "de:\n  greeting: Hallo\n  cart:\n    empty: Leerer Korb\n    checkout: Zur Kasse\n"
    place.write("config/locales/de.yml", text)
    place.write("config/locales/en.yml", "en:\n  greeting: Hello\n")
    yield
    place.run("sed -i '/checkout:/d; s/Hallo/Willkommen/' config/locales/de.yml")
    claims.say("de.yml", "checkout", DROPPED)
    claims.say("de.yml", "greeting")
    claims.lead("de.yml")
    claims.deny("cart.empty", "en.yml")


@variant("structured files", "translations in PO: messages removed and added")
def po_translations(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    messages = [f'#: shop/views.py:{n}\nmsgid "Text {n}"\nmsgstr "Satz {n}"\n\n' for n in range(30)]
    path = "locale/de/LC_MESSAGES/django.po"
    place.write(path, header + "".join(messages))
    place.run("git add -A && git commit -qm translations")
    yield
    new = 'msgid "Cancel order"\nmsgstr "Bestellung stornieren"\n\n'
    place.write(path, header + "".join(messages[5:]) + new)
    change(place, 11)
    claims.say("django.po", "5", DROPPED)
    claims.say("django.po", "1", ADDED)
    claims.lead("django.po")


@variant("structured files", "records in JSON added and removed")
def json_records(place: Place, claims: Claims) -> Iterator[None]:
    products = [{"id": 100 + n, "name": f"Product {n}", "price": n * 5} for n in range(40)]
    place.write("data/products.json", json.dumps(products, indent=2) + "\n")
    place.write("data/README.md", "# Products\n")
    yield
    added = ", ".join(f'{{"id": {200 + n}, "name": "New {n}", "price": 9}}' for n in range(4))
    edit = f"map(select(.id != 103 and .id != 117)) + [{added}]"
    place.run(f"jq '{edit}' data/products.json > data/new && mv data/new data/products.json")
    claims.say("products.json", "4", ADDED)
    claims.say("products.json", "2", DROPPED)
    claims.lead("products.json")


@variant("structured files", "OpenAPI: an endpoint removed")
def endpoint_removed(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write("openapi.yaml", _OPENAPI)
    place.run("git add -A && git commit -qm 'the interface'")
    yield
    lines = "/^    delete:/,/204/d"
    place.run(f"sed -i '{lines}' openapi.yaml")
    place.run("git commit -qam 'no more cancelling'")
    claims.say("openapi.yaml|API", "delete", "/orders/{id}", "removed|gone|dropped|lost|−")
    claims.lead("openapi.yaml|/orders")
    claims.deny("/health")
