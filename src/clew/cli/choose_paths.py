"""Choosing paths of a restore one by one, as `git add --patch` does with hunks.

A generated directory, or one with many changed paths, is one question, which `o` opens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import NeedsConfirmation
from clew.filenames import as_argument
from clew.policy.generated import GeneratedPlaces
from clew.policy.path_groups import PathGroup, chosen_paths, grouped, has_many
from clew.render import changes, choose_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.cli.context import CommandContext
    from clew.model.restore_results import RestorePreview, RestoreResult


class Stopped(Exception):
    """No more questions."""


class _Walk:
    """One walk through the changed paths of a preview."""

    def __init__(self, plan: RestorePreview, context: CommandContext) -> None:
        self._plan = plan
        self._context = context
        self._look = context.look()
        self._unsaved = frozenset(plan.unsaved)
        self._places = GeneratedPlaces(plan.generated)
        self.root = grouped(
            {
                "create": plan.created,
                "replace": plan.replaced,
                "delete": plan.deleted,
                "change the metadata of": plan.metadata,
            }
        )
        self.accepted: set[bytes] = set()
        self.total = sum(1 for _ in self.root.leaves())
        self._left = self.total

    def go(self) -> None:
        """Ask about everything; raise Stopped at the end of input or at `q`."""
        # Each level has the groups that are left, and what `a` or `d` said about them.
        levels: list[tuple[Iterator[PathGroup], list[str]]] = [self._level(self.root)]
        while levels:
            waiting, said = levels[-1]
            group = next(waiting, None)
            if group is None:
                levels.pop()
                continue
            leaves = [one.path for one in group.leaves()]
            answer = said[0] if said else self._ask(group, leaves)
            if answer in ("a", "d"):
                said[:] = [answer]
            if answer == "o":
                levels.append(self._level(group))
                continue
            if answer in ("y", "a"):
                self.accepted.update(leaves)
            self._left -= len(leaves)

    def _level(self, group: PathGroup) -> tuple[Iterator[PathGroup], list[str]]:
        """Return the questions in a directory: paths, and directories that are folded."""
        found: list[PathGroup] = []
        waiting = [group.below[name] for name in sorted(group.below, reverse=True)] or [group]
        while waiting:
            one = waiting.pop()
            if not one.below or self._is_generated(one) or has_many(one):
                found.append(self._deepest(one))
            else:
                waiting.extend(one.below[name] for name in sorted(one.below, reverse=True))
        return iter(found), []

    def _is_generated(self, group: PathGroup) -> bool:
        """Return whether a directory is a generated one, not one inside of it."""
        place = self._places.of(group.path, is_directory=True) if group.below else None
        return place is not None and place.path in (group.path, b"")

    def _deepest(self, group: PathGroup) -> PathGroup:
        """Return the directory that all paths of a group are in, but none inside a generated one."""
        while len(group.below) == 1 and not self._is_generated(group):
            (only,) = group.below.values()
            if not only.below:
                break
            group = only
        return group

    def _ask(self, group: PathGroup, leaves: list[bytes]) -> str:
        """Return y, n, a, d or o."""
        context, is_directory = self._context, bool(group.below)
        keys = "y,n,o,a,d,p,q,?" if is_directory else "y,n,a,d,p,q,?"
        for line in choose_paths.about(group, self._unsaved, self._look):
            context.say(line)
        while True:
            line = context.answer_to(f"Restore it ({self._left:,} left)? [{keys}] ")
            answer = line.strip().lower()
            if not line or answer == "q":
                raise Stopped
            if answer == "p":
                self._show_patch(leaves)
            elif answer in ("y", "n", "a", "d") or (answer == "o" and is_directory):
                return answer
            else:
                for row in choose_paths.keys(is_directory=is_directory):
                    context.say(row)

    def _show_patch(self, leaves: list[bytes]) -> None:
        context = self._context
        assert context.workspace is not None, "its preview is asked about"
        difference = context.workspace.diff(
            self._plan.target.id.hex(),
            paths=_as_arguments(leaves[: choose_paths.PATCHED], context),
            monitor=context.monitor,
        )
        lines = changes.patch(context.workspace.patch(difference), self._look)
        for line in choose_paths.shown_patch(lines, len(leaves)):
            context.say(line)


def restore_chosen(plan: RestorePreview, context: CommandContext) -> RestoreResult:
    """Ask which paths of a preview to restore, and restore those."""
    assert context.workspace is not None, "it has made the preview"
    chosen = _choose(plan, context)
    if not chosen:
        raise NeedsConfirmation(plan)
    known = _overwritten(plan)
    return context.workspace.restore(
        plan.target.id.hex(),
        paths=chosen,
        # What has appeared since then in a chosen directory was not agreed to.
        confirm=lambda now: _overwritten(now) <= known,
        monitor=context.monitor,
    )


def _overwritten(plan: RestorePreview) -> set[bytes]:
    return {one.path for one in (*plan.replaced, *plan.deleted, *plan.metadata)}


def _choose(plan: RestorePreview, context: CommandContext) -> list[str]:
    """Ask which paths of a preview to restore, and return them."""
    walk = _Walk(plan, context)
    for line in choose_paths.heading(plan, walk.total):
        context.say(line)
    try:
        walk.go()
    except Stopped:
        if walk.accepted and not context.ask(choose_paths.stopped(len(walk.accepted))):
            return []
    return _as_arguments(chosen_paths(walk.root, walk.accepted), context)


def _as_arguments(relative: list[bytes], context: CommandContext) -> list[str]:
    """Return paths of the workspace as arguments that mean the same from any directory."""
    assert context.workspace is not None, "paths belong to an open workspace"
    root = context.workspace.info.path.rstrip(b"/")
    return [as_argument(root + b"/" + path) for path in relative]
