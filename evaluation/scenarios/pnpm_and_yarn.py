"""Packages of Node: pnpm, yarn and bun."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.place import Place
from evaluation.projects import repository
from evaluation.scenario import scenario
from evaluation.truths.node import BunList, PnpmLs, YarnInfo, YarnList

_FILES = {
    "package.json": '{\n  "name": "web",\n  "version": "1.0.0",\n  "private": true\n}\n',
    "src/index.js": "export const answer = 42;\n",
    ".gitignore": "node_modules/\n.yarn/\n.pnp.*\n",
}
_PNPM = "../pnpm/node_modules/.bin/pnpm"
_YARN = "../yarn/node_modules/.bin/yarn"
_BERRY = "../@yarnpkg/cli-dist/node_modules/.bin/yarn"
_BUN = "../bun/node_modules/.bin/bun"
"""Installed beside the project, outside the workspace."""


def _with(place: Place, tool: str, version: str) -> None:
    repository(place, _FILES)
    place.run(f"mkdir -p ../{tool} && npm install -s --prefix ../{tool} {tool}@{version}")


@scenario(15, "pnpm add express", PnpmLs(_PNPM), benign=True, headline=("express", "pnpm"))
def pnpm_add(place: Place) -> Iterator[None]:
    _with(place, "pnpm", "9.15.4")
    yield
    place.run(f"{_PNPM} add -s express@4.19.2")


@scenario(
    15,
    "pnpm: one upgraded, one removed",
    PnpmLs(_PNPM),
    benign=True,
    headline=("express 4.18.2 → 4.19.2", "is-odd"),
)
def pnpm_upgrade(place: Place) -> Iterator[None]:
    _with(place, "pnpm", "9.15.4")
    place.run(f"{_PNPM} add -s express@4.18.2 is-odd@3.0.1")
    yield
    place.run(f"{_PNPM} add -s express@4.19.2 && {_PNPM} remove -s is-odd")


@scenario(
    15,
    "pnpm workspace: a member gets a dependency",
    PnpmLs(_PNPM),
    benign=True,
    headline=("ms", "pnpm"),
)
def pnpm_workspace(place: Place) -> Iterator[None]:
    _with(place, "pnpm", "9.15.4")
    place.write("pnpm-workspace.yaml", "packages:\n  - packages/*\n")
    for name in ("one", "two"):
        place.write(f"packages/{name}/package.json", f'{{"name": "{name}", "version": "1.0.0"}}\n')
    place.run(f"{_PNPM} install -s && git add -A && git commit -q -m members")
    yield
    place.run(f"{_PNPM} --filter two add -s ms@2.1.3")


@scenario(15, "yarn add express", YarnList(_YARN), benign=True, headline=("express", "yarn"))
def yarn_add(place: Place) -> Iterator[None]:
    _with(place, "yarn", "1.22.22")
    yield
    place.run(f"{_YARN} add --silent express@4.19.2")


@scenario(
    15,
    "yarn: one upgraded, one removed",
    YarnList(_YARN),
    benign=True,
    headline=("express 4.18.2 → 4.19.2", "is-odd"),
)
def yarn_upgrade(place: Place) -> Iterator[None]:
    _with(place, "yarn", "1.22.22")
    place.run(f"{_YARN} add --silent express@4.18.2 is-odd@3.0.1")
    yield
    place.run(f"{_YARN} add --silent express@4.19.2 && {_YARN} remove --silent is-odd")


@scenario(
    15,
    "yarn 4 add express, without node_modules",
    YarnInfo(_BERRY),
    benign=True,
    headline=("express", "yarn"),
)
def berry_add(place: Place) -> Iterator[None]:
    _with(place, "@yarnpkg/cli-dist", "4.5.0")
    yield
    place.run(f"{_BERRY} add express@4.19.2")


@scenario(
    15,
    "yarn 4: one upgraded, one removed, in node_modules",
    YarnInfo(_BERRY),
    benign=True,
    headline=("ms 2.1.2 → 2.1.3", "is-odd"),
)
def berry_upgrade(place: Place) -> Iterator[None]:
    _with(place, "@yarnpkg/cli-dist", "4.5.0")
    place.write(".yarnrc.yml", "nodeLinker: node-modules\n")
    place.run(f"{_BERRY} add ms@2.1.2 is-odd@3.0.1")
    yield
    place.run(f"{_BERRY} add ms@2.1.3 && {_BERRY} remove is-odd")


@scenario(15, "bun add express", BunList(_BUN), benign=True, headline=("express", "bun"))
def bun_add(place: Place) -> Iterator[None]:
    _with(place, "bun", "1.2.0")
    yield
    place.run(f"{_BUN} add --silent express@4.19.2")
