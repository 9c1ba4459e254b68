"""The list of workspaces fits a narrow terminal, and says what to do about lost ones."""

from __future__ import annotations

import pytest

from clew.model.checkpoint import WorkspaceInfo
from clew.model.shorten import width_of
from clew.model.workspace_status import Place, WorkspaceStatus
from clew.render import workspaces
from clew.render.style import Style

LOOK = Style(0, lambda _: 0, 60, False)
INFO = WorkspaceInfo(bytes([0x77]) * 16, b"/home/me/api", 1, False, None)
HERE = WorkspaceStatus(INFO, "/store", "api", Place.PRESENT, 0, 0, 0, 0)


def test_a_lost_workspace_is_named_with_the_command_that_brings_it_back() -> None:
    lost = HERE._replace(place=Place.MISSING, last_ns=1, checkpoints=3, total_bytes=5_000)

    assert list(workspaces.lines([lost], LOOK)) == [
        "api  00:00  3 checkpoints  5.0 kB  77777777",
        "    missing: /home/me/api",
        "",
        "`clew -w api restore @` brings a missing directory back;",
        "`clew init DIR --attach api` connects one that was moved to DIR.",
    ]


@pytest.mark.parametrize("name", ["my api", "a\x1bpi", "$(rm)", "-rf"])
def test_a_command_names_no_text_that_a_shell_would_read(name: str) -> None:
    lost = HERE._replace(name=name, place=Place.MISSING, checkpoints=1)

    text = "\n".join(workspaces.lines([lost], LOOK))

    assert "`clew -w 77777777 restore @`" in text
    assert "\x1b" not in text


def test_forks_the_machine_and_other_places_are_told() -> None:
    fork = HERE._replace(fork="try-1", source=INFO, place=Place.NONE)
    machine = HERE._replace(info=INFO._replace(machine=True, path=b"/"), place=Place.REPLACED)

    text = "\n".join(workspaces.lines([fork, machine], LOOK))

    assert "    fork try-1 of /home/me/api" in text
    assert "    no directory" in text
    assert "    another directory is there now: /" in text
    assert "    the whole machine" in text


def test_stores_are_named_only_where_there_are_several() -> None:
    other = HERE._replace(store="/var/lib/clew")

    assert not any("store:" in line for line in workspaces.lines([HERE, HERE], LOOK))
    assert any("store: /var/lib/clew" in line for line in workspaces.lines([HERE, other], LOOK))


def test_a_long_name_is_shortened_to_the_terminal() -> None:
    long = HERE._replace(name="宽" * 60, last_ns=1)

    first = next(iter(workspaces.lines([long], LOOK)))

    assert width_of(first) <= 60
    assert first.endswith("77777777")
