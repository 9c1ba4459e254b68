"""What the commands about sessions and tasks ask of the library, and what they answer with."""

from __future__ import annotations

import json

import pytest

from clew.cli.exits import ExitCode
from clew.model.results import Log
from tests.cli import samples, samples_sessions
from tests.cli.fakes import FakeClew


def test_attach_passes_on_who_is_at_work(fake: FakeClew) -> None:
    fake.run(
        *("session", "attach", "--agent", "example", "--agent-version", "1.4"),
        *("--name", "run 7", "--transcript", "t.jsonl", "--format", "jsonl"),
    )

    assert fake.workspace.asked == [
        (
            "session",
            {
                "agent": "example",
                "version": "1.4",
                "native": "run 7",
                "transcript": "t.jsonl",
                "kind": "jsonl",
            },
        )
    ]


def test_attach_takes_a_known_session_by_itself(fake: FakeClew) -> None:
    ran = fake.run("session", "attach", "5e5e")

    assert fake.workspace.asked == [("attach_session", "5e5e")]
    assert ran.out == "Session 5e5e5e5e (example 1.4, run 7) is attached: checkpoints record it\n"


def test_detach_says_what_is_not_attached_any_more(fake: FakeClew) -> None:
    ran = fake.run("session", "detach")

    assert ran.out == "Session 5e5e5e5e (example 1.4, run 7) is detached\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bogus"], "Unknown action for clew session: 'bogus'"),
        (["list", "5e5e"], "Unexpected argument: '5e5e'"),
        (["detach", "5e5e"], "Unexpected argument: '5e5e'"),
        (["attach", "5e5e", "--agent", "x"], "--agent: cannot be combined with ID"),
        (["show", "--to", "2"], "--to: does not apply to `clew session show`"),
        (["show", "--messages", "some"], "--messages: must be a whole number"),
        (["migrate"], "--to: a version is required"),
        (["list", "--checkpoint", "@"], "--checkpoint: does not apply to `clew session list`"),
    ],
)
def test_what_makes_no_sense_is_refused(fake: FakeClew, words: list[str], message: str) -> None:
    ran = fake.run("session", *words)

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"Error: {message}")
    assert fake.workspace.asked == []


def test_a_list_of_sessions_reads_in_columns(fake: FakeClew) -> None:
    assert fake.run("session").out.splitlines() == [
        (
            "●  5e5e5e5e  example  1.4  run 7                        10:17      1/5 tasks  4 checkpoints"
            "  ← attached"
        ),
        "○  a0a0a0a0                \\x1b[31mred\\x07 \\u202eevil…  Sun 09:07             1 checkpoint",
    ]


def test_no_sessions_name_the_next_step(fake: FakeClew) -> None:
    fake.workspace.session_list = []
    ran = fake.run("session", "list")

    assert (ran.code, ran.out) == (ExitCode.DONE, "")
    assert "clew session attach" in ran.err


def test_a_session_is_shown_in_full_and_safely(fake: FakeClew) -> None:
    ran = fake.run("session", "show", "5e5e", "--messages", "2")

    assert fake.workspace.asked == [("show_session", "5e5e", 2)]
    assert ran.out.splitlines() == [
        "Session 5e5e5e5e (example 1.4, run 7)  ← attached",
        "  id           5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
        "  started      2026-01-05 10:17:00 +00:00",
        "  last active  2026-01-05 11:00:00 +00:00",
        "  format       jsonl",
        "  transcript   /home/me/run-7.jsonl",
        "  conversation 2.3 kB, and 1 message that no checkpoint holds yet",
        "  state        11 B",
        "",
        "1 of 5 tasks done, 1 failed, 1 skipped:",
        "  ✔ 1  write the login",
        "  ✘ 2  test it  (no network)",
        "  ▸ 3  deploy it  since 10:57",
        "  ○ 4  tell the others",
        "  – 5  buy a cake",
        "",
        "Effects:",
        "  3  done  deploy web v3: it answers  (undo: deploy web v2)",
        "",
        "12 checkpoints:",
        "  ●  Sun 10:07  02020202  before-auth · before the auth refactor",
        "  `clew log --session 5e5e5e5e` shows all",
        "",
        "Last messages:",
        "  user: deploy it",
        "  assistant: It is \\x1b[31mred\\x07 \\u202eevil…",
    ]


def test_what_a_tool_was_given_is_not_shown(fake: FakeClew) -> None:
    assert "hunter2" not in fake.run("session", "show", "--json").out


def test_files_are_marked_by_what_was_done_with_them(fake: FakeClew) -> None:
    ran = fake.run("session", "files", "5e5e", "--checkpoint", "@")

    assert fake.workspace.asked == [("session_files", "5e5e", "@")]
    assert ran.out.splitlines() == [
        "3 files touched in session 5e5e5e5e (example 1.4, run 7):",
        "  R   /etc/hosts",
        "  RM  src/app.py",
        "   M  src/new.py  (seen in the snapshots)",
    ]


def test_many_files_are_not_all_shown(fake: FakeClew) -> None:
    one = samples_sessions.FILES.files[0]
    many = tuple(one._replace(path=b"%04d" % number) for number in range(300))
    fake.workspace.touched = samples_sessions.FILES._replace(files=many, omitted_count=1000)
    ran = fake.run("session", "files")

    assert len(ran.out.splitlines()) == 202
    assert ran.out.endswith("  and 1,100 more; --json lists them\n")
    assert len(json.loads(fake.run("session", "files", "--json").out)["files"]) == 300


def test_migrate_passes_on_what_it_is_told(fake: FakeClew) -> None:
    ran = fake.run("session", "migrate", "5e5e", "--to", "2.0", "--with", "upgrade", "--agent", "b")

    assert fake.workspace.asked == [
        ("migrate_session", "5e5e", {"version": "2.0", "agent": "b", "convert": "upgrade"})
    ]
    assert ran.out == (
        "Session 5f5f5f5f (example 2.0, run 7) continues 5e5e5e5e (example 1.4, run 7)\n"
        "  with 2.3 kB of conversation, 1 of 5 tasks done, 1 failed, 1 skipped,"
        " its state converted\n"
    )


@pytest.mark.parametrize(
    ("action", "status"),
    [("start", "in-progress"), ("done", "completed"), ("fail", "failed"), ("skip", "skipped")],
)
def test_each_action_says_how_far_a_task_is(fake: FakeClew, action: str, status: str) -> None:
    ran = fake.run("task", action, "3", "--note", "why", "--session", "5e5e")

    assert fake.workspace.asked == [("mark_task", 3, status, "why", "5e5e")]
    assert ran.out == "▸ 3  deploy it  since 10:57\n"


def test_a_new_task_says_when_a_session_was_begun_for_it(fake: FakeClew) -> None:
    fake.workspace.task_change = samples_sessions.CHANGE._replace(is_new_session=True)
    ran = fake.run("task", "add", "deploy it")

    assert fake.workspace.asked == [("add_task", "deploy it", None)]
    assert ran.err == "Started session: 5e5e5e5e\n"


def test_a_task_list_begins_with_how_far_it_is(fake: FakeClew) -> None:
    assert fake.run("task").out.startswith(
        "1 of 5 tasks done, 1 failed, 1 skipped, session 5e5e5e5e (example 1.4, run 7)\n"
        "  ✔ 1  write the login\n"
    )
    fake.workspace.task_list = samples_sessions.LIST._replace(tasks=())
    assert fake.run("task") == (0, "", "No tasks yet: run `clew task add TITLE`\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bogus"], "Unknown action for clew task: 'bogus'"),
        (["add"], "Missing argument: TASK"),
        (["done"], "Missing argument: TASK"),
        (["done", "two"], "TASK: must be a whole number, 1 or more: 'two'"),
        (["done", "0"], "TASK: must be a whole number, 1 or more: '0'"),
        (["done", "-1"], "Unknown option for clew task: '-1'"),
        (["done", "9" * 30], "TASK: must be a whole number, 1 or more"),
        (["add", "x", "--note", "y"], "--note: does not apply to `clew task add`"),
        (["list", "3"], "Unexpected argument: '3'"),
    ],
)
def test_tasks_that_make_no_sense_are_refused(
    fake: FakeClew, words: list[str], message: str
) -> None:
    ran = fake.run("task", *words)

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"Error: {message}")
    assert fake.workspace.asked == []


def test_resume_names_the_task_and_the_way_to_its_checkpoint(fake: FakeClew) -> None:
    ran = fake.run("resume", "--session", "5e5e")

    assert fake.workspace.asked == [("resume", "5e5e")]
    assert ran.out.splitlines() == [
        "Next: task 3 of 5",
        "  ▸ 3  deploy it  since 10:57",
        "Open after it: 4",
        "Continue from 02020202 (before-auth · before the auth refactor): `clew restore 02020202`",
    ]


def test_resume_is_content_where_all_is_done(fake: FakeClew) -> None:
    done = samples_sessions.TASKS[:1]
    here = samples_sessions.CHECKPOINT._replace(is_here=True)
    fake.workspace.resumed = samples_sessions.RESUME._replace(
        task=None, tasks=done, checkpoint=here
    )
    ran = fake.run("resume")

    assert ran.code == ExitCode.DONE
    assert ran.out.splitlines() == [
        "1 of 1 task done: nothing left to do in session 5e5e5e5e (example 1.4, run 7)",
        (
            "Its newest checkpoint is 02020202 (before-auth · before the auth refactor),"
            " where the workspace is"
        ),
    ]


def test_resume_without_tasks_or_checkpoints_says_so(fake: FakeClew) -> None:
    fake.workspace.resumed = samples_sessions.RESUME._replace(task=None, tasks=(), checkpoint=None)
    ran = fake.run("resume")

    assert ran.code == ExitCode.DONE
    assert ran.out.splitlines() == [
        "Session 5e5e5e5e (example 1.4, run 7) has no tasks",
        "No checkpoint of this session yet: `clew save`",
    ]


def test_a_timeline_names_the_agent_and_the_person(fake: FakeClew) -> None:
    fake.workspace.timeline = Log(None, (samples_sessions.CHECKPOINT, samples.FIRST))
    both = [line for line in fake.run("log").out.splitlines() if line.startswith("●")]
    fake.workspace.timeline = Log(None, (samples.FIRST,))
    alone = fake.run("log").out

    assert [line.split()[3] for line in both] == ["example", "you"]
    assert "you" not in alone


def test_two_sessions_of_one_agent_are_told_apart_by_digits(fake: FakeClew) -> None:
    one = samples_sessions.CHECKPOINT
    position = one.record.position._replace(session=bytes([0xA0]) * 16)
    other = one._replace(record=one.record._replace(position=position))
    fake.workspace.timeline = Log(None, (one, one, other, other))
    headings = [line.strip() for line in fake.run("log").out.splitlines() if "example" in line]

    assert headings == ["example 5e5e5e5e (2 checkpoints)", "example a0a0a0a0 (2 checkpoints)"]


def test_a_card_says_who_was_at_work_and_how_far(fake: FakeClew) -> None:
    saved = samples.SAVED._replace(checkpoint=samples_sessions.CHECKPOINT, verdict=None)
    fake.workspace.saved = saved

    assert (
        "  session 5e5e5e5e (example 1.4): 2.3 kB of conversation, 1 of 5 tasks done, 1 failed, 1 skipped,"
        " 2 effects, 1 forgotten\n"
    ) in fake.run("save").out


def test_a_position_is_in_the_json_of_a_checkpoint(fake: FakeClew) -> None:
    fake.workspace.timeline = Log(None, (samples_sessions.CHECKPOINT,))

    assert json.loads(fake.run("log", "--json").out)["checkpoints"][0]["position"] == {
        "session": "5e" * 16,
        "agent": "example",
        "version": "1.4",
        "conversation_bytes": 2300,
        "task_counts": {"pending": 1, "in-progress": 1, "completed": 1, "failed": 1, "skipped": 1},
        "last_effect": 3,
        "effects_not_in_history": [1],
    }
