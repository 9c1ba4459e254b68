"""Sparse checkout: files that git leaves out of the working tree, and has in its index.

They are not deleted: `git sparse-checkout disable` writes them again.
With a sparse index, one entry such as `docs/` stands for a directory that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, Finding, Tree
from clew.detectors.repositories.git_config import parse_config, value_of
from clew.detectors.repositories.git_indexes import GitIndexes, Index
from clew.model.amount import counted
from clew.model.fact import Fact

_MAX_NAMED = 5
_SETTINGS_LIMIT = 1 << 20


def sparse_findings(evidence: Evidence, own: str, common: str, directory: str) -> Iterator[Finding]:
    """Yield the files that a sparse checkout removed from the working tree, or wrote again."""
    indexes = evidence.once(GitIndexes)
    old, new = (_LeftOut(index) for index in (indexes.old(own), indexes.new(own)))
    trees = evidence.old, evidence.new
    if not (old or new) or not any(_is_sparse(tree, own, common) for tree in trees):
        return
    gone: dict[str, list[str]] = {}
    back: dict[str, list[str]] = {}
    prefix = f"{directory}/" if directory else ""
    for path, change in evidence.changes.items():
        if change.is_directory or not path.startswith(prefix):
            continue
        inside = path[len(prefix) :]
        was, now = inside in old, inside in new
        if change.new is None and now and not was:
            gone.setdefault(_top(inside), []).append(path)
        elif change.old is None and was and not now:
            back.setdefault(_top(inside), []).append(path)
    for groups, word in ((gone, "left out"), (back, "checked out again")):
        facts = tuple(_facts(f"git:{directory or '.'}", prefix, groups, word))
        if facts:
            yield Finding(facts, [path for paths in groups.values() for path in paths])


class _LeftOut:
    """Paths that an index leaves out of the working tree."""

    def __init__(self, index: Index | None) -> None:
        names = [path for path, staged in (index or {}).items() if staged.is_left_out]
        self._paths = frozenset(names)
        self._directories = tuple(name for name in names if name.endswith("/"))

    def __bool__(self) -> bool:
        return bool(self._paths)

    def __contains__(self, path: str) -> bool:
        return path in self._paths or path.startswith(self._directories)


def _is_sparse(tree: Tree, own: str, common: str) -> bool:
    for path in (f"{own}/config.worktree", f"{common}/config"):
        config = parse_config(tree.read(path, _SETTINGS_LIMIT))
        if value_of(config, "core", "sparsecheckout").lower() in ("true", "yes", "on", "1"):
            return True
    return False


def _facts(scope: str, prefix: str, groups: dict[str, list[str]], word: str) -> Iterator[Fact]:
    """Yield one fact for each directory, or one for all if there are many."""
    if len(groups) > _MAX_NAMED:
        groups = {"": [path for paths in groups.values() for path in paths]}
    for top, paths in sorted(groups.items()):
        yield Fact(
            "git.sparse", scope, f"{prefix}{top}".rstrip("/") or ".",
            evidence=tuple(paths[:3]), marks=(word, counted(len(paths), "file")),
        )  # fmt: skip


def _top(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""
