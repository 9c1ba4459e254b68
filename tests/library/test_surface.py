"""The library: typed, documented, and with every power that the command line has."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, get_type_hints

import pytest

import clew
from clew import opening
from clew.agents import setup
from clew.cli.commands import VERBS
from clew.errors import ClewError
from clew.model import (
    bisect_search,
    exclude_effects,
    grep_results,
    offer,
    overview,
    restore_results,
    results,
    sandbox_results,
    search_results,
    session_results,
    workspace_status,
)
from clew.monitor import Monitor, RecordingMonitor
from clew.operations import context
from clew.policy.approval import decision
from clew.workspace import Workspace, steps, workspace
from clew.workspace.effects import Effects
from clew.workspace.forks import Forks
from clew.workspace.sessions import Sessions
from clew.workspace.settings import Settings
from clew.workspace.store import WorkspaceStore
from clew.workspace.tasks import Tasks

PARTS: dict[str, type] = {
    "": Workspace,
    "sessions.": Sessions,
    "tasks.": Tasks,
    "effects.": Effects,
    "forks.": Forks,
    "settings.": Settings,
    "store.": WorkspaceStore,
}
PUBLIC = {
    f"{part}{name}": getattr(owner, name)
    for part, owner in PARTS.items()
    for name in dir(owner)
    if not name.startswith("_")
}
METHODS: dict[str, Callable[..., object]] = {
    name: member for name, member in PUBLIC.items() if inspect.isfunction(member)
}
FUNCTIONS: dict[str, Callable[..., object]] = {
    name: getattr(opening, name)
    for name in ("open", "init", "check_store", "open_named", "workspaces", "search")
}
RESULTS: dict[str, object] = {
    name: member
    for module in (
        offer, overview, session_results, decision, restore_results, results, sandbox_results, bisect_search, exclude_effects, steps, search_results, workspace_status, grep_results,
        contextlib, context, workspace,
    )
    for name, member in vars(module).items()
}  # fmt: skip
"""Named in signatures; a hook, which has no use for them, does not import them."""


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_documented_in_whole_thoughts(name: str) -> None:
    text = inspect.getdoc(PUBLIC[name])

    assert text
    first = text.split("\n\n")[0]
    assert first[0].isupper()
    assert first.endswith((".", "?", "N."))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_is_documented(name: str) -> None:
    assert inspect.getdoc(FUNCTIONS[name])


@pytest.mark.parametrize(
    "function", [*METHODS.values(), *FUNCTIONS.values()], ids=[*METHODS, *FUNCTIONS]
)
def test_everything_is_typed(function: Callable[..., object]) -> None:
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]

    hints = get_type_hints(function, localns={**RESULTS, "NoReturn": NoReturn})

    assert set(parameters) | {"return"} <= set(hints)


def test_options_are_given_by_name() -> None:
    """What has a default and is no object of the verb cannot be mistaken for another."""
    plain = {"intent", "ref", "refs", "path", "a", "b", "steps", "key", "value", "subject"}
    plain |= {
        "good",
        "bad",
        "command",
        "attempts",
        "fork",
        "directory",
        "title",
        "number",
        "status",
    }
    plain |= {"action", "arguments", "event", "handler", "kind", "pattern", "text", "tool", "word"}
    for name, method in METHODS.items():
        for parameter in inspect.signature(method).parameters.values():
            if parameter.kind == parameter.POSITIONAL_OR_KEYWORD and parameter.name != "self":
                assert parameter.name in plain | {"difference"}, (name, parameter.name)


def test_every_command_has_its_verb() -> None:
    spelled = {
        "try": "try_commands", "task": "tasks.list", "effect": "effects.list",
        "session": "sessions.list", "brief": "sessions.brief", "resume": "tasks.resume",
        "fork": "forks.create", "forks": "forks.list", "compare": "forks.compare",
        "adopt": "forks.adopt", "discard": "forks.discard", "enter": "forks.enter",
        "config": "settings.all",
        "verdict": "note_verdict", "gc": "store.gc", "fsck": "store.check", "stats": "store.stats",
    }  # fmt: skip

    wanted = {spelled.get(verb, verb) for verb in VERBS}
    wanted -= {
        "repl",
        "mcp",
        "hook",
        "completion",
        "prompt",
    }  # clew.repl, clew.mcp, agents.hooks, cli
    wanted -= set(setup.__all__)
    assert wanted <= {*METHODS, *FUNCTIONS}


def test_the_example_of_the_package_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path / "project")

    with clew.open(".", create=True) as ws:
        cp = ws.save("before auth refactor", verify="true").checkpoint

    assert cp.labels.intent == "before auth refactor"
    assert cp.verdict is not None
    assert cp.verdict.status == "passing"


def test_a_workspace_is_closed_at_the_end_of_its_block(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with clew.open(tmp_path / "project", tmp_path / "store", create=True) as ws:
        ws.save()

    with pytest.raises(Exception, match="closed"):
        ws.log()


def test_a_path_may_be_text_or_a_path(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    for path in (tmp_path / "project", str(tmp_path / "project")):
        with clew.open(path, tmp_path / "store", create=True) as ws:
            assert ws.info.path == bytes(tmp_path / "project")


def test_whoever_watches_hears_of_the_work(tmp_path: Path) -> None:
    class Watcher(RecordingMonitor):
        shows_progress = True
        heard: set[str] = set()

        def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
            self.heard.add(phase)
            assert total is None or done <= total

    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file").write_text("1")
    watcher = Watcher()
    with clew.open(tmp_path / "project", tmp_path / "store", create=True) as ws:
        first = ws.save(monitor=watcher).checkpoint.id.hex()
        (tmp_path / "project" / "file").write_text("2")
        ws.restore(first, monitor=watcher)

    assert watcher.heard == {"scan", "stage"}
    assert watcher.problems == []


def test_a_monitor_may_be_deaf() -> None:
    monitor = Monitor()

    monitor.progress("scan", 1, None)
    monitor.notice("x")
    monitor.problem(b"x", "y")
    monitor.waiting("x")

    assert monitor.shows_progress is False


def test_a_store_can_be_checked_without_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with clew.open(tmp_path / "project", tmp_path / "store", create=True) as ws:
        ws.save()

    assert clew.check_store(tmp_path / "store", read_data=True).whole
    with pytest.raises(ClewError):
        clew.check_store(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "verb", ["log", "show", "blame", "status", "diff", "ls", "stats", "config"]
)
def test_looking_changes_nothing_in_the_store(tmp_path: Path, verb: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file").write_text("x")
    with clew.open(tmp_path / "project", tmp_path / "store", create=True) as ws:
        ws.save()
        before = _packs(tmp_path / "store")
        looks: dict[str, Callable[[], object]] = {
            "log": ws.log,
            "show": lambda: ws.show("@"),
            "blame": lambda: ws.blame(str(tmp_path / "project" / "file")),
            "status": ws.status,
            "diff": ws.diff,
            "ls": lambda: ws.ls("@"),
            "stats": ws.store.stats,
            "config": ws.settings.all,
        }
        looks[verb]()

        assert len(ws.log().checkpoints) == 1
        assert _packs(tmp_path / "store") == before


def _packs(store: Path) -> list[tuple[str, int]]:
    return sorted((path.name, path.stat().st_mtime_ns) for path in (store / "packs").iterdir())


def test_there_are_few_verbs() -> None:
    """What belongs to sessions, tasks, effects, forks and settings is in their own parts."""
    verbs = [name for name in METHODS if "." not in name]

    assert len(verbs) <= 41
    assert len(Workspace.__mro__) == 2
