"""Python packages: uv and conda."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.conda_channel import CondaPackage, make_channel
from evaluation.place import Place
from evaluation.projects import repository
from evaluation.scenario import scenario
from evaluation.truths.python import Rattler, UvPip, UvTools

_UV = "../uv/bin/uv"
"""Installed beside the project, outside the workspace."""
_PROJECT = {
    "pyproject.toml": (
        '[project]\nname = "shop"\nversion = "0.1.0"\nrequires-python = ">=3.9"\n'
        'dependencies = ["click==8.1.7"]\n[tool.uv]\npackage = false\n'
    ),
    "shop.py": "import click\n",
    ".gitignore": ".venv/\n__pycache__/\n",
}
_MANIFEST = ("config.changed", "pyproject.toml", "pyproject.toml", None, None)
_LOCK = ("config.changed", "uv.lock", "uv.lock", None, None)


def _with_uv(place: Place) -> None:
    repository(place, _PROJECT)
    place.run("python3 -m venv ../uv && ../uv/bin/pip install -q uv")


@scenario(
    11,
    "uv sync of a fresh clone",
    UvPip(".venv", _UV),
    expected={("config.added", "uv.lock", "uv.lock", None, None)},
    benign=True,
    headline=("click", "pip"),
)
def sync(place: Place) -> Iterator[None]:
    _with_uv(place)
    yield
    place.run(f"{_UV} sync -q")


@scenario(
    11,
    "uv add httpx",
    UvPip(".venv", _UV),
    expected={_MANIFEST, _LOCK},
    benign=True,
    headline=("httpx", "pip"),
)
def add(place: Place) -> Iterator[None]:
    _with_uv(place)
    place.run(f"{_UV} sync -q && git add -A && git commit -q -m locked")
    yield
    place.run(f"{_UV} add -q httpx==0.27.2")


@scenario(
    11,
    "uv remove, and a dependency for development added",
    UvPip(".venv", _UV),
    expected={_MANIFEST, _LOCK},
    benign=True,
    headline=("iniconfig", "click"),
)
def remove(place: Place) -> Iterator[None]:
    _with_uv(place)
    place.run(f"{_UV} sync -q && git add -A && git commit -q -m locked")
    yield
    place.run(f"{_UV} remove -q click && {_UV} add -q --dev iniconfig==2.0.0")


@scenario(
    11,
    "uv lock without a sync: declared, not installed",
    UvPip(".venv", _UV),
    expected={
        ("lock.changed", "pyproject.toml", "click", "8.1.7", "8.1.8"),
        ("lock.changed", "uv.lock", "click", "8.1.7", "8.1.8"),
    },
    benign=True,
    headline=("click 8.1.7 → 8.1.8", "uv.lock"),
)
def lock_alone(place: Place) -> Iterator[None]:
    _with_uv(place)
    place.run(f"{_UV} sync -q && git add -A && git commit -q -m locked")
    yield
    manifest = _PROJECT["pyproject.toml"]
    place.write("pyproject.toml", manifest.replace("8.1.7", "8.1.8"))
    place.run(f"{_UV} lock -q")


@scenario(
    11,
    "uv tool install into a home",
    UvTools(_UV),
    # uv keeps what it downloaded
    expected={("generated.changed", "cache", ".cache", None, None)},
    benign=True,
    headline=("pycowsay", "uv-tool"),
)
def tool(place: Place) -> Iterator[None]:
    place.write(".bashrc", "# a home\n")
    place.run("python3 -m venv ../uv && ../uv/bin/pip install -q uv")
    yield
    place.run(f"HOME=$PWD {_UV} tool install -q pycowsay==0.0.0.2")


@scenario(
    11,
    "uv tool upgrade and uninstall in a home",
    UvTools(_UV),
    expected={("generated.changed", "cache", ".cache", None, None)},
    benign=True,
    headline=("cowsay 5.0 → 6.1", "pycowsay"),
)
def tool_upgrade(place: Place) -> Iterator[None]:
    place.write(".bashrc", "# a home\n")
    place.run("python3 -m venv ../uv && ../uv/bin/pip install -q uv")
    place.run(f"HOME=$PWD {_UV} tool install -q cowsay==5.0")
    place.run(f"HOME=$PWD {_UV} tool install -q pycowsay==0.0.0.2")
    yield
    place.run(f"HOME=$PWD {_UV} tool install -q cowsay==6.1")
    place.run(f"HOME=$PWD {_UV} tool uninstall -q pycowsay")


_CONDA = "../rattler/bin/python"
_INSTALL = """
import asyncio, os, pathlib, sys
import rattler

channel = rattler.Channel(pathlib.Path("../channel").resolve().as_uri())
specs = [rattler.MatchSpec(spec) for spec in sys.argv[2:]]


async def main():
    records = await rattler.solve(sources=[channel], specs=specs, platforms=["linux-64", "noarch"])
    await rattler.install(
        records, target_prefix=sys.argv[1], cache_dir=pathlib.Path("../cache").resolve(),
        requested_specs=[spec._match_spec for spec in specs], show_progress=False,
    )

asyncio.run(main())
os._exit(0)  # it sometimes crashes while it takes itself down
"""
_STANDS_IN = "rattler installs real conda packages, made here, from a channel on this disk"


def _with_rattler(place: Place) -> None:
    place.run("python3 -m venv ../rattler && ../rattler/bin/pip install -q py-rattler==0.28.0")
    place.write("../install.py", _INSTALL)
    packages = (
        CondaPackage("zlib", "1.2.13"),
        CondaPackage("numpy", "1.26.4", ("zlib",)),
        CondaPackage("numpy", "2.0.1", ("zlib",)),
        CondaPackage("toml", "0.10.2"),
    )
    make_channel(place.around / "channel", packages)


@scenario(
    12,
    "conda create with numpy",
    Rattler("envs/ml", _CONDA),
    benign=True,
    headline=("numpy", "conda in envs/ml"),
    stands_in=_STANDS_IN,
)
def conda_create(place: Place) -> Iterator[None]:
    _with_rattler(place)
    yield
    place.run(f"{_CONDA} ../install.py envs/ml numpy=1.26.4")


@scenario(
    12,
    "conda: numpy upgraded, toml removed",
    Rattler("envs/ml", _CONDA),
    benign=True,
    headline=("numpy 1.26.4 → 2.0.1", "toml"),
    stands_in=_STANDS_IN,
)
def conda_upgrade(place: Place) -> Iterator[None]:
    _with_rattler(place)
    place.run(f"{_CONDA} ../install.py envs/ml numpy=1.26.4 toml")
    yield
    place.run(f"{_CONDA} ../install.py envs/ml numpy=2.0.1")
