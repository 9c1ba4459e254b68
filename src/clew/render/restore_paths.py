"""Text of the paths that a restore would change: work that would be overwritten, then the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import ChangeKind
from clew.render import folded, units
from clew.render.folded import Folding, ListedPath
from clew.render.safe import safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clew.model.restore_results import PlannedPath, RestorePreview

_WORK_ROWS = 12
_OTHER_ROWS = 6
_GENERATED_ROWS = 8
_MANY = 1000
"""Paths from which on what overwrites nothing is summarized."""
_ROWS_OF_MANY = 3, 1
"""For written files and for generated directories."""
_UNSAVED = "not saved yet"


class PreviewPaths:
    """The paths of a preview, by what they mean to the user."""

    def __init__(self, plan: RestorePreview, look: Style, *, everything: bool = False) -> None:
        self._look = look
        self._folding = Folding(plan.generated, plan.within, everything)
        self._unsaved = frozenset(plan.unsaved)
        self._plan = plan
        lost = [_listed(one, ChangeKind.MODIFIED) for one in plan.replaced]
        lost += [_listed(one, ChangeKind.DELETED) for one in plan.deleted]
        self._planned = [*plan.replaced, *plan.deleted]
        self._lost = lost
        is_written = folded.written_of(lost, self._folding)
        self._work = [at for at, is_work in enumerate(is_written) if is_work]
        self._generated = [at for at, is_work in enumerate(is_written) if not is_work]
        self.is_folded = False
        """Whether some line stands for several paths, once the lines were read."""

    def work(self) -> Iterator[str]:
        """Yield the files written by hand that would be replaced or deleted, unsaved ones first."""
        if not self._work:
            return
        unsaved = [at for at in self._work if self._lost[at].path in self._unsaved]
        saved = [at for at in self._work if self._lost[at].path not in self._unsaved]
        number = sum(not self._lost[at].is_directory for at in self._work)
        what = units.count(number, "file") + " written by hand" if number else "directories"
        yield paint(f"  overwrite or delete {what}:", "yellow", self._look)
        yield from self._rows(unsaved, _UNSAVED)
        yield from self._rows(saved, "")

    def others(self) -> Iterator[str]:
        """Yield what would be created, and what else would change, folded."""
        plan = self._plan
        created = [_listed(one, ChangeKind.ADDED) for one in plan.created]
        yield from self._section("create", "path", created, plan.created)
        lost = [self._lost[at] for at in self._generated]
        planned = [self._planned[at] for at in self._generated]
        yield from self._section("overwrite or delete", "generated path", lost, planned)
        changed = [_listed(one, ChangeKind.METADATA) for one in plan.metadata]
        yield from self._section("change the metadata of", "path", changed, plan.metadata)

    def _section(
        self,
        verb: str,
        noun: str,
        listed: Sequence[ListedPath],
        planned: Sequence[PlannedPath],
    ) -> Iterator[str]:
        if not listed:
            return
        size = sum(one.after for one in listed if one.kind == ChangeKind.ADDED)
        amount = f", {units.size(size)}" if size else ""
        yield f"  {verb} {units.count(len(listed), noun)}{amount}:"

        def describe(at: int) -> tuple[str, str]:
            return _name(planned[at]), units.size(planned[at].size) if planned[at].size else ""

        is_many = len(listed) > _MANY and verb == "create"
        yield from self._lines(
            listed, describe, _ROWS_OF_MANY if is_many else (_OTHER_ROWS, _GENERATED_ROWS)
        )

    def _rows(self, numbers: Sequence[int], note: str) -> Iterator[str]:
        def describe(at: int) -> tuple[str, str]:
            one = self._planned[numbers[at]]
            is_deleted = self._lost[numbers[at]].kind == ChangeKind.DELETED
            size = units.size(one.size_now)
            if not is_deleted and one.size != one.size_now:
                size += f" → {units.size(one.size)}"
            said = note or ("created since" if is_deleted and one.is_new_work else "")
            detail = "" if one.is_directory else size
            return _name(one), ", ".join(filter(None, (detail, said)))

        listed = [self._lost[at] for at in numbers]
        yield from self._lines(listed, describe, (_WORK_ROWS, _GENERATED_ROWS), note)

    def _lines(
        self,
        listed: Sequence[ListedPath],
        describe: Callable[[int], tuple[str, str]],
        most: tuple[int, int],
        note: str = "",
    ) -> Iterator[str]:
        if self._folding.everything:
            found = folded.every(listed, describe, self._look)
        else:
            listing = folded.fold(listed, describe, self._folding, self._look, *most)
            self.is_folded = self.is_folded or listing.is_folded
            found = folded.rows_shown(
                [
                    row._replace(detail=f"{row.detail}, {note}") if note and row.is_many else row
                    for row in listing.rows
                ],
                self._look,
            )
        for line in found:
            yield f"  {line}"


def _listed(one: PlannedPath, kind: str) -> ListedPath:
    after = 0 if kind == ChangeKind.DELETED else one.size
    return ListedPath(one.path, kind, one.size_now, after, one.is_directory)


def _name(one: PlannedPath) -> str:
    return (safe_path(one.path) or ".") + ("/" if one.is_directory else "")
