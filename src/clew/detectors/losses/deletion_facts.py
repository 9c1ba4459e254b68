"""Facts about deleted files: a directory, some of its files, one file, a repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.data.data_facts import data_fact
from clew.detectors.files.common_directory import common_directory
from clew.detectors.losses.data_kinds import (
    DATABASE,
    MANY,
    OTHER,
    SECRET,
    STATE,
    VALUABLE,
    are_loss_together,
    count_of,
    is_known,
    is_loss_alone,
)
from clew.detectors.losses.lost_repositories import LostRepository
from clew.detectors.losses.lost_tree import Lost, LostGroup, size_of
from clew.detectors.losses.servers import engine_of_names
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity

NAMED = (SECRET, DATABASE, STATE)
"""Kinds of which each file is named."""
_FEW = 3
_EVIDENCE = 5
_MARKS = 5


def is_loss(lost: Sequence[Lost]) -> bool:
    """Return whether files that nothing can make again are worth a warning."""
    if len(lost) >= MANY:
        return True
    sizes: dict[str, list[int]] = {}
    for change, kind in lost:
        sizes.setdefault(kind, []).append(change.old.size if change.old else 0)
    return are_loss_together(sizes) or any(
        is_loss_alone(kind, size) for kind, found in sizes.items() for size in found
    )


def directory_fact(group: LostGroup, own: LostRepository | None, others: int) -> Fact:
    """Return the fact about a directory that is gone, with what matters inside it."""
    start = len(group.directory) + 1
    engines = {parent[start:]: engine for parent, engine in _engines(group)}
    marks = [repository_mark(own)] if own else []
    marks += [f"{one} data" + (f" in {where}" if where else "") for where, one in engines.items()]
    marks += _matters(group, engines)
    marks += [counted(others, "git repository", "git repositories")] if others else []
    return Fact(
        "loss.deleted", "repository" if own else "directory", group.directory,
        amount(group.total, group.size), severity=Severity.HIGH,
        evidence=tuple(change.path for change, _ in group.lost[:_EVIDENCE]),
        marks=tuple(marks[:_MARKS]),
    )  # fmt: skip


def files_fact(directory: str, lost: Sequence[Lost], total: int, left: int) -> Fact:
    """Return the fact about some files of a directory; `left` are still there."""
    of = f" of {total:,}" if total > len(lost) and not left else ""
    size = size_text(size_of(tuple(lost)))
    return Fact(
        "loss.deleted", "files", directory, f"{len(lost):,}{of} files, {size}",
        f"{left:,}" if left else None, severity=Severity.HIGH,
        evidence=tuple(change.path for change, _ in lost[:_EVIDENCE]), marks=tuple(_kinds(lost)),
    )  # fmt: skip


def file_fact(lost: Lost, keys: Sequence[str] = ()) -> Fact:
    """Return the fact about one file; `keys` are the names of the settings in it."""
    change, _ = lost
    size = size_text(change.old.size) if change.old is not None else None
    return Fact(
        "loss.deleted", "file", change.path, size, severity=Severity.HIGH,
        evidence=(change.path,), marks=tuple(keys),
    )  # fmt: skip


def repository_fact(one: LostRepository, number: int, size: int) -> Fact:
    """Return the fact about a repository, or about the history of one whose files are kept."""
    severity = Severity.NOTE if one.clone_url else Severity.HIGH
    marks = [repository_mark(one)] if one.is_whole else []
    marks += [f"can be cloned again from {one.clone_url}"] if one.clone_url else []
    before = amount(number, size) if one.is_whole else one.content or None
    return Fact(
        "loss.deleted", "repository" if one.is_whole else "history",
        one.directory if one.is_whole else one.git_dir, before, severity=severity,
        evidence=(f"{one.git_dir}/HEAD",), marks=tuple(marks),
    )  # fmt: skip


def kept_fact(group: LostGroup, *, is_open: bool) -> Fact:
    """Return the fact about deleted files that git has; `is_open` until that is committed."""
    paths = [change.path for change, _ in group.lost]
    fact = data_fact(
        "directory" if group.is_whole else "files",
        group.directory or common_directory(paths) or ".",
        amount(len(paths), size_of(group.lost)), None, ("git has them",),
        Severity.NOTE if is_open else Severity.NONE,
    )  # fmt: skip
    return fact._replace(evidence=tuple(paths[:_EVIDENCE]))


def retention_fact(directory: str, names: Sequence[str], paths: Sequence[str]) -> Fact:
    """Return the fact about the oldest of a series, which retention deleted."""
    what = names[0].rpartition("/")[2] if len(names) == 1 else f"{len(names):,} old files"
    fact = data_fact("series", directory or ".", marks=(f"{what} deleted, newer ones kept",))
    return fact._replace(evidence=tuple(paths[:_EVIDENCE]))


def elsewhere_fact(directory: str, number: int, target: str) -> Fact:
    """Return the fact about a directory that is now a link, or not part of the tree any more."""
    what = f"now a link to {target}" if target else "no longer part of the checkpoint"
    were = f"{counted(number, 'file')} {'was' if number == 1 else 'were'} there"
    return data_fact("link", directory, marks=(what, were), severity=Severity.NOTE)


def repository_mark(one: LostRepository) -> str:
    """Return `git repository with 9 commits, 2 branches`."""
    name = f"{one.system} repository"
    return f"{name} with {one.content}" if one.content else name


def amount(number: int, size: int) -> str:
    """Return `301 files, 4.2 MB`."""
    return f"{counted(number, 'file')}, {size_text(size)}"


def _engines(group: LostGroup) -> Iterator[tuple[str, str]]:
    """Yield the directories of storage engines among the lost files."""
    names: dict[str, set[str]] = {}
    for change, kind in group.lost:
        if kind in (DATABASE, OTHER):
            parent, _, name = change.path.rpartition("/")
            names.setdefault(parent, set()).add(name)
    for parent, found in names.items():
        engine = engine_of_names(found)
        if engine:
            yield parent, engine


def _matters(group: LostGroup, engines: Mapping[str, str]) -> list[str]:
    """Return what matters in a directory: secrets and databases by name, others by number."""
    start = len(group.directory) + 1 if group.directory else 0
    named = [change.path[start:] for change, kind in group.lost if kind in NAMED]
    if engines:  # whose files are no news
        named = [path for path in named if path.rpartition("/")[0] not in engines]
    marks = sorted(named, key=_fame)[:_FEW]
    if len(named) > 2 * _FEW:
        marks = [path for path in marks if is_known(path.rpartition("/")[2])][:1]
        marks.append(f"{len(named) - len(marks):,} {'more ' if marks else ''}secrets and databases")
    by_kind: dict[str, list[str]] = {}
    for change, kind in group.lost:
        if kind in VALUABLE and kind not in NAMED:
            by_kind.setdefault(kind, []).append(change.path[start:])
    for kind, paths in sorted(by_kind.items(), key=lambda one: -len(one[1])):
        if len(paths) == group.total:
            return [*marks, f"all {kind}s"]
        where = common_directory(paths)
        marks.append(count_of(len(paths), kind) + (f" in {where}" if where else ""))
    return marks


def _fame(path: str) -> tuple[bool, int, str]:
    """Sort key: names that everybody knows first, then those near the top."""
    return not is_known(path.rpartition("/")[2]), path.count("/"), path


def _kinds(lost: Sequence[Lost]) -> Iterator[str]:
    """Yield the numbers of valuable files by kind."""
    counts = Counter(kind for _, kind in lost if kind in VALUABLE)
    yield from (count_of(number, kind) for kind, number in counts.most_common(_FEW))
