"""Submodules: the commits of other repositories that the index names."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence
from clew.detectors.repositories.git_indexes import GitIndexes, Index
from clew.detectors.repositories.git_refs import short
from clew.model.fact import Fact

_MAX_NAMED = 20


def submodule_facts(scope: str, git_dir: str, directory: str, evidence: Evidence) -> Iterator[Fact]:
    """Yield submodules that were added, removed or set to another commit."""
    if f"{git_dir}/index" not in evidence.changes:
        return
    indexes = evidence.once(GitIndexes)
    before, after = _commits(indexes.old(git_dir)), _commits(indexes.new(git_dir))
    names = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    for path in names[:_MAX_NAMED]:
        was, now = before.get(path), after.get(path)
        word = "added" if was is None else "removed" if now is None else "updated"
        place = f"{directory}/{path}" if directory else path
        yield Fact(
            "git.submodule", scope, place, short(was), short(now),
            evidence=(f"{git_dir}/index",), marks=(word,),
        )  # fmt: skip


def _commits(index: Index | None) -> dict[str, str]:
    return {path: staged.id for path, staged in (index or {}).items() if staged.is_submodule}
