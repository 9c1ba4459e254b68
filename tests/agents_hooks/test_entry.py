"""`clew hook`: invalid input and errors are logged and never stop the agent."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.agents_hooks.hooking import LONGEST, Hook, batch
from tests.kit.running import Clew, Ran

TOKEN = "msgtoken-5f2d8a91c3b7e640"


def is_harmless(ran: Ran) -> bool:
    """Tell whether an agent goes on after this."""
    return ran.code == 0 and (ran.out == "" or isinstance(json.loads(ran.out), dict))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON: 0 bytes"),
        (b"{", "not JSON"),
        (b'{"hook_event_name": "St', "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'"Stop"', "not a JSON object"),
        (b"[" * (1 << 20), "not JSON"),
        (b'{"a":' * 200_000, "not JSON"),
    ],
)
def test_what_is_no_event_is_a_line_in_the_log(hook: Hook, content: bytes, message: str) -> None:
    ran = hook.run(content)

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    (line,) = hook.log
    assert message in line["message"]
    assert line["agent"] == "claude-code"


def test_an_event_of_a_newer_version_is_nothing_to_us(hook: Hook) -> None:
    ran = hook.run(b'{"hook_event_name": "BrandNew", "session_id": "x"}')

    assert ran == Ran(0, "", "")
    assert hook.log == []


@pytest.mark.parametrize("words", [("nobody",), ("--machine",), ("",), ("Claude-Code",)])
def test_an_agent_that_nobody_knows_goes_on(hook: Hook, words: tuple[str, ...]) -> None:
    ran = hook.run(batch(hook), *words)

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "Unknown agent" in hook.log[0]["message"]


def test_an_option_of_a_newer_version_is_passed_over(hook: Hook) -> None:
    (hook.clew.workspace / "made.txt").write_text("made")
    ran = hook.run(batch(hook), "claude-code", "--brand-new", "-x")

    assert ran == Ran(0, "", "")
    assert len(hook.clew.ids()) == 2


def test_a_directory_that_is_gone_is_where_nothing_is_kept(hook: Hook, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *hook.clew.command("hook")]
    done = subprocess.run(
        [*command, "claude-code"],
        cwd=gone,
        env=hook.environment,
        input=json.dumps(hook.payload("Stop", cwd="")).encode(),
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, b"")


def test_a_workspace_that_is_gone_keeps_its_history(hook: Hook, tmp_path: Path) -> None:
    (hook.clew.workspace / "kept.txt").unlink()
    hook.clew.workspace.rmdir()
    ran = hook.run(batch(hook), cwd=tmp_path)
    hook.clew.workspace.mkdir()
    hook.clew.restore("checkpoint-1")

    assert is_harmless(ran)
    assert (hook.clew.workspace / "kept.txt").read_text() == "to be kept"


def test_without_a_first_checkpoint_the_log_says_what_makes_it(clew: Clew) -> None:
    clew.ok("init")
    hook = Hook(clew)
    ran = hook.run(batch(hook))

    assert ran == Ran(0, "", "")
    assert "run `clew save`" in hook.log[0]["message"]


def test_without_a_workspace_it_is_said_once_at_the_start(clew: Clew) -> None:
    hook = Hook(clew)
    said = hook.tell("SessionStart")
    others = ("UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "PostToolBatch", "Stop")
    later = [hook.tell(name) for name in others]

    assert list(said) == ["systemMessage"]
    assert "clew takes no checkpoints here" in said["systemMessage"]
    assert later == [None] * len(others)
    assert not clew.store.exists()


def test_a_log_that_cannot_be_written_is_said_on_standard_error(hook: Hook) -> None:
    (Path(hook.environment["HOME"]) / ".local").write_text("in the way")
    ran = hook.run(b"{")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "clew: a hook failed, and the error could not be logged\n"


def test_events_that_name_no_session_are_of_one(hook: Hook) -> None:
    for number, name in enumerate((None, "", 7, ["x"])):
        (hook.clew.workspace / f"{number}.txt").write_text("x")
        hook.tell("Stop", session_id=name)
    sessions = hook.clew.json("session", "list")["sessions"]

    assert len(sessions) == 1


def test_after_a_restore_the_next_answer_carries_the_brief_and_only_that_one(hook: Hook) -> None:
    hook.tell("SessionStart")
    start = hook.clew.ids()[-1]
    (hook.clew.workspace / "made.txt").write_text("made")
    hook.after("make")
    hook.clew.restore(start)
    told = hook.after("ls")
    again = hook.tell("UserPromptSubmit")

    assert told["hookSpecificOutput"]["hookEventName"] == "PostToolBatch"
    assert "added made.txt" in told["hookSpecificOutput"]["additionalContext"]
    assert again is None


def test_nobody_reads_the_answer_and_nothing_is_lost(hook: Hook) -> None:
    hook.clew.ok("config", "set", "gate", "on")
    process = hook.start()
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    given = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    content = json.dumps(hook.payload("PreToolUse", **given)).encode()
    process.communicate(content, timeout=LONGEST)

    assert process.returncode == 0


def test_the_environment_of_a_hook_is_written_nowhere(hook: Hook) -> None:
    hook.clew.extra["CLAUDE_CODE_MESSAGING_TOKEN"] = TOKEN
    hook.tell("SessionStart")
    hook.tell("UserPromptSubmit")
    hook.tell("PreToolUse")
    (hook.clew.workspace / "made.txt").write_text("made")
    hook.after("make")
    hook.tell("Stop")
    hook.run(b"{")
    shown = [
        hook.clew.ok(*words).out
        for words in (("show", "@", "--json"), ("log", "--json"), ("session", "show", "--json"))
    ]

    assert len(hook.log) == 1
    assert TOKEN.encode() not in hook.everything()
    assert all(TOKEN not in text for text in shown)
