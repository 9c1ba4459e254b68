"""The screen of the picker draws what is in view, however long the list is."""

from __future__ import annotations

from typing import Any

from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from clew.cli.picker_state import PickerState
from clew.cli.picker_view import View
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.results import Log
from clew.render.style import Style
from tests.cli import samples

ONE = samples.checkpoint(1, Labels("one of many"))


class Counted(tuple[Checkpoint, ...]):
    """Checkpoints that count how many rows are made of them."""

    read = 0

    def __getitem__(self, at: Any) -> Any:
        Counted.read += 1
        return super().__getitem__(at)


def test_only_the_rows_in_view_are_made() -> None:
    many = Counted([ONE] * 5000)
    state = PickerState(many)
    Counted.read = 0
    look = Style(samples.NOW, lambda _: 0, 80, False)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        view = View(state, Log(None, many), samples.INFO, look, lambda _, __: ["its story"], {})
        keys.send_text("jjjG\x1b[6~q")
        wish = view.run()

    assert (wish.key, state.cursor) == ("quit", 4999)
    assert Counted.read < 500, "forty rows for each key, and not five thousand"
