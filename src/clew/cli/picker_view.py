"""The picker on the screen, drawn by prompt_toolkit, which nothing else imports."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    Container,
    DynamicContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    VSplit,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.styles import Style as Colours

from clew.render import picker
from clew.render.safe import safe
from clew.render.style import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.cli.picker_state import PickerState
    from clew.model.checkpoint import Checkpoint, WorkspaceInfo
    from clew.model.results import Log

_BESIDE_FROM = 100
"""Columns from which there is room for two panes side by side."""
_SETTLED = 0.06
"""Seconds on a row before its story is read: a key that is held down passes over most rows."""
_WRAPPED_LINES = 500
"""Lines of a pane that are drawn; more would be scrolled past by nobody."""

_COLOURS = Colours.from_dict(
    {"cursor-line": "reverse nounderline", "bar": "reverse", "rule": "fg:ansibrightblack"}
)


_ANYWHERE = ("undo", "quit")
"""What is done without a checkpoint."""


class Wish(NamedTuple):
    """What is to be done with a checkpoint, outside the full screen."""

    key: str
    checkpoint: Checkpoint | None


class View:
    """The screen; its state outlives it, since every command is run without it."""

    def __init__(
        self,
        state: PickerState,
        log: Log,
        info: WorkspaceInfo,
        look: Style,
        describe: Callable[[Checkpoint, Style], list[str]],
        previews: dict[bytes, list[str]],
    ) -> None:
        self._state = state
        self._log = log
        self._info = info
        self._look = look
        self._describe = describe
        self._previews = previews
        self._stories: dict[tuple[bytes, int], list[str]] = {}
        self._is_reading = False
        self._pane_width = look.width
        self._list = Window(
            _List(self),
            cursorline=True,
            always_hide_cursor=True,
            width=lambda: Dimension.exact(self._list_width),
        )
        self._pane = Window(
            FormattedTextControl(self._pane_text),
            wrap_lines=True,
            always_hide_cursor=True,
            get_vertical_scroll=lambda _: self._scrolled(),
        )
        self._app: Application[Wish] = Application(
            layout=Layout(self._layout()),
            key_bindings=_keys(state, self._page),
            style=_COLOURS,
            full_screen=True,
            color_depth=None if look.colour else ColorDepth.DEPTH_1_BIT,
            after_render=lambda _: self._read_soon(),
        )
        self._app.ttimeoutlen = 0.05  # Escape alone is a key here

    def run(self) -> Wish:
        """Show the screen until something is to be done without it."""
        try:
            return self._app.run()
        except EOFError:  # the terminal has gone
            return Wish("quit", None)

    def rows_in(self, width: int) -> picker.PickRows:
        """Return the rows of the list for a pane of this width."""
        return picker.rows(self._log, self._look_in(width))

    @property
    def state(self) -> PickerState:
        return self._state

    def _look_in(self, width: int) -> Style:
        look = self._look
        return Style(look.now_ns, look.offset, width, look.colour)

    def _layout(self) -> HSplit:
        beside = VSplit(
            [
                self._list,
                Window(width=1, char="│", style="class:rule"),
                Window(width=1),
                self._pane,
            ]
        )
        below = HSplit([self._list, Window(height=1, char="─", style="class:rule"), self._pane])
        # Both have a size of their own, whatever is in them: nothing jumps while the cursor moves.
        self._list.height = self._pane.height = Dimension(preferred=1, weight=1)
        return HSplit(
            [
                Window(FormattedTextControl(self._heading), height=1, style="bold"),
                DynamicContainer(lambda: self._body(beside, below)),
                Window(FormattedTextControl(self._bar), height=1, style="class:bar"),
            ]
        )

    def _body(self, beside: Container, below: Container) -> Container:
        if self._state.pane == "help":
            return self._pane
        return beside if self._columns >= _BESIDE_FROM else below

    def _scrolled(self) -> int:
        """Return how far the pane is scrolled, and keep its last line in view."""
        self._state.scrolled = min(self._state.scrolled, len(self._pane_lines()) - 1)
        return self._state.scrolled

    @property
    def _list_width(self) -> int:
        columns = self._columns
        return columns * 11 // 20 if columns >= _BESIDE_FROM else columns

    @property
    def _columns(self) -> int:
        return get_app().output.get_size().columns

    def _page(self) -> int:
        drawn = self._list.render_info
        return max(drawn.window_height - 1, 1) if drawn is not None else 10

    def _heading(self) -> str:
        state = self._state
        return picker.heading(self._info, state.matching, state.total, state.search)

    def _bar(self) -> str:
        if self._state.is_searching:
            return f"/{safe(self._state.search)}█  Enter keeps the matches, Escape shows all"
        return next((keys for keys in picker.KEYS if len(keys) <= self._columns), "")

    def _pane_text(self) -> StyleAndTextTuples:
        drawn = self._pane.render_info
        width = drawn.window_width if drawn is not None else self._columns
        self._pane_width = max(width, 20)
        return _formatted("\n".join(self._pane_lines()[:_WRAPPED_LINES]))

    def _pane_lines(self) -> list[str]:
        state, at = self._state, self._state.selected
        if state.pane == "help":
            return list(picker.HELP)
        if at is None:
            return ["Nothing matches" if state.search else "No checkpoint"]
        if state.pane == "preview" and at.id in self._previews:
            return self._previews[at.id]
        return self._stories.get((at.id, self._pane_width), ["…"])

    def _read_soon(self) -> None:
        """Read the story of the checkpoint under the cursor, once the cursor rests."""
        at = self._state.selected
        if at is None or self._is_reading or (at.id, self._pane_width) in self._stories:
            return
        self._is_reading = True
        self._app.create_background_task(self._read(at))

    async def _read(self, wanted: Checkpoint) -> None:
        try:
            if self._stories:
                await asyncio.sleep(_SETTLED)
            at = self._state.selected
            if at is not None and at.id == wanted.id:
                look = self._look_in(self._pane_width)
                self._stories[at.id, self._pane_width] = self._describe(at, look)
        finally:
            self._is_reading = False
        self._app.invalidate()


class _List(UIControl):
    """The list; only the rows in view are made."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._rows: tuple[int, picker.PickRows] | None = None

    def create_content(self, width: int, height: int) -> UIContent:
        if self._rows is None or self._rows[0] != width:
            self._rows = width, self._view.rows_in(width)
        rows, state = self._rows[1], self._view.state
        visible = state.visible

        def line(number: int) -> StyleAndTextTuples:
            return _formatted(rows.text(visible[number])) if number < len(visible) else []

        return UIContent(
            line, len(visible), Point(0, state.cursor) if visible else None, show_cursor=False
        )

    def is_focusable(self) -> bool:
        return True


def _formatted(text: str) -> StyleAndTextTuples:
    """Return text with our colours; it is escaped already."""
    return to_formatted_text(ANSI(text))


def _keys(state: PickerState, page: Callable[[], int]) -> KeyBindings:
    """Return the keys; what is done with a checkpoint leaves the screen."""
    keys = KeyBindings()
    browsing = Condition(lambda: not state.is_searching)

    def on(names: Iterable[str], action: Callable[[], None]) -> None:
        for name in names:
            keys.add(name, filter=browsing)(lambda _: action())

    def wish(names: Iterable[str], key: str) -> None:
        def leave(event: KeyPressEvent) -> None:
            if state.selected is not None or key in _ANYWHERE:
                event.app.exit(result=Wish(key, state.selected))

        for name in names:
            keys.add(name, filter=browsing)(leave)

    on(("j", "down"), lambda: state.move(1))
    on(("k", "up"), lambda: state.move(-1))
    on(("pagedown", "c-f", " "), lambda: state.move(page()))
    on(("pageup", "c-b"), lambda: state.move(-page()))
    on(("g", "home"), lambda: state.go_to(end=False))
    on(("G", "end"), lambda: state.go_to(end=True))
    on(("J",), lambda: state.scroll(5))
    on(("K",), lambda: state.scroll(-5))
    on(("/",), state.begin_search)
    on(("?",), lambda: state.show("help"))
    on(("escape",), state.escape)
    wish(("enter", "r"), "restore")
    wish(("p",), "preview")
    wish(("d",), "diff")
    wish(("f",), "fork")
    wish(("v",), "verify")
    wish(("u",), "undo")
    wish(("q",), "quit")
    _search_keys(keys, state)

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        event.app.exit(result=Wish("interrupt", None))

    return keys


def _search_keys(keys: KeyBindings, state: PickerState) -> None:
    searching = Condition(lambda: state.is_searching)

    @keys.add(Keys.Any, filter=searching)
    def _(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            state.look_for(state.search + event.data)

    @keys.add(Keys.BracketedPaste, filter=searching)
    def _(event: KeyPressEvent) -> None:
        pasted = "".join(char for char in event.data if char.isprintable())
        state.look_for(state.search + pasted)

    @keys.add("backspace", filter=searching)
    def _(event: KeyPressEvent) -> None:
        state.look_for(state.search[:-1])

    @keys.add("c-u", filter=searching)
    def _(event: KeyPressEvent) -> None:
        state.look_for("")

    @keys.add("down", filter=searching)
    def _(event: KeyPressEvent) -> None:
        state.move(1)

    @keys.add("up", filter=searching)
    def _(event: KeyPressEvent) -> None:
        state.move(-1)

    @keys.add("enter", filter=searching)
    def _(event: KeyPressEvent) -> None:
        state.is_searching = False

    @keys.add("escape", filter=searching)
    def _(event: KeyPressEvent) -> None:
        state.escape()
