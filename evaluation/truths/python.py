"""What pip, uv and rattler say is installed."""

from __future__ import annotations

import json
import re
from typing import cast

from evaluation.place import Place
from evaluation.scenario import Told
from evaluation.truth import Versions, package_facts

_PACKAGES = ("package.added", "package.removed", "package.changed")


def normal(name: str) -> str:
    """Return a package's name as PEP 503 has it."""
    return re.sub(r"[-_.]+", "-", name).lower()


class PipInspect:
    """What `pip inspect` says of one environment: versions, and where they came from."""

    kinds = _PACKAGES

    def __init__(self, environment: str) -> None:
        self._environment = environment

    def look(self, place: Place) -> dict[str, tuple[str, str]]:
        python = f"{self._environment}/bin/python"
        if not (place.root / python).exists():
            return {}
        installed = json.loads(place.run(f"{python} -m pip inspect --local"))["installed"]
        return {
            normal(item["metadata"]["name"]): (
                item["metadata"]["version"],
                json.dumps(item.get("direct_url"), sort_keys=True),
            )
            for item in installed
        }

    def facts(self, before: object, after: object) -> set[Told]:
        old = cast(dict[str, tuple[str, str]], before)
        new = cast(dict[str, tuple[str, str]], after)
        scope = f"pip:{self._environment}"
        versions = [{name: found[0] for name, found in side.items()} for side in (old, new)]
        moved: set[Told] = {
            ("package.changed", scope, name, old[name][0], new[name][0])
            for name in old.keys() & new.keys()
            if old[name][1] != new[name][1]
        }
        return package_facts(scope, versions[0], versions[1]) | moved


class PipPath:
    """What `pip list --path` says of a directory that is no environment."""

    kinds = _PACKAGES

    def __init__(self, path: str, scope: str) -> None:
        self._path = path
        self._scope = scope

    def look(self, place: Place) -> Versions:
        command = f"python3 -m pip list --format json $(printf -- '--path %s ' {self._path})"
        listed = json.loads(place.run(command))
        return {normal(item["name"]): item["version"] for item in listed}

    def facts(self, before: object, after: object) -> set[Told]:
        return package_facts(self._scope, cast(Versions, before), cast(Versions, after))


class UvPip:
    """What `uv pip list` says of an environment that may have no pip."""

    kinds = _PACKAGES

    def __init__(self, environment: str, uv: str) -> None:
        self._environment = environment
        self._uv = uv

    def look(self, place: Place) -> Versions:
        python = f"{self._environment}/bin/python"
        if not (place.root / python).exists():
            return {}
        listed = json.loads(place.run(f"{self._uv} pip list --python {python} --format json"))
        return {normal(item["name"]): item["version"] for item in listed}

    def facts(self, before: object, after: object) -> set[Told]:
        scope = f"pip:{self._environment}"
        return package_facts(scope, cast(Versions, before), cast(Versions, after))


class UvTools:
    """What `uv tool list` says of a home."""

    kinds = _PACKAGES

    def __init__(self, uv: str) -> None:
        self._uv = uv

    def look(self, place: Place) -> Versions:
        lines = place.run(f"HOME=$PWD {self._uv} tool list 2>/dev/null").splitlines()
        rows = (line.split() for line in lines if line and not line.startswith("-"))
        return {row[0]: row[1].removeprefix("v") for row in rows if len(row) == 2}

    def facts(self, before: object, after: object) -> set[Told]:
        return package_facts("uv-tool", cast(Versions, before), cast(Versions, after))


class Pipx:
    """What `pipx list` says of a home."""

    kinds = _PACKAGES

    def __init__(self, pipx: str) -> None:
        self._pipx = pipx

    def look(self, place: Place) -> Versions:
        if not (place.root / ".local/share/pipx").exists():  # it would make it by looking
            return {}
        lines = place.run(f"{self._pipx} list --short").splitlines()
        return dict(line.split()[:2] for line in lines)

    def facts(self, before: object, after: object) -> set[Told]:
        return package_facts("pipx", cast(Versions, before), cast(Versions, after))


class Rattler:
    """What rattler reads in a conda prefix."""

    kinds = _PACKAGES

    def __init__(self, prefix: str, python: str) -> None:
        self._prefix = prefix
        self._python = python

    def look(self, place: Place) -> Versions:
        program = (
            "import glob, json, os, rattler;"
            f"found = map(rattler.PrefixRecord.from_path, glob.glob('{self._prefix}/conda-meta/*.json'));"
            "print(json.dumps({one.name.normalized: str(one.version) for one in found}), flush=True);"
            "os._exit(0)"  # it sometimes crashes while it takes itself down
        )
        return cast(Versions, json.loads(place.run(f'{self._python} -c "{program}"')))

    def facts(self, before: object, after: object) -> set[Told]:
        scope = f"conda:{self._prefix}"
        return package_facts(scope, cast(Versions, before), cast(Versions, after))
