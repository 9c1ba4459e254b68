"""Tools from PyPI and npm, installed beside the root, where clew does not look."""

from __future__ import annotations

import sys

from evaluation.place import Place


def python_with(place: Place, packages: str) -> str:
    """Install packages of PyPI, and return a command that starts a Python which has them."""
    target = place.around / "tools"
    place.run(f"{sys.executable} -m pip install -q --target {target} {packages}")
    return f"PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={target} {sys.executable}"


def node_tool(place: Place, package: str, name: str = "") -> str:
    """Install a package of npm, and return the path of its program."""
    target = place.around / "node"
    place.run(f"npm install -q --prefix {target} {package}")
    return f"{target}/node_modules/.bin/{name or package.split('@')[0]}"


def count_files(place: Place, directory: str) -> str:
    return place.run(f"find {directory} -type f | wc -l").strip()


def commit(place: Place, message: str) -> None:
    """Commit everything that is not ignored."""
    place.run(f"git add -A && git commit -qm '{message}'")
