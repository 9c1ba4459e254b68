"""What cargo says is installed."""

from __future__ import annotations

import re
from typing import cast

from evaluation.place import Place
from evaluation.scenario import Told
from evaluation.truth import Versions, package_facts


class CargoList:
    """What `cargo install --list` says of a home that is the project."""

    kinds = ("package.added", "package.removed", "package.changed")

    def __init__(self, cargo: str) -> None:
        self._cargo = cargo

    def look(self, place: Place) -> Versions:
        listed = place.run(f"{self._cargo} install --list")
        return dict(re.findall(r"^(\S+) v(\S+?)(?: \(.*\))?:$", listed, re.M))

    def facts(self, before: object, after: object) -> set[Told]:
        return package_facts("cargo:.", cast(Versions, before), cast(Versions, after))


class Executables:
    """What `dpkg -S` says nobody ships, of the programs in one directory."""

    kinds = ("executable.added",)

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def look(self, place: Place) -> dict[str, str]:
        listed = place.run(f"cd /{self._directory} && find . -maxdepth 1 -perm -1 ! -type d")
        found = {}
        for name in listed.split():
            path = f"/{self._directory}/{name.removeprefix('./')}"
            if not place.run(f"dpkg -S {path} 2>/dev/null", check=False):
                found[name.removeprefix("./")] = place.run(f"cksum {path}")
        return found

    def facts(self, before: object, after: object) -> set[Told]:
        old, new = cast(dict[str, str], before), cast(dict[str, str], after)
        return {
            ("executable.added", self._directory, name, None, None)
            for name, sum_ in new.items()
            if old.get(name) != sum_
        }
