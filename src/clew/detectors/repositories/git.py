"""Git repository detector: commits, branches, resets, the stash, remotes, hooks, what is unfinished.

It reads the refs and their logs (`git_refs.py`) and never runs git.
Everything below `.git` is claimed.
If only the index, objects or fetched refs changed, the line says "git bookkeeping".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.repositories.git_config import clean_url, remotes_of, value_of
from clew.detectors.repositories.git_damage import damage_facts
from clew.detectors.repositories.git_expired import expired_facts
from clew.detectors.repositories.git_hooks import HOOKS, hook_facts
from clew.detectors.repositories.git_moves import MoveContext
from clew.detectors.repositories.git_objects import Objects
from clew.detectors.repositories.git_operations import UNDER_WAY
from clew.detectors.repositories.git_places import GIT_BOOKKEEPING
from clew.detectors.repositories.git_refs import Refs
from clew.detectors.repositories.git_settings import setting_facts
from clew.detectors.repositories.git_story import RepositoryStory
from clew.detectors.repositories.git_submodules import submodule_facts
from clew.detectors.repositories.git_work import FilesOfWork
from clew.detectors.repositories.repositories import Repositories, config_of, is_git_dir
from clew.detectors.repositories.repository_moves import (
    MovedRepositories,
    created_facts,
    removed_facts,
)
from clew.detectors.repositories.worktrees import worktrees_of
from clew.model.fact import SEVERITY_RANK, Fact

_COUNTED_REFS = ("refs/heads/", "refs/tags/", "refs/remotes/")
_MAX_FACTS = 200
_REFS = ("refs/", "logs/", "worktrees/", "rebase-merge", "rebase-apply")
_REF_FILES = ("HEAD", "packed-refs", *UNDER_WAY)


class Git:
    """Reports changes to git repositories."""

    name = "git"
    version = 4
    kinds: tuple[str, ...] = (
        "git.commit",
        "git.branch",
        "git.reset",
        "git.rebase",
        "git.stash",
        "git.remote",
        "git.hook",
        "git.submodule",
        "broken.operation",
        "config.changed",
    )
    watch = WatchedPaths(
        names=(".git", "HEAD", "packed-refs", *HOOKS),
        directories=(".git", "refs", "objects", "worktrees"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        repositories = evidence.once(Repositories)
        hooks = [change for change in changes if change.name in HOOKS]
        claims = _by_git_dir(evidence, repositories, changes)
        moved = MovedRepositories.among(evidence, claims)
        for git_dir in _with_hooks_elsewhere(evidence, repositories, hooks, claims):
            with evidence.guarded(git_dir):
                mine = claims.get(git_dir, [])
                one = _Repository(evidence, repositories, git_dir, mine, hooks, moved)
                facts = _most_severe(list(one.facts()))
                if facts or mine:
                    yield Finding(facts, mine, "" if facts else GIT_BOOKKEEPING)


def _most_severe(facts: list[Fact]) -> tuple[Fact, ...]:
    """Return the most severe facts, up to a limit: a mirror may gain thousands of branches."""
    if len(facts) > _MAX_FACTS:
        facts.sort(key=lambda fact: -SEVERITY_RANK[fact.severity])
    return tuple(facts[:_MAX_FACTS])


class _Repository:
    """One git directory in both trees."""

    def __init__(
        self,
        evidence: Evidence,
        repositories: Repositories,
        git_dir: str,
        claims: Sequence[str],
        hooks: Sequence[PathChange],
        moved: MovedRepositories,
    ) -> None:
        self._evidence = evidence
        self._dir = git_dir
        self._claims = claims
        self._hooks = hooks
        self._moved = moved
        self._directory = repositories.directory_of(git_dir)
        self._scope = f"git:{self._directory or '.'}"
        self._old, self._new = Refs(evidence.old, git_dir), Refs(evidence.new, git_dir)
        self._configs = config_of(evidence.old, git_dir), config_of(evidence.new, git_dir)

    def facts(self) -> Iterator[Fact]:
        was, is_there = (
            is_git_dir(tree, self._dir) for tree in (self._evidence.old, self._evidence.new)
        )
        if not was:
            yield from created_facts(self._scope, self._dir, self._evidence, self._moved)
        elif not is_there:
            yield from removed_facts(
                self._scope, self._dir, self._directory, self._evidence, self._moved
            )
        else:
            if self._may_have_moved():
                yield from self._story().facts()
                yield from expired_facts(
                    self._scope, self._dir, self._evidence, self._old, self._new, self._id_size()
                )
                yield from submodule_facts(self._scope, self._dir, self._directory, self._evidence)
            yield from damage_facts(self._scope, self._dir, self._evidence, self._claims)
            yield from self._remotes()
            yield from self._depth()
            yield from setting_facts(self._dir, *self._configs)
        yield from hook_facts(
            self._scope, self._dir, self._directory, self._configs, self._hooks, self._evidence
        )

    def _may_have_moved(self) -> bool:
        start = len(self._dir) + 1
        return any(
            path[start:].startswith(_REFS) or path[start:] in _REF_FILES for path in self._claims
        )

    def _story(self) -> RepositoryStory:
        config = self._configs[1]
        if value_of(config, "extensions", "refstorage") == "reftable":
            self._evidence.problem(self._dir, "its refs are kept in a way that is not known")
        id_size = self._id_size()
        objects = Objects((self._evidence.new, self._evidence.old), self._dir, id_size=id_size)
        files = FilesOfWork(self._evidence.new, self._directory, objects, id_size)
        context = MoveContext(objects, frozenset(self._tips()), files)
        return RepositoryStory(
            self._scope, self._dir, self._evidence, self._old, self._new, context
        )

    def _id_size(self) -> int:
        return 32 if value_of(self._configs[1], "extensions", "objectformat") == "sha256" else 20

    def _tips(self) -> Iterator[str]:
        """Yield every commit that a branch, tag, remote or HEAD refers to now."""
        for name, commit in self._new.all.items():
            if name.startswith(_COUNTED_REFS):  # a stash refers to commits too, until it is popped
                yield commit
        for worktree in ("", *worktrees_of(self._evidence.new, self._dir)):
            head = self._new.head(worktree)
            if head is not None and head.commit is not None:
                yield head.commit

    def _depth(self) -> Iterator[Fact]:
        """Yield whether a shallow history became complete, or the reverse."""
        path = f"{self._dir}/shallow"
        was, now = (
            tree.entry(path) is not None for tree in (self._evidence.old, self._evidence.new)
        )
        if was != now:
            mark = "is shallow now" if now else "is complete now"
            yield Fact("git.remote", self._scope, "history", evidence=(path,), marks=(mark,))

    def _remotes(self) -> Iterator[Fact]:
        old, new = (remotes_of(config) for config in self._configs)
        for name in sorted({*old, *new}):
            was, now = old.get(name), new.get(name)
            if was == now:
                continue
            if now is None:
                mark = "removed"
            elif was is None:
                mark = f"added {clean_url(now.url)}"
            elif was.url != now.url:
                mark = f"now {clean_url(now.url)}"
            else:
                mark = f"pushes to {clean_url(now.push_url or now.url)}"
            yield Fact(
                "git.remote", self._scope, name,
                clean_url(was.url) if was else None, clean_url(now.url) if now else None,
                evidence=(f"{self._dir}/config",), marks=(mark,),
            )  # fmt: skip


def _by_git_dir(
    evidence: Evidence, repositories: Repositories, changes: Sequence[PathChange]
) -> dict[str, list[str]]:
    """Return the changed paths of each git directory, sorted by directory."""
    found: dict[str, list[str]] = {}
    bare: set[str] = set()
    for change in changes:
        git_dir = repositories.git_dir(change.path)
        if git_dir is None and change.name == ".git":
            repository = repositories.of(change.path)  # `.git` file of a worktree or submodule
            git_dir = repository.common if repository else None
        if git_dir is None:
            continue
        if "/.git/" not in f"/{change.path}/":
            bare.add(git_dir)
        found.setdefault(git_dir, []).append(change.path)
    if bare:  # no watch covers its other files
        for path in evidence.changes:
            git_dir = repositories.git_dir(path)
            if git_dir in bare:
                found[git_dir].append(path)
    return {git_dir: list(dict.fromkeys(found[git_dir])) for git_dir in sorted(found)}


def _with_hooks_elsewhere(
    evidence: Evidence,
    repositories: Repositories,
    hooks: Sequence[PathChange],
    claims: dict[str, list[str]],
) -> list[str]:
    """Return every git directory to analyse, including those with hooks in the working tree."""
    found = dict.fromkeys(claims)
    for change in hooks:
        repository = repositories.of(change.path)
        if repository is not None and repositories.git_dir(change.path) is None:
            found.setdefault(repository.common)
    return sorted(found)
