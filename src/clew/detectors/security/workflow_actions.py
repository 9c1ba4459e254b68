"""Action detector: programs of others that a build server fetches and runs.

Actions of GitHub, Gitea and Forgejo (`uses: actions/checkout@v4`), orbs of CircleCI, and files that
GitLab includes from elsewhere.
A newer version is told like any other; a branch in place of a version, and a version in place of a
commit, is a note.  A branch in place of a commit, and an owner that is not known, is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.locks.origins import address_of
from clew.detectors.security.known_places import is_known_owner
from clew.detectors.security.security_rules import (
    content,
    is_own_edit,
    rules_between,
)
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_LIMIT = 1 << 20
_MAX_FACTS = 100
_FORGES = (".github", ".gitea", ".forgejo")
_NAMES = (".gitlab-ci.yml", "action.yml", "action.yaml")
_USES = re.compile(
    r"""^\s*(?:-\s+)?["']?uses["']?\s*:\s*["']?([\w./:@-]{3,300})["']?\s*(?:#.*)?$"""
)
_ORB = re.compile(
    r"""^\s{2,8}[\w-]{1,80}\s*:\s*["']?([\w-]{1,80}/[\w-]{1,80}@[\w.]{1,40})["']?\s*$"""
)
_INCLUDE = re.compile(r"""^\s*(?:-\s+)?(?:include|remote)\s*:\s*["']?(https?://[^\s"']{1,500})""")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_FIXED = 2
_VERSION = re.compile(r"v?\d[\w.+-]{0,60}")


class Action(NamedTuple):
    """One use of an action."""

    name: str
    """`owner/repository/path`, or host and path."""
    reference: str = ""

    @property
    def text(self) -> str:
        reference = self.reference[:12] if _COMMIT.fullmatch(self.reference) else self.reference
        return f"{self.name}@{reference}" if reference else self.name


class WorkflowActions:
    """Reports other actions, and other versions of actions."""

    name = "security/actions"
    version = 2
    kinds: tuple[str, ...] = ("security.dependency", "lock.added", "lock.changed", "lock.removed")
    watch = WatchedPaths(names=_NAMES, directories=(*_FORGES, ".circleci"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in changes:
            if not is_own_edit(evidence, change):
                continue
            with evidence.guarded(change.path):
                old, new = (
                    content(tree, change.path, _LIMIT) for tree in (evidence.old, evidence.new)
                )
                facts = tuple(_facts(change.path, actions_of(old), actions_of(new)))
                if facts:
                    yield Finding(facts[:_MAX_FACTS], (change.path,) if _explain(old, new) else ())


def actions_of(text: bytes | None) -> list[Action]:
    """Return the actions that a file uses, without its own."""
    found: dict[Action, None] = {}
    for line in (text or b"").decode("utf-8", "replace").split("\n")[:20_000]:
        match = _USES.match(line[:500]) or _ORB.match(line[:500])
        if match and not match[1].startswith((".", "docker://")):
            name, _, reference = match[1].partition("@")
            found[Action(name, reference)] = None
        elif match := _INCLUDE.match(line[:1_000]):
            address = address_of(match[1])
            found[Action(f"{address.host}/{address.path}"[:200])] = None
    return list(found)


def _explain(old: bytes | None, new: bytes | None) -> bool:
    """Return whether nothing but actions differs."""
    rules = rules_between(old, new)
    return all(
        actions_of(b"  " + line) or actions_of(line) for line in (*rules.added, *rules.removed)
    )


def _facts(path: str, before: list[Action], after: list[Action]) -> Iterator[Fact]:
    gone = [action for action in before if action not in after]
    for action in after:
        if action in before:
            continue
        previous = _counterpart(action, gone)
        if previous is not None:
            gone.remove(previous)
        yield _fact(path, previous, action)
    for action in gone:
        yield Fact("lock.removed", path, action.name, action.reference or None, evidence=(path,))


def _counterpart(action: Action, gone: list[Action]) -> Action | None:
    """Return the action that another one replaces: the same, or one of the same last name."""
    last = action.name.rpartition("/")[2]
    for is_same in (
        lambda one: one.name.lower() == action.name.lower(),
        lambda one: one.name.rpartition("/")[2] == last,
    ):
        found = next(filter(is_same, gone), None)
        if found is not None:
            return found
    return None


def _fact(path: str, before: Action | None, after: Action) -> Fact:
    is_other = before is not None and before.name.lower() != after.name.lower()
    looser = before is not None and _firmness(after) < _firmness(before)
    if not is_other and not looser:
        word = "changed" if before else "added"
        was = before.reference if before else None
        return Fact(
            f"lock.{word}", path, after.name, _short(was), _short(after.reference), evidence=(path,)
        )
    marks = ["action"]
    if looser:
        marks.append(
            "a branch, which moves" if not _firmness(after) else "no longer a fixed commit"
        )
    is_unfixed = before is not None and _firmness(before) == _FIXED and not _firmness(after)
    is_foreign = is_other and before is not None and _is_foreign(before, after)
    return Fact(
        "security.dependency", path, after.name, before.text if before else None, after.text,
        severity=Severity.HIGH if is_unfixed or is_foreign else Severity.NOTE,
        evidence=(path,), marks=tuple(marks),
    )  # fmt: skip


def _is_foreign(before: Action, after: Action) -> bool:
    """Return whether an action comes from someone else, whom few take programs from."""
    was, now = (action.name.partition("/")[0].lower() for action in (before, after))
    return was != now and not is_known_owner(now)


def _short(reference: str | None) -> str | None:
    return reference[:7] if reference and _COMMIT.fullmatch(reference) else reference or None


def _firmness(action: Action) -> int:
    """Return how fixed a reference is: a commit, a version, or a branch."""
    if _COMMIT.fullmatch(action.reference):
        return _FIXED
    return 1 if _VERSION.fullmatch(action.reference) else 0
