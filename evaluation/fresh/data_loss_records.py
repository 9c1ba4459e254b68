"""Loss of a person's data: records inside one file."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.fresh.verbs import EMPTIED, SHORTER
from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.variant import Claims, variant


@variant("data loss", "training data cut to a tenth")
def training_data_cut(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo /data/ >> .gitignore && git commit -qam 'ignore data'")
    rows = "".join(f"{row},{row * 7 % 100},{row % 2}\n" for row in range(20_000))
    place.write("data/train.csv", f"id,feature,label\n{rows}")
    place.write("data/test.csv", "id,feature,label\n1,2,0\n")
    yield
    place.run("head -n 2001 data/train.csv > data/t && mv data/t data/train.csv")
    change(place, 5)
    claims.warn("train.csv", "18000|20000|20001", SHORTER)
    claims.lead("train.csv", SHORTER)


@variant("data loss", "customers in JSON from 1,000 to 3")
def json_records_lost(place: Place, claims: Claims) -> Iterator[None]:
    customers = [{"id": number, "name": f"Customer {number}"} for number in range(1000)]
    place.write("data/customers.json", json.dumps(customers, indent=2) + "\n")
    place.write("app.py", "import json\n")
    yield
    place.run("jq '.[0:3]' data/customers.json > data/new && mv data/new data/customers.json")
    claims.warn("customers.json", "997|1000", SHORTER)
    claims.lead("customers.json", SHORTER)


@variant("data loss", "JSON lines truncated inside a line")
def json_lines_truncated(place: Place, claims: Claims) -> Iterator[None]:
    events = "".join(json.dumps({"event": n, "kind": "click"}) + "\n" for n in range(5000))
    place.write("events/2024-05.jsonl", events)
    place.write("events/2024-04.jsonl", events[: len(events) // 2 + 1])
    yield
    place.run("truncate -s 30003 events/2024-05.jsonl")
    left = int(place.run("wc -l < events/2024-05.jsonl"))
    claims.warn("2024-05.jsonl", f"{5000 - left}|{4999 - left}|5000", SHORTER)
    claims.lead("2024-05.jsonl", SHORTER)


@variant("data loss", "an audit log emptied while a normal log rotates")
def audit_log_emptied(place: Place, claims: Claims) -> Iterator[None]:
    audit = "".join(f"2024-05-01 user {n} changed the price of product {n}\n" for n in range(3000))
    place.write("logs/audit.log", audit)
    place.write("logs/app.log", "GET /products 200\n" * 4000)
    place.write("app.py", "print('shop')\n")
    yield
    place.run("cd logs && mv app.log app.log.1 && echo 'GET / 200' > app.log && : > audit.log")
    claims.warn("audit.log", EMPTIED)
    claims.lead("audit.log", EMPTIED)
    claims.deny("only logs", "audit.log rotated")


@variant("data loss", "a log rotated with copy and truncate", benign=True)
def log_rotated(place: Place, claims: Claims) -> Iterator[None]:
    place.write("logs/app.log", "".join(f"GET /products/{n} 200\n" for n in range(4000)))
    place.write("app.py", "print('shop')\n")
    yield
    place.run("cd logs && cp app.log app.log.1 && : > app.log && gzip app.log.1")
    claims.lead("log")
    claims.deny("lost", "deleted")


@variant("data loss", "a pickled model emptied by a program that stopped while writing")
def pickle_emptied(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo '*.pkl' >> .gitignore && git commit -qam 'ignore models'")
    place.run("mkdir models && cd models && python3 -c 'import pickle; "
              'pickle.dump({n: n / 7 for n in range(40000)}, open("churn.pkl", "wb"))\'')  # fmt: skip
    yield
    place.run("cd models && python3 -c 'import pickle; file = open(\"churn.pkl\", \"wb\"); "
              "pickle.dumps(lambda: 1)' 2> error.log", check=False)  # fmt: skip
    claims.warn("churn.pkl", EMPTIED)
    claims.lead("churn.pkl", EMPTIED)


@variant("data loss", "an SQLite file replaced by an empty one")
def database_replaced(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    place.run("echo '*.db' >> .gitignore && git commit -qam 'ignore databases'")
    schema = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);CREATE TABLE orders(id INTEGER PRIMARY KEY, user INT);"
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<{})"
    fill = (
        f"INSERT INTO users {numbers.format(500)} SELECT i, 'name '||i FROM n;"
        f"INSERT INTO orders {numbers.format(2000)} SELECT i, i%500 FROM n;"
    )
    place.run(f'sqlite3 app.db "{schema}{fill}"')
    yield
    place.run(f'rm app.db && sqlite3 app.db "{schema}"')
    claims.warn("users", "500", SHORTER)
    claims.warn("orders", "2000", SHORTER)
    claims.lead("app.db|orders", f"{SHORTER}|{EMPTIED}")


@variant("data loss", "a notebook with all its cells gone")
def notebook_emptied(place: Place, claims: Claims) -> Iterator[None]:
    repository(place)
    cells = [
        {"cell_type": "code", "execution_count": n, "id": f"cell-{n}", "metadata": {},
         "outputs": [{"name": "stdout", "output_type": "stream", "text": [f"{n}\n"]}],
         "source": [f"total_{n} = {n}\n", f"print(total_{n})"]}
        for n in range(1, 25)
    ]  # fmt: skip
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    place.write("analysis.ipynb", json.dumps(notebook, indent=1) + "\n")
    place.run("git add -A && git commit -qm analysis")
    yield
    place.run("jq --indent 1 '.cells = []' analysis.ipynb > new && mv new analysis.ipynb")
    change(place, 4)
    claims.warn("analysis.ipynb", "24", "cell", SHORTER)
    claims.lead("analysis.ipynb", "cell", SHORTER)


@variant("data loss", "the outputs of a notebook cleared", benign=True)
def notebook_outputs_cleared(place: Place, claims: Claims) -> Iterator[None]:
    cells = [
        {"cell_type": "code", "execution_count": n, "id": f"cell-{n}", "metadata": {},
         "outputs": [{"name": "stdout", "output_type": "stream", "text": ["x" * 900]}],
         "source": [f"print({n})"]}
        for n in range(1, 13)
    ]  # fmt: skip
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    place.write("report.ipynb", json.dumps(notebook, indent=1) + "\n")
    yield
    clear = ".cells |= map(.outputs = [] | .execution_count = null)"
    place.run(f"jq --indent 1 '{clear}' report.ipynb > new && mv new report.ipynb")
    claims.say("report.ipynb", "output")
    claims.lead("report.ipynb", "output")
    claims.deny("cells removed", "cells deleted", "cells lost")
