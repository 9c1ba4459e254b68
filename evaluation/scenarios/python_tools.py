"""Python packages: pipenv, pipx, a home, a machine, and files copied by hand."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.place import Place
from evaluation.projects import repository
from evaluation.scenario import scenario
from evaluation.truth import Pip
from evaluation.truths.python import PipPath, Pipx

_FILES = {"app.py": "import six\n", ".gitignore": ".venv/\n"}
_HOME = "HOME=$PWD PIPX_HOME=$PWD/.local/share/pipx PIPX_BIN_DIR=$PWD/.local/bin"
_PIPX = f"{_HOME} ../pipx/bin/pipx"


@scenario(
    9,
    "pip install --user in a home",
    PipPath(".local/lib/python3*/site-packages", "pip:.local"),
    benign=True,
    headline=("httpx", "pip in .local"),
)
def user(place: Place) -> Iterator[None]:
    place.write(".bashrc", "# a home\n")
    yield
    place.run("PYTHONUSERBASE=$PWD/.local python3 -m pip install -q --user httpx==0.27.2")


@scenario(
    9,
    "pipenv install requests",
    Pip(".venv"),
    expected={
        ("config.added", "Pipfile", "Pipfile", None, None),
        ("config.added", "Pipfile.lock", "Pipfile.lock", None, None),
    },
    benign=True,
    headline=("requests", "new .venv"),
)
def pipenv(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    place.run("python3 -m venv ../pipenv && ../pipenv/bin/pip install -q pipenv")
    yield
    place.run("PIPENV_VENV_IN_PROJECT=1 ../pipenv/bin/pipenv install requests==2.32.3")


@scenario(
    11,
    "pipx install into a home",
    Pipx(_PIPX),
    benign=True,
    headline=("pycowsay", "pipx"),
    ignored=("log.grew",),  # pipx notes what it did in a log that is named after the time
)
def pipx(place: Place) -> Iterator[None]:
    place.write(".bashrc", "# a home\n")
    place.run("python3 -m venv ../pipx && ../pipx/bin/pip install -q pipx")
    # pip's cache is somebody else's, and a proxy of rustup in PATH writes its settings when asked
    place.write(".rustup/settings.toml", 'version = "12"\n')
    yield
    place.run(f"PIP_NO_CACHE_DIR=1 {_PIPX} install -q pycowsay==0.0.0.2")


@scenario(
    9,
    "a module in site-packages edited by hand",
    Pip(".venv"),
    expected={("code.edited", "pip:.venv", ".venv", None, None)},
    benign=True,
    headline=("edited", "six.py"),
)
def edited(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    place.run("python3 -m venv .venv && .venv/bin/pip install -q six==1.16.0")
    yield
    place.run("echo '# debug' | tee -a .venv/lib/python3*/site-packages/six.py")
