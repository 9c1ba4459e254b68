"""Blame: when, and under which intent, something appeared or changed.

The subject is a path, or the subject of a fact: a package, a service, a table, a port, a key.
`apt:nginx` and `app.db:users` select one where a name alone is ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from clew.diff.trees import lookup
from clew.errors import ClewError, OutsideWorkspace
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.fact import Fact
from clew.model.results import Appearance, Blame
from clew.operations.context import Context
from clew.operations.history.story import story_of
from clew.policy.redaction.redact import redact_name, redact_words


def blame(context: Context, thing: str, relative: Callable[[str], bytes]) -> Blame:
    """Return every checkpoint that changed `thing`, newest first."""
    path = _as_path(thing, relative)
    found: list[Appearance] = []
    here = context.store.trails.here(context.workspace)
    for checkpoint in context.store.checkpoints.newest_first(context.workspace):
        change = _change(context, checkpoint, path) if path else None
        facts = tuple(_about(thing, story_of(context, checkpoint).facts))
        if facts or change is not None:
            marked = checkpoint._replace(is_here=checkpoint.id == here)
            found.append(Appearance(marked, facts, (change,) if change else ()))
    return Blame(redact_words(thing), tuple(found))


def _as_path(thing: str, relative: Callable[[str], bytes]) -> bytes | None:
    try:
        return relative(thing)
    except OutsideWorkspace:
        return None  # then it is not a path


def _about(thing: str, facts: Iterable[Fact]) -> Iterable[Fact]:
    shown = redact_name(thing)  # as facts name it
    for fact in facts:
        scope = fact.scope.partition(":")[2] or fact.scope
        names = {fact.subject, f"{fact.scope}:{fact.subject}", f"{scope}:{fact.subject}"}
        names |= {fact.subject.removesuffix(".service"), scope, *fact.evidence}
        if fact.basis == "live":
            names.add(fact.subject.rpartition(":")[2])  # a port by its number
            names.add(f"port {fact.subject.rpartition(':')[2]}")
        if thing in names or shown in names:
            yield fact


def _change(context: Context, checkpoint: Checkpoint, path: bytes) -> Change | None:
    """Return the change of a path since the parent, if it changed."""
    parent, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
    get = context.store.objects.get
    try:
        new = lookup(checkpoint.record.tree, path, get)
        old = lookup(context.find(parent).record.tree, path, get) if parent is not None else None
    except ClewError:
        return None
    kind = _kind(old, new)
    return Change(path, kind, old, new) if kind else None


def _kind(old: Entry | None, new: Entry | None) -> str | None:
    if old is None or new is None:
        return None if old is new else ChangeKind.ADDED if old is None else ChangeKind.DELETED
    if old.kind != new.kind:
        return ChangeKind.TYPE
    if not old.same_content(new) or old.state != new.state:
        return ChangeKind.MODIFIED
    return None if old.same_metadata(new, mtimes=False) else ChangeKind.METADATA
