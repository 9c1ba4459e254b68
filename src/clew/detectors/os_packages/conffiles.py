"""Configuration files that packages ship and users may edit.

dpkg stores the MD5 of each as shipped, which shows whether it was edited; `ucf` keeps its own
registry of files that scripts install.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from clew.detectors.detector import Evidence, Tree
from clew.detectors.os_packages.dpkg_status import STATUS
from clew.model.named_tuple import NamedTuple

UCF_HASHES = "var/lib/ucf/hashfile"
UCF_REGISTRY = "var/lib/ucf/registry"

_BLOCK = re.compile(rb"^Conffiles:[^\n]*\n((?: [^\n]*(?:\n|\Z))*+)", re.M)
_LINE = re.compile(rb"^ /([^\n]+) ([0-9a-f]{32})(?: obsolete| remove-on-upgrade)*$", re.M)
_PACKAGE = re.compile(rb"^Package:[ \t]*+([^\n]*)$", re.M)
_LIMIT = 4 << 20


class Conffile(NamedTuple):
    """The record of dpkg or ucf about one configuration file."""

    package: str
    md5: str
    """The MD5 as shipped."""


def conffile(evidence: Evidence, path: str) -> Conffile | None:
    """Return the record of a path in the new tree, or else in the old one."""
    if not path.startswith("etc/"):
        return None
    return evidence.once(_now).get(path) or evidence.once(_before).get(path)


def is_edited(evidence: Evidence, path: str) -> bool:
    """Return whether a path is a configuration file that differs from the shipped one."""
    known = evidence.once(_now).get(path) if path.startswith("etc/") else None
    if known is None:
        return False
    content = evidence.new.read(path, _LIMIT)
    if content is None:
        return False
    return hashlib.md5(content, usedforsecurity=False).hexdigest() != known.md5


def _now(evidence: Evidence) -> Mapping[str, Conffile]:
    return _conffiles(evidence.new)


def _before(evidence: Evidence) -> Mapping[str, Conffile]:
    return _conffiles(evidence.old)


def _conffiles(tree: Tree) -> dict[str, Conffile]:
    found = _from_ucf(tree)
    for stanza in (tree.read(STATUS) or b"").split(b"\n\n"):
        block = _BLOCK.search(stanza)
        name = _PACKAGE.search(stanza)
        if block and name:
            for path, md5 in _LINE.findall(block[1]):
                found[_text(path)] = Conffile(_text(name[1].strip()), md5.decode())
    return found


def _from_ucf(tree: Tree) -> dict[str, Conffile]:
    """Return ucf's registry: a line `package path`, and in another file `md5 path`."""
    packages = {}
    for line in _text(tree.read(UCF_REGISTRY, _LIMIT) or b"").split("\n"):
        package, _, path = line.partition(" ")
        packages[path.strip().lstrip("/")] = package
    found = {}
    for line in _text(tree.read(UCF_HASHES, _LIMIT) or b"").split("\n"):
        md5, _, path = line.partition(" ")
        path = path.strip().lstrip("/")
        if path in packages and len(md5) == 32:
            found[path] = Conffile(packages[path], md5)
    return found


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
