"""A local conda channel with nearly empty packages."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class CondaPackage(NamedTuple):
    """One package to build."""

    name: str
    version: str
    depends: tuple[str, ...] = ()


def make_channel(directory: Path, packages: Iterable[CondaPackage]) -> None:
    """Write packages and the index that solvers read."""
    place = directory / "linux-64"
    place.mkdir(parents=True)
    (directory / "noarch").mkdir()
    index = {}
    for package in packages:
        archive = place / f"{package.name}-{package.version}-0.tar.bz2"
        about = _write(archive, package)
        content = archive.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        index[archive.name] = {**about, "sha256": digest, "size": len(content)}
    for subdir, found in (("linux-64", index), ("noarch", {})):
        listed = {"info": {"subdir": subdir}, "packages": found, "packages.conda": {}}
        (directory / subdir / "repodata.json").write_text(json.dumps(listed))


def _write(archive: Path, package: CondaPackage) -> dict[str, object]:
    path = f"lib/{package.name}.txt"
    body = f"{package.name} {package.version}\n"
    about: dict[str, object] = {
        "name": package.name, "version": package.version, "build": "0", "build_number": 0,
        "depends": list(package.depends), "subdir": "linux-64",
    }  # fmt: skip
    listed = {
        "_path": path,
        "path_type": "hardlink",
        "sha256": hashlib.sha256(body.encode()).hexdigest(),
        "size_in_bytes": len(body),
    }
    files = {
        "info/index.json": json.dumps(about),
        "info/paths.json": json.dumps({"paths": [listed], "paths_version": 1}),
        "info/files": f"{path}\n",
        path: body,
    }
    with tarfile.open(archive, "w:bz2") as opened:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            opened.addfile(member, io.BytesIO(text.encode()))
    return about
