"""Repositories that appeared, disappeared or moved, and clones that did not complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.repositories.git_config import clean_url, remotes_of
from clew.detectors.repositories.git_indexes import GitIndexes
from clew.detectors.repositories.git_refs import Head, Refs, log_lines, short
from clew.detectors.repositories.repositories import config_of, is_git_dir
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_RECEIVING = "tmp_pack_"
"""The name of a pack that git has not received completely."""


class MovedRepositories(NamedTuple):
    """Repositories that appeared or disappeared, by the first line of their log.

    That line is unique to a repository, so one that is on both sides was moved.
    """

    left: dict[bytes, str]
    arrived: dict[bytes, str]

    @classmethod
    def among(cls, evidence: Evidence, git_dirs: Iterable[str]) -> MovedRepositories:
        found = cls({}, {})
        for git_dir in git_dirs:
            was, is_there = (is_git_dir(tree, git_dir) for tree in (evidence.old, evidence.new))
            if was != is_there:
                tree, side = (evidence.old, found.left) if was else (evidence.new, found.arrived)
                with evidence.guarded(git_dir):
                    line = _first_line(Refs(tree, git_dir))
                    if line:
                        side[line] = git_dir.removesuffix(".git").rstrip("/")
        return found


def created_facts(
    scope: str, git_dir: str, evidence: Evidence, moved: MovedRepositories
) -> Iterator[Fact]:
    """Yield the one fact about a new repository."""
    refs = Refs(evidence.new, git_dir)
    if not refs.all and _is_receiving(evidence.new, git_dir):
        yield _unfinished_clone(scope, git_dir, evidence.new)
        return
    head = refs.head() or Head()
    subject = head.branch or short(head.commit) or "HEAD"
    lines = log_lines(refs.log("HEAD"))
    commits = sum(line.verb == "commit" and line.moves for line in lines)
    commit_marks = [counted(commits, "commit")] if commits else []
    moved_from = moved.left.get(_first_line(refs))
    if moved_from is not None:
        marks, kind = [f"moved from {moved_from or '.'}"], "git.branch"
    elif lines and lines[0].verb == "clone":
        source = clean_url(lines[0].detail.removeprefix("from "))
        marks, kind = (
            ["cloned", *([f"from {source}"] if source else []), *commit_marks],
            "git.branch",
        )
    else:
        marks, kind = ["initialised", *commit_marks], "git.commit" if commits else "git.branch"
    yield Fact(
        kind, scope, subject, None, short(head.commit),
        evidence=(f"{git_dir}/HEAD",), marks=tuple(marks),
    )  # fmt: skip


def removed_facts(
    scope: str, git_dir: str, directory: str, evidence: Evidence, moved: MovedRepositories
) -> Iterator[Fact]:
    """Yield the one fact about a repository that is gone."""
    refs = Refs(evidence.old, git_dir)
    if _first_line(refs) in moved.arrived:
        return  # reported at its new path
    head = refs.head() or Head()
    subject = head.branch or short(head.commit) or "HEAD"
    tracked = evidence.once(GitIndexes).old(git_dir) or {}
    prefix = f"{directory}/" if directory else ""
    left = sum(evidence.new.entry(prefix + path) is not None for path in tracked)
    files = counted(len(tracked) - left, "file")
    marks = ["repository removed"]
    if tracked:
        marks.append(
            f"with its {files}" if not left else f"{left:,} of its {len(tracked):,} files are left"
        )
    yield Fact(
        "git.branch", scope, subject, short(head.commit), None,
        evidence=(f"{git_dir}/HEAD",), marks=tuple(marks),
        direct=f"{git_dir}/HEAD" not in evidence.claimed,  # else told as lost
    )  # fmt: skip


def _unfinished_clone(scope: str, git_dir: str, tree: Tree) -> Fact:
    remotes = remotes_of(config_of(tree, git_dir))
    source = clean_url(next(iter(remotes.values())).url) if remotes else ""
    return Fact(
        "broken.operation", scope, "clone", severity=Severity.HIGH,
        evidence=(f"{git_dir}/HEAD",),
        marks=("no commit received", *((f"from {source}",) if source else ())),
    )  # fmt: skip


def _is_receiving(tree: Tree, git_dir: str) -> bool:
    names = tree.entries(f"{git_dir}/objects/pack")
    return any(name.startswith(_RECEIVING) for name in names)


def _first_line(refs: Refs) -> bytes:
    return refs.log("HEAD").partition(b"\n")[0]
