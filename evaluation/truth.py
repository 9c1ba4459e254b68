"""Truth sources: the ecosystem's own tools, run before and after a change."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import cast

from evaluation.place import Place
from evaluation.scenario import Told

Versions = dict[str, str]


def package_facts(scope: str, before: Versions, after: Versions) -> set[Told]:
    """Return the facts that two lists of packages must yield."""
    found: set[Told] = set()
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        word = "added" if old is None else "removed" if new is None else "changed"
        found.add((f"package.{word}", scope, name, old, new))
    return found


class Apt:
    """What `dpkg-query` says is installed."""

    kinds = ("package.added", "package.removed", "package.changed")

    def look(self, place: Place) -> Versions:
        lines = place.run("dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\\n'")
        rows = (line.split() for line in lines.splitlines())
        return {row[1]: row[2] for row in rows if row[0] == "installed"}

    def facts(self, before: object, after: object) -> set[Told]:
        return package_facts("apt", cast(Versions, before), cast(Versions, after))


class Pip:
    """What `pip list` says of one environment."""

    kinds = Apt.kinds

    def __init__(self, environment: str, python: str = "bin/python") -> None:
        self._environment = environment
        self._python = f"{environment}/{python}"

    def look(self, place: Place) -> Versions:
        if not (place.root / self._python).exists():
            return {}
        listed = json.loads(place.run(f"{self._python} -m pip list --format json"))
        return {_normal(item["name"]): item["version"] for item in listed}

    def facts(self, before: object, after: object) -> set[Told]:
        scope = f"pip:{self._environment}"
        return package_facts(scope, cast(Versions, before), cast(Versions, after))


class Users:
    """What `getent` says of accounts."""

    kinds = ("user.added", "user.removed")

    def look(self, place: Place) -> set[str]:
        return {line.partition(":")[0] for line in place.run("getent passwd").splitlines()}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(set[str], before), cast(set[str], after)
        added: set[Told] = {("user.added", "accounts", name, None, None) for name in new - old}
        return added | {("user.removed", "accounts", name, None, None) for name in old - new}


class EnabledUnits:
    """What `systemctl` says of units that start automatically."""

    kinds: tuple[str, ...] = (
        "service.enabled",
        "service.disabled",
        "service.masked",
        "service.removed",
    )
    gone = "service.removed"
    """What is told of a unit that is no longer listed: its package took it away."""

    def look(self, place: Place) -> dict[str, str]:
        lines = place.run("systemctl list-unit-files --no-legend --no-pager").splitlines()
        rows = (line.split() for line in lines)
        return {row[0]: row[1] for row in rows if len(row) > 1}

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(dict[str, str], before), cast(dict[str, str], after)
        found: set[Told] = set()
        for unit in old.keys() | new.keys():
            was, now = old.get(unit, ""), new.get(unit, "")
            if was == now:
                continue
            if now == "masked":
                found.add(("service.masked", "systemd", unit, None, None))
            elif now == "enabled":
                found.add(("service.enabled", "systemd", unit, None, None))
            elif was == "enabled":
                kind = "service.disabled" if now else self.gone
                found.add((kind, "systemd", unit, None, None))
        return found


class Tables:
    """What `sqlite3` says of the tables of a live database."""

    kinds = ("table.added", "table.removed", "table.changed")

    def __init__(self, path: str) -> None:
        self._path = path

    def look(self, place: Place) -> dict[str, tuple[str, str]]:
        """Return rows and dump of each table; read from a copy, because sqlite3 recovers what it opens."""
        if not (place.root / self._path).is_file():
            return {}
        for path in place.around.glob("copy.db*"):
            path.unlink()
        for ending in ("", "-wal", "-journal"):
            source = place.root / f"{self._path}{ending}"
            if source.exists():
                shutil.copy(source, place.around / f"copy.db{ending}")
        names = self._ask(place, "select name from sqlite_schema where type = 'table'")
        found = {}
        for name in names.splitlines():
            if not name.startswith("sqlite_"):
                rows = self._ask(place, f'select count(*) from "{name}"').strip()
                found[name] = rows, self._ask(place, f'.dump "{name}"')
        return found

    def _ask(self, place: Place, question: str) -> str:
        command = ["sqlite3", str(place.around / "copy.db"), question]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def facts(self, before: object, after: object) -> set[Told]:
        old = cast(dict[str, tuple[str, str]], before)
        new = cast(dict[str, tuple[str, str]], after)
        scope = f"sqlite:{self._path}"
        found: set[Told] = set()
        for name in old.keys() | new.keys():
            was, now = old.get(name), new.get(name)
            if was == now:
                continue
            word = "added" if was is None else "removed" if now is None else "changed"
            found.add((f"table.{word}", scope, name, was and was[0], now and now[0]))
        return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
