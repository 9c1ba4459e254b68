"""Events: what happens between two checkpoints of a timeline, and what a person may ask about it.

Each event changes the project once and returns the questions that it answers.  Noise returns none.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing

from evaluation.blind.answer import Question
from evaluation.blind.project import compose, install, six_tests, uninstall
from evaluation.histories import git
from evaluation.place import Place

Event = Callable[[Place, random.Random, str], list[Question]]
"""Makes the change; the text is the thing that it happens to."""


def _sql(place: Place, statement: str) -> None:
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        database.execute(statement)


def drop_table(place: Place, rng: random.Random, table: str) -> list[Question]:
    _sql(place, f"DROP TABLE {table}")
    return [Question(f"the last moment before {table} was lost", (table,), "lost", before=True)]


def delete_rows(place: Place, rng: random.Random, table: str) -> list[Question]:
    _sql(place, f"DELETE FROM {table} WHERE id > 3")
    return [Question(f"when did most rows of {table} go", (table,), "lost")]


def add_column(place: Place, rng: random.Random, table: str) -> list[Question]:
    _sql(place, f"ALTER TABLE {table} ADD COLUMN region TEXT")
    return [Question(f"when did {table} get a region", (table,), "added")]


def upgrade(place: Place, rng: random.Random, package: str) -> list[Question]:
    install(place, package, "2.0.0")
    return [Question(f"when was {package} upgraded", (package,), "upgraded")]


def downgrade(place: Place, rng: random.Random, package: str) -> list[Question]:
    install(place, package, "1.0.0")
    return [Question(f"when was {package} downgraded", (package,), "downgraded")]


def remove_package(place: Place, rng: random.Random, package: str) -> list[Question]:
    uninstall(place, package)
    return [Question(f"the last moment with {package} installed", (package,), "lost", before=True)]


def delete_folder(place: Place, rng: random.Random, folder: str) -> list[Question]:
    place.run(f"rm -r {folder}")
    return [Question(f"the last moment before {folder} was lost", (folder,), "lost", before=True)]


def move_folder(place: Place, rng: random.Random, folder: str) -> list[Question]:
    place.run(f"mkdir -p storage && mv {folder} storage/{folder}")
    return [Question(f"where did {folder} go", (folder,), "moved")]


def skip_tests(place: Place, rng: random.Random, name: str) -> list[Question]:
    text = six_tests(name).replace("\n\n\ndef ", '\n\n\n@pytest.mark.skip("later")\ndef ')
    place.write(f"tests/test_{name}.py", text)
    return [Question(f"where did the tests of {name} stop running", ("tests",), "stopped")]


def delete_tests(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.run(f"rm tests/test_{name}.py")
    return [
        Question(f"the last moment with the tests of {name}", (f"test_{name}.py",), "lost", True)
    ]


def add_key(place: Place, rng: random.Random, key: str) -> list[Question]:
    place.run(f"echo {key}=2 >> .env")
    return [Question(f"since when is {key} set", (key,), "added")]


def remove_key(place: Place, rng: random.Random, key: str) -> list[Question]:
    place.run(f"sed -i /^{key}=/d .env")
    return [Question(f"the last moment with {key} set", (key,), "lost", before=True)]


def change_setting(place: Place, rng: random.Random, key: str) -> list[Question]:
    place.run(f"sed -i 's/^{key.lower()} = .*/{key.lower()} = 25/' config/app.toml")
    return [Question(f"when was {key.lower()} set to 25", (key.lower(),), "changed")]


def add_service(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.write("compose.yaml", compose(("web", "worker", "cache", name)))
    return [Question(f"since when is there a service {name}", (name,), "added")]


def cut_records(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.write(f"data/{name}.json", json.dumps([{"id": n, "price": n * 3} for n in range(4)]))
    return [Question(f"the last moment with all {name}", (f"{name}.json",), "lost", before=True)]


def conflict(place: Place, rng: random.Random, number: str) -> list[Question]:
    path = f"src/module_{number}.py"
    text = "<<<<<<< HEAD\nvalue = 1\n=======\nvalue = 2\n>>>>>>> topic\n"
    place.write(path, text + (place.root / path).read_text())
    return [Question("where did conflict markers get in", ("conflict",), "broken")]


def other_registry(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.write("pip.conf", "[global]\nindex-url = https://packages.example.net/simple\n")
    return [Question("since when do packages come from elsewhere", ("pip.conf",), "weaker")]


def commit(place: Place, rng: random.Random, number: str) -> list[Question]:
    place.run(f"printf 'def step_{number}():\\n    return {number}\\n' >> src/module_{number}.py")
    git(place, f"commit -qam 'wip {number}'")
    return []


def edit_source(place: Place, rng: random.Random, number: str) -> list[Question]:
    place.run(f"echo 'flag_{rng.randrange(1000)} = True' >> src/module_{number}.py")
    return []


def grow_log(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.run(f"seq {rng.randrange(20, 200)} >> {name}.log")
    return []


def write_notes(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.run(f"echo 'more about {rng.randrange(1000)}' >> README.md")
    return []


def insert_rows(place: Place, rng: random.Random, table: str) -> list[Question]:
    with closing(sqlite3.connect(place.root / "app.db")) as database, database:
        known = {row[0] for row in database.execute("SELECT name FROM sqlite_schema")}
        if table in known:
            database.execute(f"INSERT INTO {table} (name) VALUES ('one more')")
    return []


def clear_cache(place: Place, rng: random.Random, name: str) -> list[Question]:
    place.write(f"__pycache__/{name}.cpython-311.pyc", rng.randbytes(200))
    return []
