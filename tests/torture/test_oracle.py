"""The oracle sees every difference that a restore must not make, and shares no code with clew."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from torture.oracle import differences, files_with, read_tree

PACKAGE = Path(__file__).parents[2] / "torture"


def _same_size_and_time(root: Path) -> None:
    before = (root / "file").stat()
    (root / "file").write_text("other content")
    os.utime(root / "file", ns=(0, before.st_mtime_ns))
    os.utime(root, ns=(0, 5))


def _split_links(root: Path) -> None:
    content = (root / "b").read_bytes()
    when = (root / "b").stat().st_mtime_ns
    (root / "b").unlink()
    (root / "b").write_bytes(content)
    os.utime(root / "b", ns=(0, when))
    os.utime(root, ns=(0, 5))


def _replace_with_directory(root: Path) -> None:
    (root / "file").unlink()
    (root / "file").mkdir()


def _point_elsewhere(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("elsewhere")


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": _same_size_and_time,
    "mode": lambda root: (root / "file").chmod(0o600),
    "time": lambda root: os.utime(root / "file", ns=(0, 7)),
    "attribute": lambda root: os.setxattr(root / "file", "user.x", b"1"),
    "links": _split_links,
    "kind": _replace_with_directory,
    "target": _point_elsewhere,
    "missing": lambda root: (root / "file").unlink(),
    "added": lambda root: (root / "more").touch(),
    "directory": lambda root: root.chmod(0o700),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "file").write_text("some  content")
    (root / "a").write_text("linked")
    os.link(root / "a", root / "b")
    (root / "link").symlink_to("file")
    root.chmod(0o755)
    os.utime(root, ns=(0, 5))
    return root


def test_a_tree_equals_itself(root: Path) -> None:
    assert differences(read_tree(str(root)), read_tree(str(root))) == []


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(root: Path, change: str) -> None:
    before = read_tree(str(root))
    CHANGES[change](root)

    assert differences(before, read_tree(str(root))) != []


def test_bytes_are_found_in_files(root: Path) -> None:
    assert files_with(str(root), [b"linked"]) == ["a", "b"]


def test_only_the_fork_server_imports_clew() -> None:
    found = {
        path.name
        for path in PACKAGE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in _names(node)
        if name.split(".")[0] in ("clew", "tests")
    }

    assert found == {"server.py"}


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]
