"""Modules that a package imports from itself and does not have, as after half an installation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from clew.detectors.detector import TooLarge, Tree

_MAX_MODULES = 30
_MAX_BYTES = 1 << 20
_FILE_LIMIT = 256 << 10


def missing_module(tree: Tree, package: str) -> str | None:
    """Return one module that the package in a directory imports and lacks, or None.

    Only imports outside `try` count: others may be optional.
    """
    left = _MAX_BYTES
    for path in _modules(tree, package):
        try:
            content = tree.read(path, _FILE_LIMIT) or b""
        except TooLarge:
            continue
        left -= len(content)
        if left < 0:
            break
        for wanted in _imported(content, path, package):
            if not _is_there(tree, wanted):
                return wanted[len(package) + 1 :].replace("/", ".")
    return None


def _modules(tree: Tree, package: str) -> Iterator[str]:
    """Yield some modules of a package, those at its top first."""
    waiting = [package]
    left = _MAX_MODULES
    while waiting and left > 0:
        directory = waiting.pop(0)
        for name, entry in sorted(tree.entries(directory).items()):
            if entry.is_directory:
                waiting.append(f"{directory}/{name}")
            elif name.endswith(".py") and left > 0:
                left -= 1
                yield f"{directory}/{name}"


def _imported(content: bytes, path: str, package: str) -> Iterator[str]:
    """Yield the paths, without ending, of the modules of the package that a module imports."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    site, _, name = package.rpartition("/")
    for node in _statements(tree.body):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        above = site
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module]
            above = _directory_above(path, node.level) if node.level else site
        for module in modules:
            wanted = f"{above}/{module.replace('.', '/')}"
            if wanted.startswith(f"{site}/{name}/"):
                yield wanted


def _directory_above(path: str, level: int) -> str:
    for _ in range(level):
        path = path.rpartition("/")[0]
    return path


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that always run, and those of conditions other than type checks."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            waiting += [*node.body, *node.orelse]
        else:
            yield node


def _is_there(tree: Tree, wanted: str) -> bool:
    directory, _, name = wanted.rpartition("/")
    return any(found == name or found.startswith(f"{name}.") for found in tree.entries(directory))
