"""Changes inside descriptions of an interface, of data and of texts."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.fresh.verbs import ADDED
from evaluation.histories import repository
from evaluation.place import Place
from evaluation.second.tools import commit
from evaluation.second.verbs import CHANGED, DROPPED
from evaluation.variant import Claims, variant

_GROUP = "structured files"
_GRAPHQL = """\
type Order {
  id: ID!
  price: Int!
  note: String
}

type Customer {
  id: ID!
  email: String!
}

type Query {
  order(id: ID!): Order
  customer(id: ID!): Customer
}
"""
_PRISMA = """\
model User {
  id    Int     @id @default(autoincrement())
  email String  @unique
  phone String?
  posts Post[]
}

model Post {
  id       Int  @id
  author   User @relation(fields: [authorId], references: [id])
  authorId Int
}
"""
_PROTO = """\
syntax = "proto3";

package shop;

message Order {
  string customer = 1;
  int64 price = 2;
  string note = 3;
}

service Orders {
  rpc Get(Order) returns (Order);
  rpc Cancel(Order) returns (Order);
}
"""
_STRINGS = """\
<?xml version="1.0" encoding="utf-8"?>
<resources>
    <string name="app_name">Shop</string>
    <string name="checkout_title">Checkout</string>
    <string name="cart_empty">Your cart is empty</string>
</resources>
"""
_SWAGGER = """\
{
  "openapi": "3.0.3",
  "info": {"title": "Shop", "version": "2.0.0"},
  "paths": {
    "/orders": {
      "get": {"responses": {"200": {"description": "ok"}}},
      "post": {"responses": {"201": {"description": "made"}}}
    },
    "/refunds": {
      "post": {"responses": {"201": {"description": "made"}}}
    }
  }
}
"""


def _described(place: Place, path: str, text: str) -> None:
    repository(place)
    place.write(path, text)
    commit(place, "the interface")


@variant(_GROUP, "GraphQL: a field removed and a type added")
def graphql(place: Place, claims: Claims) -> Iterator[None]:
    _described(place, "api/schema.graphql", _GRAPHQL)
    yield
    text = _GRAPHQL.replace("  note: String\n", "")
    place.write("api/schema.graphql", f"{text}\ntype Refund {{\n  id: ID!\n}}\n")
    claims.say("schema.graphql", "note|Order", f"{DROPPED}|{CHANGED}")
    claims.say("schema.graphql", "Refund", ADDED)
    claims.lead("schema.graphql")
    claims.deny("Customer")


@variant(_GROUP, "Prisma: a field of a model removed")
def prisma(place: Place, claims: Claims) -> Iterator[None]:
    _described(place, "prisma/schema.prisma", _PRISMA)
    yield
    place.run("sed -i '/phone/d' prisma/schema.prisma && git commit -qam 'no more phones'")
    claims.say("schema.prisma", "phone|User", f"{DROPPED}|{CHANGED}")
    claims.lead("schema.prisma")
    claims.deny("Post")


@variant(_GROUP, "protobuf: the number of a field changed and a call removed")
def proto(place: Place, claims: Claims) -> Iterator[None]:
    _described(place, "proto/orders.proto", _PROTO)
    yield
    place.run("sed -i 's/price = 2/price = 4/; /rpc Cancel/d' proto/orders.proto")
    claims.say("orders.proto", "price")
    claims.say("orders.proto", "Cancel", f"{DROPPED}|{CHANGED}")
    claims.lead("orders.proto")


@variant(_GROUP, "OpenAPI in JSON: a path removed and a method added")
def openapi_json(place: Place, claims: Claims) -> Iterator[None]:
    _described(place, "docs/openapi.json", _SWAGGER)
    yield
    place.run(
        'jq \'del(.paths["/refunds"]) | .paths["/orders"].delete = {responses: {"204": {description: "gone"}}}\''
        " docs/openapi.json > new && mv new docs/openapi.json"
    )
    claims.say("openapi.json|API", "/refunds", DROPPED)
    claims.say("openapi.json|API", "/orders", ADDED)
    claims.lead("openapi.json|/refunds|API")


@variant(_GROUP, "texts of Android: one removed, one changed")
def android_strings(place: Place, claims: Claims) -> Iterator[None]:
    path = "app/src/main/res/values/strings.xml"
    _described(place, path, _STRINGS)
    yield
    place.run(f"sed -i '/checkout_title/d; s/Your cart is empty/Nothing here yet/' {path}")
    claims.say("strings.xml", "checkout_title", DROPPED)
    claims.say("strings.xml", "cart_empty")
    claims.lead("strings.xml")
    claims.deny("app_name")


@variant(_GROUP, "a migration in SQL that will drop a table")
def sql_migration(place: Place, claims: Claims) -> Iterator[None]:
    _described(
        place, "migrations/0006_orders.sql", "CREATE TABLE orders (id bigint PRIMARY KEY);\n"
    )
    yield
    place.write(
        "migrations/0007_cleanup.sql",
        "ALTER TABLE orders ADD COLUMN note text;\nDROP TABLE invoices;\n",
    )
    claims.say("0007_cleanup.sql", "drop", "invoices")
    claims.lead("0007_cleanup.sql|migration|invoices")
    claims.deny("table invoices dropped", "dropped table invoices")


@variant(_GROUP, "the version of a project raised everywhere", benign=True)
def version_raised(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.write("pyproject.toml", '[project]\nname = "shop"\nversion = "1.8.0"\n')
    place.write("src/version.py", 'VERSION = "1.8.0"\n')
    place.write("CHANGELOG.md", "# 1.8.0\n\n- tea\n")
    commit(place, "1.8.0")
    yield
    place.run(
        "sed -i s/1.8.0/1.9.0/ pyproject.toml src/version.py && sed -i '1i # 1.9.0\\n\\n- cups\\n' CHANGELOG.md"
    )
    place.run("git commit -qam 1.9.0 && git tag v1.9.0")
    claims.say("version", "1.8.0", "1.9.0")
    claims.lead("1.9.0|version|pyproject.toml")
