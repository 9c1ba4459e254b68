"""Tests replace no name of clew: what CONTRIBUTING lists is all that is patched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
CONTRIBUTING = TESTS.parent / "CONTRIBUTING.md"


def patched_names(source: str) -> Iterator[str]:
    """Yield the full name of everything that a module replaces with `setattr`; `?` if unknown."""
    tree = ast.parse(source)
    imported = dict(_imported(tree))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _is_setattr(call.func) and call.args:
            yield ".".join(_target(call.args, imported))


def _is_setattr(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "setattr"


def _target(arguments: list[ast.expr], imported: dict[str, str]) -> Iterator[str]:
    owner = arguments[0]
    if isinstance(owner, ast.Constant):  # "clew.module.name"
        yield str(owner.value)
        return
    yield imported.get(ast.unparse(owner), "?")
    attribute = arguments[1] if len(arguments) > 1 else None
    yield str(attribute.value) if isinstance(attribute, ast.Constant) else "*"


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.asname or one.name, one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


def test_nothing_is_patched_but_what_contributing_lists() -> None:
    found = {
        name
        for path in TESTS.rglob("*.py")
        if path != Path(__file__)
        for name in patched_names(path.read_text())
    }
    section = CONTRIBUTING.read_text().partition("### Patches")[2].partition("\n## ")[0]
    listed = set(re.findall(r"(?m)^\* `([^`]+)`", section))

    assert found == listed


def test_nothing_uses_mocks() -> None:
    using = [
        path.name
        for path in TESTS.rglob("*.py")
        if re.search(
            r"(?m)^\s*(from|import) (unittest\.mock|unittest import mock)", path.read_text()
        )
    ]

    assert using == []


def test_a_patch_is_recognised_however_it_is_written() -> None:
    source = """
from clew.store import gc as collecting
from clew.worktree.switch import Switch
import os
monkeypatch.setattr(collecting, "BATCH", 1)
patched.setattr(Switch, "run", fail)
patch.setattr("clew.places.MACHINE", 1)
monkeypatch.setattr(os, name, fail)
monkeypatch.setattr(*where, fail)
"""

    assert list(patched_names(source)) == [
        "clew.store.gc.BATCH", "clew.worktree.switch.Switch.run", "clew.places.MACHINE", "os.*", "?.*",
    ]  # fmt: skip
