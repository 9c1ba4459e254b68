"""Tags and remote-tracking branches of a repository.

A push is recorded in the log of the remote-tracking branch; the remote is never contacted.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.repositories.git_moves import Move, MoveContext, forced_update
from clew.detectors.repositories.git_refs import Refs, new_log_lines, short
from clew.model.amount import counted
from clew.model.fact import Fact, Severity

_TAGS = "refs/tags/"
_REMOTES = "refs/remotes/"
_NOTES = "refs/notes/"
_MAX_BRANCHES = 500
_MAX_NAMED = 5
"""How many tags and fetched branches are listed by name."""
_FEW = 3
"""More deleted tags are one fact, if other refs keep their commits."""


def tag_facts(
    scope: str, git_dir: str, old: Refs, new: Refs, context: MoveContext
) -> Iterator[Fact]:
    """Yield added, deleted and moved tags; deleted ones with the commits that nothing else keeps."""
    before, after = old.below(_TAGS), new.below(_TAGS)
    changed = {
        "created": sorted(after.keys() - before.keys()),
        "deleted": sorted(before.keys() - after.keys()),
        "moved": sorted(
            name for name in before.keys() & after.keys() if before[name] != after[name]
        ),
    }
    for word, names in changed.items():
        if _FEW < len(names) <= _MAX_NAMED and word == "deleted":
            if not any(_lost_with(before[name], context) for name in names):
                yield Fact(
                    "git.branch", scope, f"{len(names):,} tags", evidence=(f"{git_dir}/{_TAGS}{names[0]}",),
                    marks=("tags", word, f"({names[0]} … {names[-1]})"),
                )  # fmt: skip
                continue
        if len(names) > _MAX_NAMED:
            subject = f"{len(names):,} tags"
            where = (f"{git_dir}/{_TAGS}{names[0]}",)
            yield Fact("git.branch", scope, subject, evidence=where, marks=("tags", word))
            continue
        for name in names:
            lost = _lost_with(before.get(name), context) if word != "created" else 0
            marks = ("tag", word, *((f"{counted(lost, 'commit')} on no branch",) if lost else ()))
            severity = Severity.NOTE if word == "moved" else Severity.NONE
            yield Fact(
                "git.branch", scope, name, short(before.get(name)), short(after.get(name)),
                severity=Severity.HIGH if lost else severity,
                evidence=(f"{git_dir}/{_TAGS}{name}",), marks=marks,
            )  # fmt: skip


def _lost_with(tag: str | None, context: MoveContext) -> int:
    """Return how many commits only a tag kept."""
    commit = context.objects.resolve(tag) if tag else None
    found = context.beyond(commit) if commit else None
    if commit is None or found is None or not found.lost or found.base is None:
        return 0
    return 0 if context.files.have(commit, found.base) else found.lost


def note_facts(scope: str, git_dir: str, old: Refs, new: Refs) -> Iterator[Fact]:
    """Yield refs of `git notes` that came, went or moved."""
    before, after = old.below(_NOTES), new.below(_NOTES)
    for name in sorted({*before, *after})[:_MAX_NAMED]:
        was, now = before.get(name), after.get(name)
        if was != now:
            word = "created" if was is None else "deleted" if now is None else "changed"
            yield Fact(
                "git.branch", scope, name, short(was), short(now),
                evidence=(f"{git_dir}/{_NOTES}{name}",), marks=("notes", word),
            )  # fmt: skip


def remote_facts(
    scope: str, git_dir: str, old: Refs, new: Refs, context: MoveContext
) -> Iterator[Fact]:
    """Yield pushes, fetches, forced updates and deletions of remote-tracking branches."""
    before, after = old.below(_REMOTES), new.below(_REMOTES)
    own = set(new.below("refs/heads/").values())
    moved = [
        name
        for name in sorted(after)
        if before.get(name) != after[name] and not name.endswith("/HEAD")
    ]
    gone = [name for name in sorted(before.keys() - after.keys()) if not name.endswith("/HEAD")]
    for name in gone[:_MAX_NAMED]:
        is_lost = context.is_reachable(before[name]) is False
        yield Fact(
            "git.remote", scope, name, short(before[name]), None, direct=is_lost,
            severity=Severity.NOTE if is_lost else Severity.NONE,
            evidence=(f"{git_dir}/{_REMOTES}{name}",),
            marks=("deleted", *(("not merged",) if is_lost else ())),
        )  # fmt: skip
    fetched: list[Fact] = []
    for name in moved[:_MAX_BRANCHES]:
        ref = _REMOTES + name
        lines = new_log_lines(old.log(ref), new.log(ref))
        where = (f"{git_dir}/logs/{ref}",)
        forced = list(
            forced_update(Move(scope, name, before.get(name), after[name], lines, where), context)
        )
        yield from forced
        if forced or not lines:
            continue
        fact = Fact(
            "git.remote", scope, name, short(before.get(name)), short(after[name]), evidence=where
        )
        if lines[-1].action == "update by push":
            yield fact._replace(marks=("pushed",))
        elif after[name] not in own:  # otherwise it was pulled, and the local branch reports it
            fetched.append(fact._replace(marks=("fetched",), direct=False))
    if len(fetched) <= _MAX_NAMED:
        yield from fetched
    else:
        remotes = sorted({fact.subject.partition("/")[0] for fact in fetched})
        yield fetched[0]._replace(
            subject=", ".join(remotes[:3]), before=None, after=None,
            marks=("fetched", f"{len(fetched):,} branches"),
        )  # fmt: skip
