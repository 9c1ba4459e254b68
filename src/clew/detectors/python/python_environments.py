"""Python environments: the environment that a `site-packages` belongs to, and its parts.

web/.venv/lib/python3.11/site-packages             web/.venv, by its pyvenv.cfg
home/u/.local/lib/python3.11/site-packages         home/u/.local
usr/local/lib/python3.11/dist-packages             usr/local
opt/conda/envs/ml/lib/python3.12/site-packages     opt/conda/envs/ml
lambda/package                                     lambda/package, from `pip install --target`
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from clew.detectors.detector import Evidence, Tree
from clew.model.named_tuple import NamedTuple

SITES = ("site-packages", "dist-packages")
"""Names of directories that Python packages are installed into."""

MARKER = "pyvenv.cfg"
PROGRAMS = ("python", "python3", "python.exe")
"""Names of the interpreter in `bin` or `Scripts`."""

_VERSION = re.compile(rb"^version(?:_info)?[ \t]*=[ \t]*(\d{1,3})\.(\d{1,3})\b", re.M | re.I)
_LEVELS = 4
"""How many levels above `site-packages` a `pyvenv.cfg` is looked for."""
_PREFIX = re.compile(r"(?:^|/)lib(?:32|64)?(?:/(?:python|pypy)[^/]{0,40})?$", re.IGNORECASE)
_SKELETON = re.compile(
    r"|pyvenv\.cfg|lib64|lib|bin|include|share|src|\.gitignore|\.lock|\.project|CACHEDIR\.TAG"
    r"|(?:include|lib)/(?:python|pypy)[0-9.]{1,10}t?(?:/site-packages)?"
    r"|include/site(?:/(?:python|pypy)[0-9.]{1,10}t?)?"
    r"|bin/(?:de)?activate(?:\.[a-z]{1,6}\d?|_this\.py)?|bin/Activate\.ps1|bin/pydoc(?:\.bat)?"
    r"|bin/(?:python|pypy|𝜋thon)[0-9.]{0,10}t?"
    r"|lib/(?:python|pypy)[0-9.]{1,10}t?/site-packages/_virtualenv\.(?:py|pth)"
    r"|lib/(?:python|pypy)[0-9.]{1,10}t?/site-packages/__pycache__"
    r"(?:/_virtualenv\.[a-z0-9.-]{1,40}\.pyc)?"
)
_PARTS = frozenset((
    "bin", "lib", "lib32", "lib64", "include", "share", "man", "Scripts", "Lib", "Include",
))  # fmt: skip
"""Directories below the root of an environment that installers write to."""


class PythonEnvironment(NamedTuple):
    """A directory that Python packages are installed into."""

    root: str
    """Its directory, empty for the root of the tree."""
    was_there: bool = True
    is_there: bool = True
    is_virtual: bool = False
    """Whether it has a `pyvenv.cfg`, so that everything below the root belongs to it."""
    is_remade: bool = False
    """Whether that file changed."""
    is_target: bool = False
    """Whether packages are directly in it, as `pip install --target` puts them."""

    @property
    def is_new(self) -> bool:
        return self.is_there and not self.was_there

    @property
    def is_removed(self) -> bool:
        return self.was_there and not self.is_there

    @property
    def place(self) -> str:
        """Its name in a scope."""
        return self.root or "."

    def can_hold(self, path: str) -> bool:
        """Return whether an installer may have written a path.

        Arbitrary files can be below a directory that looks like an environment, or next to one.
        """
        if self.root and not path.startswith(self.root + "/"):
            return False
        first = path[len(self.root) :].lstrip("/").partition("/")[0]
        if self.is_target:
            return not first.startswith(".")
        return first in _PARTS or (self.is_virtual and first == "etc")


def site_of(path: str) -> str | None:
    """Return the `site-packages` that contains a path."""
    parts = path.split("/")
    for number, part in enumerate(parts[:-1]):
        if part in SITES:
            return "/".join(parts[: number + 1])
    return None


def environment_of(evidence: Evidence, site: str) -> PythonEnvironment:
    """Return the environment that a `site-packages` belongs to."""
    directory = site
    for _ in range(_LEVELS):
        if not directory:
            break
        directory = directory.rpartition("/")[0]
        if _has(evidence.new, directory) or _has(evidence.old, directory):
            return virtual_environment(evidence, directory)
    above = site.rpartition("/")[0]
    root = _PREFIX.sub("", above)
    was, now = evidence.old.entry(root), evidence.new.entry(root)
    return PythonEnvironment(root, was is not None, now is not None)


def target_directory(evidence: Evidence, site: str) -> PythonEnvironment:
    """Return the environment of packages that are directly in a directory."""
    was, now = evidence.old.entry(site), evidence.new.entry(site)
    return PythonEnvironment(site, was is not None, now is not None, is_target=True)


def virtual_environment(evidence: Evidence, root: str) -> PythonEnvironment:
    """Return the environment that a `pyvenv.cfg` marks."""
    marker = join(root, MARKER)
    change = evidence.changes.get(marker)
    return PythonEnvironment(
        root,
        _has(evidence.old, root),
        _has(evidence.new, root),
        is_virtual=True,
        is_remade=change is not None and change.is_content,
    )


def environment_paths(
    evidence: Evidence, environments: Iterable[PythonEnvironment]
) -> dict[str, list[str]]:
    """Return, by root, the changed paths that belong to a virtual environment itself.

    For a new one, its own files; for a deleted one, files that installers wrote as well.
    Nothing else, because people keep their own work in such directories.
    """
    chosen = {env.root: env for env in environments if env.is_virtual and env.is_remade}
    found: dict[str, list[str]] = {root: [] for root in chosen}
    for path, root in paths_below(evidence, chosen):
        inside = path[len(root) :].lstrip("/")
        is_lost = evidence.changes[path].is_deleted and chosen[root].is_removed
        if (is_lost and chosen[root].can_hold(path)) or _SKELETON.fullmatch(inside):
            found[root].append(path)
    return found


def paths_below(evidence: Evidence, roots: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each changed path at or below one of `roots`, with the nearest root."""
    if not roots:
        return
    known: dict[str, str | None] = {"": "" if "" in roots else None}
    for path in evidence.changes:
        parent = path.rpartition("/")[0]
        root = path if path in roots else known.get(parent)
        if root is None and parent not in known:
            root = _root_above(parent, roots, known)
        if root is not None:
            yield path, root


def join(directory: str, name: str) -> str:
    """Return the path of a name in a directory; the empty directory is the root."""
    return f"{directory}/{name}" if directory else name


def python_version(tree: Tree, root: str) -> str | None:
    """Return the version of Python that a `pyvenv.cfg` names: `3.11`; None if there is none."""
    content = tree.read(join(root, MARKER), 1 << 16)
    found = _VERSION.search(content or b"")
    return f"{int(found[1])}.{int(found[2])}" if found else None


def _has(tree: Tree, root: str) -> bool:
    return tree.entry(join(root, MARKER)) is not None


def _root_above(path: str, roots: Collection[str], known: dict[str, str | None]) -> str | None:
    """Return the nearest root at or above a directory, and cache those on the way."""
    missing: list[str] = []
    while path not in known:
        missing.append(path)
        path = path.rpartition("/")[0]
    for below in reversed(missing):
        known[below] = below if below in roots else known[path]
        path = below
    return known[path]
