"""What the tools of data files say: redis-check-rdb, psql, safetensors, wc."""

from __future__ import annotations

import json
import re
from typing import cast

from evaluation.place import Place
from evaluation.scenario import Told


class RedisKeys:
    """How many keys `redis-check-rdb` reads in a dump."""

    kinds = ("data.changed",)

    def __init__(self, path: str) -> None:
        self._path = path

    def look(self, place: Place) -> str | None:
        if not (place.root / self._path).exists():
            return None
        said = re.search(r"(\d+) keys read", place.run(f"redis-check-rdb /{self._path}"))
        number = said[1] if said else "0"
        return f"{number} key" if number == "1" else f"{number} keys"

    def facts(self, before: object, after: object) -> set[Told]:
        if before == after:
            return set()
        old, new = cast("str | None", before), cast("str | None", after)
        return {("data.changed", "redis", self._path, old, new)}


class PostgresTables:
    """The tables of a cluster, as the server lists them; it is started for it where it is down."""

    kinds = ("data.changed",)

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def look(self, place: Place) -> str:
        """Return a listing, made by a server on a copy: looking must not change anything."""
        if not (place.root / self._directory / "PG_VERSION").exists():
            return ""
        return place.run(
            "rm -rf /tmp/look && cp -a /" + self._directory + " /tmp/look && rm -f"
            " /tmp/look/postmaster.pid && install -o postgres /dev/null /tmp/look/postgresql.conf; export PATH=$PATH:$(echo /usr/lib/postgresql/*/bin);"
            ' runuser -u postgres -- sh -c "for d in postgres template1; do'
            " echo 'select count(*) from pg_class; select count(*) from pg_database'"
            " | postgres --single -D /tmp/look $d; done\" | grep 'count = '; rm -rf /tmp/look"
        )

    def facts(self, before: object, after: object) -> set[Told]:
        if before == after:
            return set()
        return {("data.changed", "postgres", self._directory, None, None)}


class Tensors:
    """What the `safetensors` package reads in a file of weights."""

    kinds = ("data.changed",)

    def __init__(self, python: str, path: str) -> None:
        """`python` is below the directory beside the project."""
        self._python = python
        self._path = path

    def look(self, place: Place) -> str | None:
        if not (place.root / self._path).exists():
            return None
        program = (
            "import json, math, os, sys, safetensors\n"
            "with safetensors.safe_open(sys.argv[1], 'np') as found:\n"
            "    shapes = [found.get_slice(name).get_shape() for name in found.keys()]\n"
            "    types = sorted({found.get_slice(name).get_dtype() for name in found.keys()})\n"
            "print(json.dumps([sum(map(math.prod, shapes)), len(shapes), types,"
            " os.path.getsize(sys.argv[1])]))"
        )
        python = place.around / self._python
        told = json.loads(place.run(f'{python} -c "{program}" {self._path}'))
        parameters, number, types, size = told
        return (
            f"{number} tensors, {parameters / 1e6:.1f} M parameters, {', '.join(types)},"
            f" {size / 1e6:.1f} MB"
        )

    def facts(self, before: object, after: object) -> set[Told]:
        if before == after:
            return set()
        old, new = cast("str | None", before), cast("str | None", after)
        return {("data.changed", "weights", self._path, old, new)}


class CsvRows:
    """How many rows Python's own `csv` reads below the header."""

    kinds = ("data.changed",)

    def __init__(self, path: str) -> None:
        self._path = path

    def look(self, place: Place) -> str:
        program = "import csv, sys; print(sum(1 for _ in csv.DictReader(open(sys.argv[1]))))"
        number = place.run(f'python3 -c "{program}" {self._path}').strip()
        return f"{number} row" if number == "1" else f"{number} rows"

    def facts(self, before: object, after: object) -> set[Told]:
        if before == after:
            return set()
        return {("data.changed", "table", self._path, str(before), str(after))}
