"""What `clew doctor` runs: the configured hooks, the registered servers, a save and a restore."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import clew
from clew.agents import setup
from clew.agents.hooks import log
from clew.agents.setup import activity, hook_exercise
from clew.agents.setup.catalogue import AGENTS, hooks_of
from clew.agents.setup.doctor import SILENCE_NS
from clew.agents.setup.exercise_space import exercise_space
from clew.agents.setup.restore_exercise import restore_exercise
from clew.model.setup_results import Check, CheckOutcome, Checkup
from tests.agents_setup.conftest import PROGRAM, Place

SECOND = 1_000_000_000


def check(found: Checkup, name: str) -> Check:
    (one,) = [one for one in found.checks if one.name == name]
    return one


def program(place: Place, text: str) -> None:
    (place.bin / "clew").write_text(text)


def test_the_exercises_leave_nothing_behind(place: Place, tmp_path: Path) -> None:
    setup.enable("claude-code", mcp=True)

    def everything() -> object:
        with clew.open(place.project) as workspace:
            checkpoints = [one.id for one in workspace.log().checkpoints]
            sessions = workspace.sessions.all()
        store = sorted(
            str(path) for path in (tmp_path / "store").rglob("*") if "-wal" not in path.name
        )
        state = sorted(map(str, (place.home / ".local").rglob("*")))
        return checkpoints, sessions, store, state, place.everything()

    before = everything()
    found = setup.doctor()

    assert found.problems == ()
    assert found.heard_ns is None
    assert everything() == before
    assert list((tmp_path / "store/tmp").iterdir()) == []


def test_a_hook_of_a_clew_that_does_not_answer_is_told(place: Place) -> None:
    setup.enable("claude-code")
    program(place, "#!/bin/sh\nexit 0\n")
    found = check(setup.doctor(), "hook/claude-code")

    assert found.outcome == CheckOutcome.FAILED
    assert found.detail.endswith(f"starts a clew that does not answer: {place.bin / 'clew'}")
    assert "run `clew enable claude-code` again" in found.remedy


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\necho broken >&2\nexit 2\n", "it exits with 2: broken"),
        ("#!/bin/sh\necho welcome\n", "it prints something else than an answer: welcome"),
        ("#!/nowhere/python\n", "it exits with 12"),
    ],
)
def test_a_hook_that_fails_is_told(place: Place, text: str, why: str) -> None:
    setup.enable("gemini")
    program(place, text)
    found = check(setup.doctor(), "hook/gemini")

    assert found.outcome == CheckOutcome.FAILED
    assert why in found.detail
    assert log.recent(log.log_path(os.environ)) == []


def test_a_hook_that_hangs_is_ended(place: Place) -> None:
    program(place, "#!/bin/sh\nexec sleep 100\n")
    agent = AGENTS["claude-code"]
    answer = hook_exercise.send_test_event(agent, "clew hook claude-code", str(place.project), 0.2)

    assert answer.error == "it does not end within 0 seconds"


def test_a_hook_that_answers_and_cannot_save_is_told(place: Place) -> None:
    setup.enable("codex")
    broken = "\nimport clew.agents.watch as w\ndef stopped(*a, **k): raise OSError(28, 'full')\n"
    program(
        place, PROGRAM.replace("from clew.app", f"{broken}w.Watch.stopped = stopped\nfrom clew.app")
    )
    found = check(setup.doctor(), "hook/codex")

    assert found.outcome == CheckOutcome.FAILED
    assert found.detail == "The hook of Codex took no checkpoint: [Errno 28] full"
    assert log.recent(log.log_path(os.environ)) == []


def test_a_hook_that_uses_another_store_is_told(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with clew.open(place.project, create=True) as workspace:
        workspace.save()
    setup.enable("claude-code", store=str(other))
    found = check(setup.doctor(store=str(other)), "hook/claude-code")

    assert found.outcome == CheckOutcome.FAILED
    assert found.remedy == f"Set CLEW_HOME={other} where it starts"


def test_hooks_that_are_turned_off_are_told(place: Place) -> None:
    setup.enable("claude-code")
    mine = place.home / ".claude/settings.json"
    mine.parent.mkdir()
    mine.write_text('{"disableAllHooks": true}')

    assert [one.hint for one in setup.doctor().problems] == [f"Remove disableAllHooks from {mine}"]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_server_of_every_agent_lists_its_tools(
    place: Place, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.enable(agent, mcp=True)
    found = check(setup.doctor(), f"mcp/{agent}")

    assert found.outcome == CheckOutcome.PASSED, found
    assert re.search(r"offers \d\d tools: ", found.detail)


def test_a_server_without_its_dependency_is_told_with_its_remedy(place: Place) -> None:
    setup.enable("claude-code", mcp=True)
    program(place, PROGRAM.replace("import sys\n", "import sys\nsys.modules['mcp'] = None\n"))
    found = check(setup.doctor(), "mcp/claude-code")

    assert found.outcome == CheckOutcome.FAILED
    assert found.detail == (
        "The MCP server of Claude Code does not start: it ends without an answer:"
        " Optional dependency not installed: mcp"
    )
    assert found.remedy == "Install it with `pip install 'clew[mcp]'`"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\nexit 3\n", "it ends without an answer"),
        ("#!/bin/sh\necho welcome; cat > /dev/null\n", "something else than messages: welcome"),
        ('#!/bin/sh\necho \'{"id": 1, "error": {}}\'; cat > /dev/null\n', "with an error"),
    ],
)
def test_a_server_that_fails_is_told(place: Place, text: str, why: str) -> None:
    setup.enable("claude-code", mcp=True)
    program(place, text)
    found = check(setup.doctor(), "mcp/claude-code")

    assert found.outcome == CheckOutcome.FAILED
    assert why in found.detail
    assert found.remedy.startswith("Run `clew mcp` to see why")


def test_a_program_that_is_gone_is_told(place: Place) -> None:
    setup.enable("claude-code", mcp=True)
    (place.bin / "clew").rename(place.bin / "other")
    os.environ["PATH"] = os.environ["PATH"].replace(f"{place.bin}:", "")
    found = [one for one in setup.doctor().checks if one.outcome == CheckOutcome.FAILED]

    assert {"settings/claude-code"} <= {one.name for one in found}
    assert all(one.remedy for one in found)


@pytest.mark.parametrize(
    "command",
    [
        "./clew hook claude-code",
        "$(touch sprung) hook claude-code",
        "command -v clew $(touch sprung); clew hook claude-code",
        "[ -x {project}/clew ] || exit 0; PYTHONPATH= exec {project}/clew hook claude-code",
        "PYTHONPATH= exec {project}/clew hook claude-code",
    ],
)
@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json"])
def test_doctor_starts_no_program_of_a_project(place: Place, command: str, name: str) -> None:
    trap = place.project / "clew"
    trap.write_text("#!/bin/sh\ntouch sprung\n")
    trap.chmod(0o755)
    text = command.format(project=place.project)
    settings = place.project / name
    settings.parent.mkdir()
    agent = AGENTS["claude-code"]
    settings.write_text(json.dumps({"hooks": hooks_of(agent, text)}))
    server = {"command": str(trap), "args": ["mcp"], "env": {"PYTHONPATH": ""}}
    (place.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"clew": server}}))
    with clew.open(place.project, create=True) as workspace:
        workspace.save()
    found = setup.doctor()

    assert not (place.project / "sprung").exists()
    assert "mcp/claude-code" in [one.name for one in found.checks]
    assert all(one.outcome != CheckOutcome.PASSED for one in found.checks if "claude" in one.name)


def test_doctor_takes_no_environment_from_a_project(place: Place) -> None:
    setup.enable("claude-code", mcp=True)
    path = place.project / ".mcp.json"
    path.write_text(path.read_text().replace('"PYTHONPATH": ""', '"PYTHONPATH": "."'))
    found = check(setup.doctor(), "mcp/claude-code")

    assert found.outcome == CheckOutcome.FAILED
    assert found.remedy == "Run `clew enable claude-code --mcp` again"


def test_a_restore_that_leaves_something_out_is_noticed(place: Place, tmp_path: Path) -> None:
    with clew.open(place.project, create=True) as workspace:
        store = workspace.store.path
    with exercise_space(store) as space:
        assert restore_exercise(space) == []
    with exercise_space(store) as space:
        with space.open() as workspace:
            workspace.settings.set("exclude", "text")
        differences = restore_exercise(space)

    assert "content differs: 'text'" in differences
    assert "extended attributes differs: 'text'" not in differences


def test_a_disk_that_cannot_be_written_is_told(place: Place, tmp_path: Path) -> None:
    setup.enable("codex")
    (tmp_path / "store/tmp").rmdir()
    (tmp_path / "store/tmp").symlink_to("/proc")  # where nothing can be created
    found = check(
        setup.doctor(explain=lambda error: f"remedy for {type(error).__name__}"), "restore"
    )

    assert found.outcome == CheckOutcome.FAILED
    assert found.remedy == "remedy for FileNotFoundError"


# Activity


def transcript(place: Place, agent: str, directory: str | None = None) -> Path:
    """Return the path of a transcript of the project, as the agent would name it."""
    name = re.sub("[^a-zA-Z0-9]", "-", directory or str(place.project))
    path = {
        "claude-code": f".claude/projects/{name}/s.jsonl",
        "codex": ".codex/sessions/2026/11/16/rollout-s.jsonl",
        "gemini": ".gemini/tmp/w/chats/session-s.jsonl",
        "qwen": f".qwen/projects/{name}/chats/s.jsonl",
    }[agent]
    found = place.home / path
    found.parent.mkdir(parents=True, exist_ok=True)
    if agent == "gemini":
        (found.parents[1] / ".project_root").write_text(directory or str(place.project))
    return found


def write(path: Path, cwd: object, at_ns: int, changed_ns: int | None = None) -> None:
    at = datetime.fromtimestamp(at_ns // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%S.123Z")
    path.write_text(json.dumps({"timestamp": at, "cwd": str(cwd)}) + "\n")
    os.utime(path, ns=(changed_ns or at_ns, changed_ns or at_ns))


def later(seconds: int) -> int:
    return datetime.now().timestamp().__int__() * SECOND + SILENCE_NS + seconds * SECOND


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen"])
def test_an_agent_that_works_without_hooks_is_told(place: Place, agent: str) -> None:
    setup.enable(agent)
    quiet = check(setup.doctor(), f"activity/{agent}")
    write(transcript(place, agent), place.project, later(60))
    found = check(setup.doctor(), f"activity/{agent}")

    assert quiet.outcome == CheckOutcome.SKIPPED
    assert found.outcome == CheckOutcome.FAILED
    assert re.search(
        r"has written to its transcript at .*\d\d:\d\d, and no hook has run since it was enabled at",
        found.detail,
    )
    assert found.remedy == AGENTS[agent].if_silent


def test_an_agent_whose_hooks_stopped_is_told_since_when(place: Place) -> None:
    setup.enable("claude-code")
    path = transcript(place, "claude-code")
    path.write_text("{}\n")
    with clew.open(place.project) as workspace:
        session = workspace.sessions.open(
            agent="claude-code", native="s", transcript=str(path), kind="claude-code"
        )
        with workspace.sessions.scratch(session.id):
            pass
    heard = check(setup.doctor(), "activity/claude-code")
    write(path.with_name("another.jsonl"), place.project, later(60))
    found = check(setup.doctor(), "activity/claude-code")

    assert heard.outcome == CheckOutcome.PASSED
    assert re.search(r", and no hook has run since \d\d:\d\d$", found.detail)


def test_messages_that_a_restore_wrote_again_are_no_activity(place: Place) -> None:
    setup.enable("claude-code")
    write(transcript(place, "claude-code"), place.project, SECOND, changed_ns=later(60))

    assert check(setup.doctor(), "activity/claude-code").outcome == CheckOutcome.SKIPPED


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini"])
def test_work_in_another_project_is_no_activity(place: Place, agent: str) -> None:
    setup.enable(agent)
    other = f"{place.project}-2"
    write(transcript(place, agent, other), other, later(60))

    assert check(setup.doctor(), f"activity/{agent}").outcome == CheckOutcome.SKIPPED


def test_work_below_the_project_is_activity(place: Place) -> None:
    below = str(place.project / "src")
    write(transcript(place, "claude-code", below), below, 60 * SECOND)

    assert activity.last_transcript("claude-code", str(place.project), 0) is not None


def test_hostile_transcripts_are_no_trouble(place: Place) -> None:
    setup.enable("codex")
    path = transcript(place, "codex")
    os.mkfifo(path)
    os.utime(path, ns=(later(60), later(60)))
    (path.parent / "b.jsonl").write_bytes(
        b'{"cwd": "\\ud800", "timestamp": "9999-99-99T00:00:00Z"}'
    )

    assert setup.doctor().checks
