"""Packages of ecosystems, told by name and version."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from evaluation.fresh.shop import shop
from evaluation.place import Place
from evaluation.second.tools import commit, python_with
from evaluation.variant import Claims, variant

_GROUP = "packages"
_IN = "installed|added|new|+"
_OUT = "uninstalled|removed|deleted|−|gone"


@variant(_GROUP, "pip: a package that pulls others, one upgraded and one removed")
def pip_mixed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run(f"{sys.executable} -m venv .venv && .venv/bin/pip install -q idna==3.6 six==1.16.0")
    yield
    place.run(".venv/bin/pip install -q idna==3.7 jinja2==3.1.4 && .venv/bin/pip uninstall -qy six")
    claims.say("idna", "3.6", "3.7")
    claims.say("jinja2|Jinja2", "3.1.4|installed", _IN)
    claims.say("six", _OUT)
    claims.lead("jinja2|idna|six")


@variant(_GROUP, "npm: a global package", machine=False)
def npm_global(place: Place, claims: Claims) -> Iterator[None]:
    place.write("prefix/README", "programs of npm\n")
    yield
    place.run("npm install -q -g --prefix prefix left-pad@1.3.0")
    claims.say("left-pad", "1.3.0|installed", _IN)
    claims.lead("left-pad")


@variant(_GROUP, "npm: workspaces, a dependency of one of them raised")
def npm_workspaces(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write(
        "package.json", '{\n  "name": "shop",\n  "private": true,\n  "workspaces": ["apps/*"]\n}\n'
    )
    place.write(
        "apps/web/package.json",
        '{\n  "name": "web",\n  "version": "1.0.0",\n  "dependencies": {\n    "is-odd": "3.0.0"\n  }\n}\n',
    )
    place.run("npm install -q")
    commit(place, "npm")
    yield
    place.run("npm install -q --save-exact -w web is-odd@3.0.1")
    claims.say("is-odd", "3.0.0", "3.0.1")
    claims.lead("is-odd")


@variant(_GROUP, "uv: sync removes what the project no longer needs")
def uv_sync(place: Place, claims: Claims) -> Iterator[None]:
    python_with(place, "uv")
    uv = f"{place.around}/tools/bin/uv"
    place.write(
        "pyproject.toml",
        '[project]\nname = "shop"\nversion = "1.0.0"\nrequires-python = ">=3.9"\ndependencies = ["idna==3.7", "six==1.17.0"]\n',
    )
    place.run(f"{uv} sync -q --python {sys.executable}")
    yield
    place.run(f"{uv} remove -q six")
    claims.say("six", _OUT)
    claims.lead("six")
    claims.deny("idna removed", "uninstalled idna")


@variant(_GROUP, "apt: a package purged with its settings", machine=True)
def purged(place: Place, claims: Claims) -> Iterator[None]:
    place.run("apt-get install -qq -y --no-install-recommends tree=2.1.0-1 >/dev/null")
    yield
    place.run("apt-get purge -qq -y tree >/dev/null")
    claims.say("tree", _OUT + "|purged")
    claims.lead("tree")


@variant(
    _GROUP, "cargo: a dependency added with its lock", stands_in="the files that cargo add writes"
)
def cargo_add(place: Place, claims: Claims) -> Iterator[None]:
    manifest = '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n'
    lock = 'version = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\n'
    shop(place)
    place.write("app/Cargo.toml", manifest)
    place.write("app/Cargo.lock", lock)
    commit(place, "rust")
    yield
    place.write("app/Cargo.toml", manifest + 'itoa = "1.0.11"\n')
    place.write(
        "app/Cargo.lock",
        lock
        + (
            'dependencies = [\n "itoa",\n]\n\n[[package]]\nname = "itoa"\nversion = "1.0.11"\n'
            'source = "registry+https://github.com/rust-lang/crates.io-index"\n'
            f'checksum = "{"4" * 64}"\n'
        ),
    )
    claims.say("itoa", f"1.0.11|{_IN}")
    claims.lead("itoa")
