"""The plan of a restore: steps from the live workspace to the target.

Only paths that both sides cover are changed.  What either side does not cover, or excludes, is left
alone at any depth, and the directories above it stay.

With `base` (an interrupted restore), a path that is neither in its old state nor in its target
state is later work and is left alone too; see `later_work.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.diff.merge_units import companions
from clew.diff.trees import diff_trees, lookup
from clew.errors import RestoreBlocked
from clew.model import path as paths
from clew.model.change import Change
from clew.model.content import BLOB_LIMIT
from clew.model.entry import Entry, Reason
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.pattern import Patterns
from clew.model.restore_results import SkippedPath, SkipReason
from clew.model.small_objects import Group
from clew.operations.restore.later_work import is_later_metadata, is_later_work
from clew.worktree.sqlite_units import MAGIC
from clew.worktree.steps import RestoreStep, Steps

Get = Callable[[ObjectId], bytes]


class PlanSide(NamedTuple):
    """One state, as a plan needs it."""

    tree: ObjectId
    links: tuple[Group, ...]
    excludes: Patterns
    linked_outside: frozenset[bytes] = frozenset()
    """Live files with hard links outside the workspace; pnpm and uv link from their stores."""
    larger_than: int | None = None
    """The size above which files are excluded; only that of the live side counts.

    A checkpoint names the files above its own limit, so their absence needs no rule.
    """


class Plan(NamedTuple):
    """What a restore will change, and what it leaves alone."""

    steps: Steps
    skipped: tuple[SkippedPath, ...]


NOTHING = Plan(Steps((), (), (), (), (), (), ()), ())


def make_plan(
    live: PlanSide,
    target: PlanSide,
    get: Get,
    *,
    within: Sequence[bytes] = (),
    base: ObjectId | None = None,
    aborting: bool = False,
) -> Plan:
    """Return the steps from `live` to `target`, everywhere or only `within` some paths.

    `base` is the other end of an interrupted restore; with `aborting`, the state it was restoring.
    """
    return _Planner(live, target, get, tuple(within), base, aborting).plan()


class _Planner:
    def __init__(
        self,
        live: PlanSide,
        target: PlanSide,
        get: Get,
        within: tuple[bytes, ...],
        base: ObjectId | None,
        aborting: bool,
    ) -> None:
        self._live = live
        self._target = target
        self._get = get
        self._within = within
        self._base = base
        self._aborting = aborting
        self._skipped: dict[bytes, str] = {}
        self._edited: list[bytes] = []
        """Where later work begins; everything below it is later work too."""
        self._delete: list[RestoreStep] = []
        self._removed: list[RestoreStep] = []
        self._made: list[RestoreStep] = []
        self._put: dict[bytes, RestoreStep] = {}
        self._metadata: dict[bytes, RestoreStep] = {}
        self._directories: dict[bytes, RestoreStep] = {}

    def plan(self) -> Plan:
        for change in diff_trees(
            self._live.tree, self._target.tree, self._get, mtimes=True, uncovered=True
        ):
            if self._is_wanted(change.path):
                self._sort_in(change)
        self._spare_databases()
        self._make_way()
        self._spare_directories()
        self._mend_links()
        self._touch_parents()
        put = tuple(self._put[path] for path in sorted(self._put))
        steps = Steps(
            delete=tuple(self._delete),
            remove_directories=tuple(sorted(self._removed, reverse=True)),
            make_directories=tuple(sorted(self._made)),
            put=put,
            metadata=tuple(self._metadata[path] for path in sorted(self._metadata)),
            directories=tuple(
                self._directories[path] for path in sorted(self._directories, reverse=True)
            ),
            groups=self._groups(),
        )
        skipped = [SkippedPath(path, why) for path, why in sorted(self._skipped.items())]
        return Plan(steps, tuple(skipped))

    def _is_wanted(self, path: bytes) -> bool:
        return not self._within or any(paths.is_within(path, chosen) for chosen in self._within)

    def _sort_in(self, change: Change) -> None:
        path, old, new = change.path, change.old, change.new
        if any(paths.is_within(path, one) for one in self._edited):
            return  # reported with its directory
        why = self._why_not(path, old, new)
        if why is not None:
            self._skipped[path] = why
            return
        step = RestoreStep(path, old, new)
        if old is not None and (new is None or new.kind != old.kind):
            (self._removed if old.is_directory else self._delete).append(step)
        if new is None:
            return
        if new.is_directory:
            if old is None or not old.is_directory:
                self._made.append(step)
            self._directories[path] = step
        elif old is not None and old.same_content(new):
            self._metadata[path] = step
        else:
            replaced = old if old is not None and old.kind == new.kind else None
            self._put[path] = RestoreStep(path, replaced, new)

    def _why_not(self, path: bytes, old: Entry | None, new: Entry | None) -> str | None:
        is_directory = any(entry is not None and entry.is_directory for entry in (old, new))
        for side in (self._target, self._live):
            if side.excludes.covers(path, is_directory=is_directory):
                return SkipReason.EXCLUDED
        if self._is_large(old, new):
            return SkipReason.LARGE
        if new is not None and not new.is_covered:
            return SkipReason.UNCOVERED
        if old is not None and not old.is_covered:
            return SkipReason.UNCOVERED_NOW
        return self._why_later(path, old, new)

    def _is_large(self, old: Entry | None, new: Entry | None) -> bool:
        """Return whether a side excludes the file by its size.

        What the limit in force excludes is not written either: no scan would see it, so neither the
        comparison nor an undo would know what it holds.
        """
        if any(one is not None and one.reason == Reason.LARGE for one in (old, new)):
            return True
        limit = self._live.larger_than
        return limit is not None and new is not None and new.is_file and new.size > limit

    def _why_later(self, path: bytes, old: Entry | None, new: Entry | None) -> str | None:
        """Return why a path is later work, if an interrupted restore is continued."""
        if self._base is None:
            return None
        before = lookup(self._base, path, self._get)
        if is_later_work(old, before, new, self._get):
            self._edited.append(path)
            return SkipReason.APPEARED if before is None else SkipReason.EDITED
        if old is not None and old.is_directory and (new is None or new.is_directory):
            ways = [(before, new), (new, before)] if self._aborting else [(before, new)]
            if all(is_later_metadata(old, *way, self._get) for way in ways):
                return SkipReason.METADATA_EDITED
        return None

    def _spare_databases(self) -> None:
        """Leave alone the journals of databases that are left alone because of their size.

        Beside another database, a journal corrupts it.
        """
        large = [path for path, why in self._skipped.items() if why == SkipReason.LARGE]
        names = {name for path in large for name in companions(path)}
        steps = [step for step in (*self._delete, *self._put.values()) if step.path in names]
        spared = {step.path for step in steps if self._may_be_database(step)}
        self._skipped.update(dict.fromkeys(spared, SkipReason.LARGE))
        self._delete = [step for step in self._delete if step.path not in spared]
        self._put = {path: step for path, step in self._put.items() if path not in spared}

    def _may_be_database(self, step: RestoreStep) -> bool:
        """Return whether a file may be part of a database; what is deleted may always be."""
        new = step.new
        if new is None or not new.is_file or new.size > BLOB_LIMIT or step.path.endswith(b"-shm"):
            return True
        return self._get(new.content).startswith(MAGIC)

    def _make_way(self) -> None:
        """Create missing directories above selected paths."""
        missing = {above for path in self._within for above in paths.ancestors(path) if above}
        for path in missing:
            old = lookup(self._live.tree, path, self._get)
            new = lookup(self._target.tree, path, self._get)
            if new is None or not new.is_directory or self._is_wanted(path):
                continue
            if old is None:
                self._made.append(RestoreStep(path, None, new))
                self._directories[path] = RestoreStep(path, None, new)
            elif not old.is_directory:  # not selected, so it must not be replaced
                self._refuse(path)

    def _spare_directories(self) -> None:
        """Keep the directories above everything that is left alone."""
        skipped = sorted(self._skipped)
        going: list[RestoreStep] = []
        for step in self._removed:
            if not paths.holds_any(step.path, skipped):
                going.append(step)
            elif step.new is not None:
                self._refuse(step.path)
        self._removed = going

    def _refuse(self, path: bytes) -> None:
        """Refuse a restore that is blocked by a path; one that has begun goes around it."""
        if self._base is None:
            raise RestoreBlocked(paths.as_text(path))
        self._skipped[path] = SkipReason.EDITED
        for steps in (self._put, self._metadata, self._directories):
            for one in [one for one in steps if paths.is_within(one, path)]:
                del steps[one]
        self._made = [step for step in self._made if not paths.is_within(step.path, path)]

    def _mend_links(self) -> None:
        """Replace files with the right content and the wrong hard links."""
        live = _by_path(self._live.links)
        target = _by_path(self._target.links)
        outside = self._live.linked_outside & self._metadata.keys()
        for path in sorted({*live, *target, *outside}):
            if not self._is_wanted(path) or path in self._put or path in self._skipped:
                continue
            if live.get(path) == target.get(path) and path not in self._metadata:
                continue
            old = lookup(self._live.tree, path, self._get)
            new = lookup(self._target.tree, path, self._get)
            if old is None or new is None or old.kind != new.kind or new.is_directory:
                continue
            why = self._why_not(path, old, new)
            if why is None:
                # Changing an inode in place would show through its other names.
                self._metadata.pop(path, None)
                self._put[path] = RestoreStep(path, old, new)

    def _touch_parents(self) -> None:
        """Restore the times of directories in which something is moved."""
        touched: set[bytes] = set()
        for step in (*self._delete, *self._removed, *self._made, *self._put.values()):
            touched.add(paths.parent_of(step.path) if step.path else b"")
        if touched:
            touched.add(b"")  # the stage is created and removed in the root
        gone = {step.path for step in self._removed}
        for path in touched - set(self._directories) - gone:
            old = lookup(self._live.tree, path, self._get)
            is_ours = self._is_wanted(path) and path not in self._skipped
            new = lookup(self._target.tree, path, self._get) if is_ours else old
            if new is not None and new.is_directory:
                self._directories[path] = RestoreStep(path, old, new)
            elif old is not None and old.is_directory:
                self._directories[path] = RestoreStep(path, old, old)

    def _groups(self) -> tuple[Group, ...]:
        found = []
        for group in self._target.links:
            members = tuple(path for path in group if path in self._put)
            if len(members) > 1:
                found.append(members)
        return tuple(found)


def _by_path(groups: tuple[Group, ...]) -> dict[bytes, Group]:
    return {path: group for group in groups for path in group}


def _is_same(now: Entry | None, before: Entry | None) -> bool:
    if now is None or before is None:
        return now is None and before is None
    return now.same_content(before)
