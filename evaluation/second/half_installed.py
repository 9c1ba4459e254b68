"""Installations that were interrupted, taken apart or moved."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from evaluation.fresh.interrupted import files_below, kill_when, require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit, python_with
from evaluation.second.verbs import UNFINISHED
from evaluation.variant import Claims, variant

_GROUP = "half finished"
_GONE = f"{UNFINISHED}|deleted|removed|gone|lost"


def _environment(place: Place, packages: str) -> Path:
    shop(place)
    place.run(f"{sys.executable} -m venv .venv && .venv/bin/pip install -q {packages}")
    return next((place.root / ".venv/lib").glob("python3.*/site-packages"))


def _npm(place: Place, packages: str) -> None:
    shop(place)
    place.write("package.json", '{\n  "name": "shop",\n  "version": "1.4.0"\n}\n')
    place.run(f"npm install -q --save-exact {packages}")
    commit(place, "packages")


@variant(_GROUP, "the files of a Python package deleted, its metadata kept")
def files_deleted(place: Place, claims: Claims) -> Iterator[None]:
    packages = _environment(place, "idna==3.7 six==1.17.0")
    yield
    place.run(f"rm -r {packages}/idna")
    require("idna" in place.run(".venv/bin/pip list --format freeze"), "pip still lists it")
    work_goes_on(place)
    claims.warn("idna", _GONE)
    claims.lead("idna", _GONE)
    claims.deny("six")


@variant(_GROUP, "a package deleted by hand from node_modules")
def module_deleted(place: Place, claims: Claims) -> Iterator[None]:
    _npm(place, "is-odd@3.0.1")
    yield
    place.run("rm -r node_modules/is-number")
    listed = place.run("npm ls --all 2>&1", check=False)
    require("missing" in listed, f"npm misses it: {listed}")
    claims.warn("is-number", _GONE)
    claims.lead("is-number|node_modules", _GONE)


@variant(_GROUP, "npm killed while it replaces a package by a newer one")
def npm_upgrade_killed(place: Place, claims: Claims) -> Iterator[None]:
    _npm(place, "typescript@5.4.5 left-pad@1.3.0")
    yield
    modules = place.root / "node_modules"
    kill_when(
        place,
        lambda: any(modules.glob(".typescript-*")) and files_below(modules / "typescript") > 20,
        *("npm", "install", "-q", "--save-exact", "typescript@5.5.4"),
    )
    require(any(modules.glob(".typescript-*")), "the old one is aside")
    claims.warn("typescript", UNFINISHED)
    claims.lead("typescript|node_modules|npm", UNFINISHED)


@variant(_GROUP, "uv killed while it installs numpy")
def uv_killed(place: Place, claims: Claims) -> Iterator[None]:
    python_with(place, "uv")
    uv = f"{place.around}/tools/bin/uv"
    shop(place)
    place.run(
        f"{uv} venv -q --python {sys.executable} .venv && {uv} pip install -q numpy==1.26.4 && {uv} pip uninstall -q numpy"
    )
    packages = next((place.root / ".venv/lib").glob("python3.*/site-packages"))
    yield
    numpy = packages / "numpy"
    kill_when(
        place,
        lambda: files_below(numpy) > 50,
        *(uv, "pip", "install", "-q", "--link-mode", "copy", "--python", ".venv", "numpy==1.26.4"),
    )
    require(not list(packages.glob("numpy-*/RECORD")), "numpy is half installed")
    claims.warn("numpy", UNFINISHED)
    claims.lead("numpy", UNFINISHED)
    claims.deny("installed numpy", "added numpy 1.26.4")


@variant(_GROUP, "a virtual environment moved to another directory")
def environment_moved(place: Place, claims: Claims) -> Iterator[None]:
    _environment(place, "idna==3.7")
    yield
    place.run("mkdir env && mv .venv env/shop && ! env/shop/bin/pip --version 2>/dev/null")
    claims.warn("env/shop|.venv|virtual environment", "moved|broken|path|shebang|interpreter")
    claims.lead("env/shop|.venv|virtual environment")
    claims.deny("uninstalled idna", "removed idna")


@variant(_GROUP, "a Debian package unpacked and never configured", machine=True)
def unpacked(place: Place, claims: Claims) -> Iterator[None]:
    control = (
        "Package: shop-agent\nVersion: 2.0-1\nArchitecture: all\n"
        "Maintainer: A <a@example.org>\nDescription: agent of the shop\n"
    )
    place.write("tmp/build/DEBIAN/control", control)
    place.write("tmp/build/usr/bin/shop-agent", "#!/bin/sh\necho agent\n", 0o755)
    place.run("dpkg-deb --root-owner-group -Znone -b /tmp/build /tmp/a.deb && rm -r /tmp/build")
    yield
    place.run("dpkg --unpack /tmp/a.deb")
    status = place.run("dpkg-query -W -f '${db:Status-Status}' shop-agent")
    require(status == "unpacked", status)
    claims.warn("shop-agent", f"unpacked|configur|{UNFINISHED}")
    claims.lead("shop-agent", f"unpacked|configur|{UNFINISHED}")


@variant(_GROUP, "the interpreter of a virtual environment is gone")
def interpreter_gone(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.run(f"mkdir -p python/bin && ln -s {sys.executable} python/bin/python3")
    place.run(
        "python/bin/python3 -m venv --without-pip .venv && ln -sfn $PWD/python/bin/python3 .venv/bin/python3"
    )
    yield
    place.run("rm -r python && ! .venv/bin/python3 -V 2>/dev/null")
    claims.warn(".venv", f"interpreter|python|dangling|nowhere|{_GONE}")
    claims.lead(".venv|python")


@variant(_GROUP, "the project installed into its environment for development", benign=True)
def editable(place: Place, claims: Claims) -> Iterator[None]:
    _environment(place, "setuptools==75.0.0 wheel")
    place.run("sed -i 's/^dependencies = .*/dependencies = []/' pyproject.toml")
    place.run("printf '\\n[tool.setuptools]\\npackages = [\"shop\"]\\n' >> pyproject.toml")
    commit(place, "packages")
    yield
    place.run(".venv/bin/pip install -q --no-build-isolation -e .")
    claims.say("shop", "1.4.0|installed|added|+|editable")
    claims.lead("shop")
    claims.deny("half", "incomplete", "broken", "missing")


@variant(_GROUP, "an optional dependency of npm that this system does not need", benign=True)
def optional(place: Place, claims: Claims) -> Iterator[None]:
    _npm(place, "left-pad@1.3.0")
    yield
    place.run("npm install -q --save-exact chokidar@3.6.0")
    require(not (place.root / "node_modules/fsevents").exists(), "fsevents is not installed")
    claims.say("chokidar", "3.6.0", "added|installed|new|+")
    claims.lead("chokidar")
    claims.deny("half", "incomplete", "missing", "broken", "interrupted")
