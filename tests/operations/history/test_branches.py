"""How the checkpoints of a timeline are connected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.agents.watch import Call, EndedCall, Watch
from clew.model.record import Origin
from clew.model.results import Branches, Log
from clew.workspace import Workspace
from tests.operations.moments import save


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def ws(project: Path, tmp_path: Path) -> Iterator[Workspace]:
    with opening.open(project, store=tmp_path / "store", create=True) as opened:
        yield opened


def branches(log: Log) -> Branches:
    assert log.branches is not None
    return log.branches


def parents(log: Log) -> dict[str, str]:
    """Return the intents of listed checkpoints and of the ones below them."""
    intents = {one.id: one.labels.intent for one in log.checkpoints}
    if (here := branches(log).here) is not None:
        intents[here.id] = here.labels.intent
    return {intents[one]: intents[below] for one, below in branches(log).parents.items()}


def write(project: Path, text: str, name: str = "file.txt") -> None:
    (project / name).write_text(text)


@pytest.fixture
def ids(ws: Workspace, project: Path) -> dict[str, str]:
    """Save one, two and three; restore one, and save four."""
    found = {}
    for name in ("one", "two", "three"):
        write(project, name)
        found[name] = save(ws, name)
    ws.restore(found["one"])
    write(project, "four")
    found["four"] = save(ws, "four")
    return found


def test_without_being_asked_a_log_does_not_tell(ws: Workspace, ids: dict[str, str]) -> None:
    assert ws.log().branches is None


def test_what_was_saved_after_a_restore_follows_the_restored_one(
    ws: Workspace, ids: dict[str, str]
) -> None:
    assert parents(ws.log(branches=True)) == {"four": "one", "three": "two", "two": "one"}


def test_what_is_not_listed_is_passed_over(ws: Workspace, ids: dict[str, str]) -> None:
    for name in ("one", "three"):
        ws.edit(ids[name], notes=["wanted"])
    assert parents(ws.log(branches=True, grep="wanted")) == {"three": "one"}

    ws.delete([ids["two"]])
    assert parents(ws.log(branches=True)) == {"four": "one", "three": "one"}


def test_the_current_checkpoint_is_always_told(ws: Workspace, ids: dict[str, str]) -> None:
    ws.restore(ids["one"])
    newest = ws.log(limit=1, branches=True)
    here = branches(newest).here

    assert [one.labels.intent for one in newest.checkpoints] == ["four"]
    assert here is not None
    assert here.labels.intent == "one"
    assert here.is_here
    assert branches(newest).unlisted_count == 2
    assert parents(newest) == {"four": "one"}
    assert branches(ws.log(limit=9, branches=True)).here is None
    assert branches(ws.log(limit=1, branches=True, grep="o")).here is None


def test_a_fork_begins_at_its_base_and_is_adopted(
    ws: Workspace, ids: dict[str, str], project: Path, tmp_path: Path
) -> None:
    ws.forks.create(ids["two"], str(tmp_path / "again"))
    (unused,) = branches(ws.log(branches=True)).forks
    assert (unused.name, unused.base.hex(), unused.saves) == ("again", ids["two"], 0)

    write(tmp_path / "again", "other", "new.txt")
    with opening.open(tmp_path / "again", store=tmp_path / "store") as fork:
        save(fork, "in the fork")
    ws.forks.adopt("again", favour="theirs")
    log = ws.log(branches=True)
    (used,) = branches(log).forks

    assert (used.saves, used.headline) == (1, "added new.txt")
    assert branches(log).adopted == {log.checkpoints[0].id: used.workspace}


def agent_at_work(ws: Workspace, project: Path) -> Watch:
    watch = Watch.begin(ws, agent="example", native="one")
    watch.started()
    watch.prompted("build: it")
    return watch


def test_a_failed_call_is_told_with_the_state_in_which_it_failed(
    ws: Workspace, ids: dict[str, str], project: Path
) -> None:
    watch = agent_at_work(ws, project)
    call = Call("Bash", {"command": "make"}, "c1")
    watch.after(EndedCall(call, "Exit code 2"))
    (failure,) = branches(ws.log(branches=True)).failures

    assert (failure.call, failure.reason) == ("make", "Exit code 2")
    assert failure.before.hex() == ids["four"]
    assert [one.id.hex() for one in ws.log(failed=True).checkpoints] == [ids["four"]]


def test_a_checkpoint_of_a_hook_knows_its_prompt(ws: Workspace, project: Path) -> None:
    save(ws, "begin")
    watch = agent_at_work(ws, project)
    write(project, "1")
    watch.after(EndedCall(Call("Bash", {"command": "echo: 1"}, "c1")))
    newest = ws.log().checkpoints[0]

    assert newest.labels.intent == "build: it: echo: 1"
    assert newest.labels.prompt == "build: it"
    assert newest.labels.meta == ()
    assert ws.edit(newest.id.hex(), intent="other").labels.prompt == "build: it"


def test_edits_of_code_by_an_agent_are_routine(ws: Workspace, project: Path) -> None:
    steps: dict[str, Callable[[], None]] = {
        "edited": lambda: write(project, "def f():\n    pass\n", "a.py"),
        "again": lambda: write(project, "def f():\n    return 1\n", "a.py"),
        "settings": lambda: write(project, "DB_URL=x\n", ".env"),
        "deleted": (project / "a.py").unlink,
    }
    save(ws, "begin")
    for intent, step in steps.items():
        step()
        ws.save(intent, origin=Origin.HOOK)
    write(project, "def g():\n    pass\n", "b.py")
    save(ws, "by hand")
    log = ws.log(branches=True)
    routine = [one.labels.intent for one in log.checkpoints if one.id in branches(log).routine]

    assert routine == ["again", "edited"]


def test_a_checkpoint_from_which_something_begins_is_not_routine(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    save(ws, "begin")
    for number in range(4):
        write(project, f"def f():\n    return {number}\n", "a.py")
        ws.save(f"step {number}", origin=Origin.HOOK)
    save(ws, "end")
    ws.forks.create("@~2", str(tmp_path / "again"))
    log = ws.log(branches=True)
    routine = [one.labels.intent for one in log.checkpoints if one.id in branches(log).routine]

    assert routine == ["step 3", "step 1", "step 0"]
