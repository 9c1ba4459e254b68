"""Installed Python packages as trees: real ones from `testdata/python`, and synthetic ones.

A real package has its `*.dist-info` as pip or uv wrote it; its files are generated from RECORD,
with the right sizes.
"""

from __future__ import annotations

import csv
import posixpath
from pathlib import Path

from tests.kit.moments import Thing, directory, link

DATA = Path(__file__).parent / "testdata" / "python"

Tree = dict[str, bytes | Thing]


def real(info: str, site: str) -> Tree:
    """Return a package that was really installed, with all its files."""
    found: Tree = {
        f"{site}/{info}/{path.name}": path.read_bytes() for path in (DATA / info).iterdir()
    }
    rows = csv.reader((DATA / info / "RECORD").read_text().splitlines())
    for name, _, size in rows:
        path = posixpath.normpath(f"{site}/{name}")
        found.setdefault(path, b"x" * int(size or 1))
    return found


def made(
    name: str,
    version: str,
    site: str,
    *,
    installer: str = "pip",
    requested: bool = True,
    files: tuple[str, ...] = (),
    more: dict[str, bytes] | None = None,
) -> Tree:
    """Return a synthetic package."""
    info = f"{site}/{name}-{version}.dist-info"
    listed = [*files, f"{name}-{version}.dist-info/RECORD"]
    found: Tree = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/INSTALLER": installer.encode(),
        f"{info}/RECORD": "".join(f"{path},,\n" for path in listed).encode(),
    }
    if requested:
        found[f"{info}/REQUESTED"] = b""
    found |= {f"{info}/{path}": content for path, content in (more or {}).items()}
    found |= {posixpath.normpath(f"{site}/{path}"): b"x = 1\n" for path in files}
    return found


def venv(root: str) -> Tree:
    """Return the files of an empty environment, as `python -m venv` creates it."""
    return {
        f"{root}/pyvenv.cfg": (DATA / "pyvenv.cfg").read_bytes(),
        f"{root}/bin/activate": b"# activate",
        f"{root}/bin/activate.csh": b"# activate",
        f"{root}/bin/activate.fish": b"# activate",
        f"{root}/bin/Activate.ps1": b"# activate",
        f"{root}/bin/python": link("python3"),
        f"{root}/bin/python3": link("/usr/bin/python3"),
        f"{root}/bin/python3.11": link("python3"),
        f"{root}/include/python3.11": directory(),
        f"{root}/lib64": link("lib"),
    }
