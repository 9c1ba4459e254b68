"""What the picker shows and where its cursor is, without a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.render.picker import searched

if TYPE_CHECKING:
    from clew.model.checkpoint import Checkpoint
    from clew.model.ids import CheckpointId


_ID_DIGITS = 4
"""With fewer characters than this a search does not look at ids, which begin with any of them."""


class PickerState:
    """A list of rows, some of which match a search, and a cursor that is always on a checkpoint."""

    def __init__(self, checkpoints: Sequence[Checkpoint | None]) -> None:
        self._all: Sequence[Checkpoint | None] = ()
        self._texts: list[str] | None = None
        self.visible: Sequence[int] = ()
        """The numbers of the rows that are shown."""
        self.cursor = 0
        """The place among them."""
        self.search = ""
        self.is_searching = False
        """Whether keys are typed into the search."""
        self.pane = "story"
        """What is beside the list: `story`, `preview` or `help`."""
        self.scrolled = 0
        """Lines of that pane above its upper edge."""
        self.load(checkpoints)

    def load(self, checkpoints: Sequence[Checkpoint | None]) -> None:
        """Take a new list; the cursor stays on its checkpoint, else on the first one."""
        at = self.selected
        self._all, self._texts = checkpoints, None
        self._match()
        self.select(at.id if at is not None else None)

    @property
    def total(self) -> int:
        return sum(one is not None for one in self._all)

    @property
    def matching(self) -> int:
        return len(self.visible) if self.search else self.total

    @property
    def selected(self) -> Checkpoint | None:
        """The checkpoint under the cursor; None if there is none."""
        return self._all[self.visible[self.cursor]] if self.visible else None

    def select(self, identifier: CheckpointId | None) -> None:
        """Move the cursor to a checkpoint, if it is shown, else to the first."""
        self.scrolled = 0
        for place, number in enumerate(self.visible):
            one = self._all[number]
            if one is not None and one.id == identifier:
                self.cursor = place
                return
        self.cursor = 0
        self._settle(1)

    def move(self, places: int) -> None:
        """Move the cursor down, or up if negative, as far as there are rows."""
        if not self.visible:
            return
        was = self.cursor
        self.cursor = min(max(self.cursor + places, 0), len(self.visible) - 1)
        self._settle(1 if places > 0 else -1)
        if self.cursor != was:
            self._show_story()

    def go_to(self, *, end: bool) -> None:
        """Move the cursor to the first row, or to the last."""
        self.move(len(self.visible) if end else -len(self.visible))

    def look_for(self, text: str) -> None:
        """Show only the checkpoints that have `text`, or whose id begins so; all if it is empty."""
        at = self.selected
        self.search = text
        self._match()
        self.select(at.id if at is not None else None)
        self._show_story()

    def begin_search(self) -> None:
        """Let the next keys be typed into the search."""
        self.is_searching = True
        self._show_story()

    def escape(self) -> None:
        """Leave what is in front: the search with its matches, or what is beside the list."""
        if self.is_searching or self.search:
            self.is_searching = False
            self.look_for("")
        else:
            self._show_story()

    def scroll(self, lines: int) -> None:
        """Scroll what is beside the list."""
        self.scrolled = max(self.scrolled + lines, 0)

    def show(self, pane: str) -> None:
        """Show something else beside the list; what is shown already gives way to the story."""
        self.pane = "story" if self.pane == pane else pane
        self.scrolled = 0

    def _show_story(self) -> None:
        self.pane, self.scrolled = "story", 0

    def _match(self) -> None:
        wanted = " ".join(self.search.lower().split())
        if not wanted:
            self.visible = range(len(self._all))
            return
        if self._texts is None:
            self._texts = [searched(one) if one is not None else "" for one in self._all]
        is_id = len(wanted) >= _ID_DIGITS
        self.visible = [
            number
            for number, (one, text) in enumerate(zip(self._all, self._texts, strict=True))
            if one is not None and (wanted in text or (is_id and one.id.hex().startswith(wanted)))
        ]

    def _settle(self, way: int) -> None:
        """Move on from a row without a checkpoint, back if there is none that way."""
        for step in (way, -way):
            place = self.cursor
            while 0 <= place < len(self.visible):
                if self._all[self.visible[place]] is not None:
                    self.cursor = place
                    return
                place += step
