"""Links in a project: `enable`, `disable` and `doctor` change nothing outside it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import clew
from clew.agents import setup
from clew.agents.setup import files, receipts
from clew.agents.setup.catalogue import AGENTS, PROJECT
from clew.agents.setup.paths import parts_of
from clew.errors import BadAgentSettings
from clew.worktree.syscalls import RENAME_EXCHANGE, rename
from tests.agents_setup.conftest import Place

FILES = sorted(
    {
        (agent.name, os.path.relpath(part.path, "/"))
        for agent in AGENTS.values()
        for part in parts_of(agent, PROJECT, "/")
    }
)
"""Every file that enabling an agent may write in a project."""


def everything(agent: str) -> None:
    setup.enable(agent, skill=True, instructions=True, mcp=True)


def content(path: Path) -> str:
    """Return something that could be edited where the file is really the agent's."""
    return "{}" if path.suffix == ".json" else "a = 1\n" if path.suffix == ".toml" else ""


def to_a_file(path: Path, outside: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    target = outside / f"target{path.suffix}"
    target.write_text(content(path))
    path.symlink_to(target)


def to_nothing(path: Path, outside: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(outside / "not-there")


def by_its_directory(path: Path, outside: Path) -> None:
    """Make the first directory of a path a link; a file at the top has none."""
    if path.parent == Path.cwd():
        to_a_file(path, outside)
        return
    first = path.parent
    while first.parent != Path.cwd():
        first = first.parent
    (outside / path.relative_to(first)).parent.mkdir(parents=True, exist_ok=True)
    (outside / path.relative_to(first)).write_text(content(path))
    first.symlink_to(outside)


def by_a_directory_that_is_not_there(path: Path, outside: Path) -> None:
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    if path.parent == Path.cwd():
        to_nothing(path, outside)
    else:
        path.parent.symlink_to(outside / "not-there")


def in_two_steps(path: Path, outside: Path) -> None:
    (Path.cwd() / "step").symlink_to(outside)
    (outside / "target").write_text(content(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(Path.cwd() / "step" / "target", path.parent))


def in_a_circle(path: Path, outside: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(path.name)


TRAPS = [
    to_a_file,
    to_nothing,
    by_its_directory,
    by_a_directory_that_is_not_there,
    in_two_steps,
    in_a_circle,
]


def contents(directory: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
    }


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
@pytest.mark.parametrize(("agent", "name"), FILES)
def test_no_link_leads_enable_out_of_the_project(
    place: Place, tmp_path: Path, agent: str, name: str, trap: Callable[[Path, Path], None]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    trap(place.project / name, outside)
    before = contents(outside)
    with pytest.raises(BadAgentSettings) as caught:
        everything(agent)

    assert caught.value.path.startswith(str(place.project))
    assert contents(outside) == before
    setup.disable()
    setup.doctor()
    assert contents(outside) == before


def test_the_refusal_names_the_link_and_where_it_leads(place: Place, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.write_text("{}")
    link = place.project / ".claude/settings.local.json"
    link.parent.mkdir()
    link.symlink_to(profile)
    with pytest.raises(BadAgentSettings) as caught:
        setup.enable("claude-code")

    assert str(caught.value) == (
        f"Cannot edit file (symbolic link out of the project, to {str(profile)!r}): {str(link)!r}"
    )
    assert profile.read_text() == "{}"


@pytest.mark.parametrize("target", ["AGENTS.md", "docs/AGENTS.md"])
def test_a_link_to_a_file_of_the_project_is_written_through(place: Place, target: str) -> None:
    """`CLAUDE.md` is a link to `AGENTS.md` in many projects."""
    page = place.project / target
    page.parent.mkdir(exist_ok=True)
    page.write_text("# Ours\n")
    link = place.project / "CLAUDE.md"
    link.symlink_to(target)
    setup.enable("claude-code", instructions=True)
    assert link.is_symlink()
    assert "clew:start" in page.read_text()
    setup.disable()

    assert link.is_symlink()
    assert page.read_text() == "# Ours\n"


def test_a_directory_linked_within_the_project_is_written_through(place: Place) -> None:
    (place.project / "tools/claude").mkdir(parents=True)
    (place.project / ".claude").symlink_to("tools/claude")
    before = place.everything()
    everything("claude-code")
    assert (place.project / "tools/claude/settings.local.json").exists()
    setup.disable()

    assert place.everything() == before


def test_disable_leaves_what_a_link_now_leads_to(place: Place, tmp_path: Path) -> None:
    """Somebody moves the settings elsewhere after they were enabled, and links them."""
    setup.enable("claude-code")
    settings = place.project / ".claude/settings.local.json"
    moved = tmp_path / "settings.json"
    settings.rename(moved)
    settings.symlink_to(moved)
    before = moved.read_text()
    result = setup.disable("claude-code")

    assert [one.path for one in result.left] == [str(settings)]
    assert "link out of the project" in result.left[0].why
    assert moved.read_text() == before
    assert any("link out of the project" in one.what for one in setup.doctor().problems)


def test_disable_removes_no_directory_that_a_receipt_merely_names(
    place: Place, tmp_path: Path
) -> None:
    setup.enable("claude-code")
    settings = str(place.project / ".claude/settings.local.json")
    empty = tmp_path / "empty"
    empty.mkdir()
    (place.project / "kept").mkdir()
    receipt = receipts.find(settings)
    assert receipt is not None
    named = (*receipt.directories, str(empty), str(place.project / "kept"))
    receipts.write(settings, receipt._replace(directories=named))
    setup.disable("claude-code")

    assert empty.exists()
    assert (place.project / "kept").exists()
    assert not (place.project / ".claude").exists()


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.mkdir(path)])
def test_what_is_no_file_neither_blocks_nor_breaks(
    place: Place, make: Callable[[Path], None]
) -> None:
    (place.project / ".gemini").mkdir()
    make(place.project / ".gemini/settings.json")
    with pytest.raises(BadAgentSettings, match="not a regular file"):
        setup.enable("gemini")
    setup.disable()
    setup.doctor()


def test_a_second_name_of_a_file_outside_is_not_written(place: Place, tmp_path: Path) -> None:
    """A file may have two names; the one outside keeps what was in it."""
    other = tmp_path / "other.json"
    other.write_text("{}")
    settings = place.project / ".claude/settings.local.json"
    settings.parent.mkdir()
    os.link(other, settings)
    setup.enable("claude-code")

    assert other.read_text() == "{}"
    assert "hooks" in json.loads(settings.read_text())


def test_a_directory_swapped_for_a_link_meanwhile_leads_nowhere(
    place: Place, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "settings.json").write_text("{}")
    real, link = place.project / ".claude", place.project / ".link"
    real.mkdir()
    link.symlink_to(outside)
    (real / "settings.json").write_text("{}")
    stop = threading.Event()

    def swap() -> None:
        here = os.open(place.project, os.O_RDONLY)
        while not stop.is_set():
            rename(here, b".claude", here, b".link", RENAME_EXCHANGE)
        os.close(here)

    thread = threading.Thread(target=swap)
    thread.start()
    refused = written = 0
    try:
        while refused + written < 3_000 or not (refused and written):
            try:
                files.write(str(real / "settings.json"), "{ }", str(place.project))
                written += 1
            except (BadAgentSettings, OSError):
                refused += 1
    finally:
        stop.set()
        thread.join()

    assert contents(outside) == {"settings.json": b"{}"}


def test_settings_of_a_person_may_be_linked_anywhere(place: Place, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (place.home / ".claude").symlink_to(dotfiles)
    before = place.everything()
    setup.enable("claude-code", scope="user", skill=True, instructions=True)
    assert "hooks" in json.loads((dotfiles / "settings.json").read_text())
    setup.disable(scope="user")

    assert place.everything() == before
    assert (place.home / ".claude").is_symlink()
    assert contents(dotfiles) == {}


def test_a_project_that_is_reached_by_a_link_is_still_one(place: Place, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(place.project)
    setup.enable("claude-code", link)

    assert (place.project / ".claude/settings.local.json").exists()
    with clew.open(place.project) as workspace:
        assert workspace.log().checkpoints
