"""Installations that were interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from evaluation.fresh.interrupted import files_below, kill_when, require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.variant import Claims, variant

_GROUP = "half finished"
_HALF = "half|incomplete|interrupt|partial|unfinished|not finished|not complete|broken|missing"


def _environment(place: Place, *versions: str) -> Path:
    """Make a virtual environment, download wheels of numpy, and return its site-packages."""
    shop(place)
    place.run(f"{sys.executable} -m venv .venv")
    for version in versions:
        place.run(
            f".venv/bin/pip download -q --no-deps --only-binary :all: -d {place.around}/{version}"
            f" numpy=={version}"
        )
    return next((place.root / ".venv/lib").glob("python3.*/site-packages"))


def _pip_install(place: Place, version: str) -> list[str]:
    wheel = next((place.around / version).glob("*.whl"))
    pip = str(place.root / ".venv/bin/pip")
    return [pip, "install", "-q", "--no-deps", "--no-index", str(wheel)]


@variant(_GROUP, "pip install killed while it installs numpy")
def pip_killed(place: Place, claims: Claims) -> Iterator[None]:
    packages = _environment(place, "1.26.4")
    yield
    numpy = packages / "numpy"
    kill_when(place, lambda: files_below(numpy) > 100, *_pip_install(place, "1.26.4"))
    require(not list(packages.glob("numpy-*/RECORD")), "numpy is half installed")
    work_goes_on(place)
    claims.warn("numpy", _HALF)
    claims.lead("numpy", _HALF)
    claims.deny("build output", "installed numpy", "added numpy 1.26.4")


@variant(_GROUP, "pip upgrade killed after the old version was moved away")
def pip_upgrade_killed(place: Place, claims: Claims) -> Iterator[None]:
    packages = _environment(place, "1.26.3", "1.26.4")
    place.run(" ".join(_pip_install(place, "1.26.3")))
    yield
    numpy, aside = packages / "numpy", packages / "~umpy"
    kill_when(
        place,
        lambda: aside.exists() and files_below(numpy) > 50,
        *_pip_install(place, "1.26.4"),
    )
    require(aside.exists(), "the old numpy is still aside")
    require(not list(packages.glob("numpy-*/RECORD")), "the new numpy is half installed")
    claims.warn("numpy", _HALF)
    claims.lead("numpy", _HALF)
    claims.deny("build output")


@variant(_GROUP, "npm ci killed while it unpacks")
def npm_killed(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    place.write("package.json", '{\n  "name": "shop",\n  "version": "1.4.0"\n}\n')
    place.run("npm install -q --package-lock-only typescript@5.4.5 lodash@4.17.21 date-fns@3.6.0")
    place.run("git add -A && git commit -qm packages")
    yield
    modules = place.root / "node_modules"
    kill_when(place, lambda: files_below(modules) > 100, "npm", "ci", "-q")
    require(not (modules / ".package-lock.json").exists(), "node_modules is half installed")
    work_goes_on(place)
    claims.warn("node_modules|npm|packages", _HALF)
    claims.lead("node_modules|npm|packages", _HALF)
    claims.deny("build output")


@variant(_GROUP, "a Debian package whose postinst fails", machine=True)
def postinst_fails(place: Place, claims: Claims) -> Iterator[None]:
    _build_package(place, "#!/bin/sh\necho 'no database'\nexit 1\n", files=3)
    yield
    place.run("dpkg -i /tmp/shop-agent.deb", check=False)
    status = place.run("dpkg-query -W -f '${db:Status-Status}' shop-agent")
    require(status == "half-configured", status)
    claims.warn("shop-agent", "configur")
    claims.lead("shop-agent", "configur|half|fail")


@variant(_GROUP, "dpkg killed while it unpacks a package", machine=True)
def dpkg_killed(place: Place, claims: Claims) -> Iterator[None]:
    _build_package(place, "#!/bin/sh\nexit 0\n", files=6000)
    yield
    kill_when(
        place,
        lambda: files_below(place.root / "opt/shop") > 300,
        *("chroot", str(place.root), "dpkg", "-i", "/tmp/shop-agent.deb"),
    )
    status = place.run("dpkg-query -W -f '${db:Status-Status}' shop-agent")
    require(status in ("half-installed", "unpacked", "not-installed"), status)
    claims.warn("shop-agent", f"{_HALF}|not installed|unpack")
    claims.lead("shop-agent", f"{_HALF}|not installed|unpack")


def _build_package(place: Place, postinst: str, files: int) -> None:
    control = (
        "Package: shop-agent\nVersion: 2.0-1\nArchitecture: all\n"
        "Maintainer: A <a@example.org>\nDescription: agent of the shop\n"
    )
    place.write("tmp/build/DEBIAN/control", control)
    place.write("tmp/build/DEBIAN/postinst", postinst, 0o755)
    for number in range(files):
        place.write(f"tmp/build/opt/shop/part_{number}.txt", f"part {number}\n" * 40)
    place.run("dpkg-deb --root-owner-group -Znone -b /tmp/build /tmp/shop-agent.deb")
    place.run("rm -r /tmp/build")


@variant(_GROUP, "a virtual environment upgraded in place to another Python")
def python_upgraded(place: Place, claims: Claims) -> Iterator[None]:
    older, newer = _two_pythons()
    _environment_of(place, older)
    yield
    place.run(f"{newer} -m venv --upgrade .venv")
    claims.warn("Python|venv|pyvenv.cfg", _version(older), _version(newer))
    claims.lead("Python|venv", _version(newer))


@variant(_GROUP, "a virtual environment made again with another Python, without its packages")
def python_replaced(place: Place, claims: Claims) -> Iterator[None]:
    older, newer = _two_pythons()
    _environment_of(place, older)
    yield
    place.run(f"{newer} -m venv --clear .venv")
    claims.say("Python|venv|pyvenv.cfg", _version(older), _version(newer))
    claims.say("idna", "removed|uninstalled|gone|missing|deleted|not installed|-idna|−idna")
    claims.lead("Python|venv", _version(newer))


def _environment_of(place: Place, python: str) -> None:
    shop(place)
    place.run(f"{python} -m venv .venv && .venv/bin/pip install -q six==1.17.0 idna==3.7")


def _two_pythons() -> tuple[str, str]:
    """Return an older and a newer interpreter of those that pyenv installed."""
    found = {
        _version(str(python)): str(python)
        for python in sorted((Path.home() / ".pyenv/versions").glob("3.1[0-9].*/bin/python3"))
    }
    require("3.11" in found and "3.12" in found, "pyenv has Python 3.11 and 3.12")
    return found["3.11"], found["3.12"]


def _version(python: str) -> str:
    """Return `3.11` of a path such as `versions/3.11.7/bin/python3`."""
    major, minor, _ = Path(python).parents[1].name.split(".")
    return f"{major}.{minor}"
