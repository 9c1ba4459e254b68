"""What each command asks of the library, and what it answers with."""

from __future__ import annotations

import json

import pytest

from clew.cli.exits import ExitCode
from clew.errors import ObjectCorrupt, UnknownReference
from clew.model.results import Log
from clew.model.verdict import Verdict
from tests.cli import samples
from tests.cli.fakes import FakeClew


def test_init_takes_the_directory_by_name_or_by_common_option(fake: FakeClew) -> None:
    fake.run("init", "there", "--machine", "--exclude", "*.o", "--exclude=tmp", "--attach", "77")
    fake.run("-C", "here", "init")
    fake.run("init")

    assert fake.library.opened == [
        ("init", "there", None, True, ["*.o", "tmp"], "77"),
        ("init", "here", None, False, [], None),
        ("init", None, None, False, [], None),
    ]


def test_init_says_where_things_are(fake: FakeClew) -> None:
    assert fake.run("init").out == (
        "Created workspace: /home/me/project\nStore: /home/me/.local/share/clew\n"
    )


@pytest.mark.parametrize("verb", ["save", "checkpoint"])
def test_save_passes_on_all_that_it_is_told(fake: FakeClew, verb: str) -> None:
    fake.run(
        *(verb, "my intent", "--name", "n", "--description=d", "--verify", "make test"),
        *("--timeout", "90s", "--meta", "a=1", "--meta", "b=x=y", "--skip-unchanged"),
        *("--session", "5e5e"),
    )

    assert fake.library.opened == [(".", None, True)]
    assert fake.workspace.asked == [
        (
            "save",
            "my intent",
            {
                "name": "n",
                "description": "d",
                "verify": "make test",
                "check": False,
                "timeout": "90s",
                "meta": {"a": "1", "b": "x=y"},
                "skip_unchanged": True,
                "session": "5e5e",
            },
        )
    ]


def test_save_shows_a_card(fake: FakeClew) -> None:
    ran = fake.run("save")

    assert ran.code == ExitCode.DONE
    assert ran.err == "counted later\n"  # a notice that a save brings along is said
    assert ran.out.startswith("●  04040404  checkpoint-4  11:00  ← here\n  try the new login\n")


def test_save_refuses_meta_without_a_value_before_it_captures(fake: FakeClew) -> None:
    ran = fake.run("save", "--meta", "ticket")

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith("Error: --meta: not KEY=VALUE: 'ticket'\n")
    assert fake.workspace.asked == []


def test_a_save_that_could_not_read_everything_fails_only_when_strict(fake: FakeClew) -> None:
    assert fake.run("save").code == ExitCode.DONE
    assert fake.run("save", "--strict").code == ExitCode.PARTIAL


def test_a_strict_save_of_everything_is_done(fake: FakeClew) -> None:
    fake.workspace.saved = samples.SAVED._replace(checkpoint=samples.NAMED, verdict=None)

    assert fake.run("save", "--strict").code == ExitCode.DONE


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (samples.verdict(0), ExitCode.DONE),
        (samples.verdict(0)._replace(is_flaky=True), ExitCode.DONE),
        (samples.verdict(0)._replace(changed_count=1), ExitCode.DONE),
        (samples.verdict(1), ExitCode.VERIFICATION),
        (samples.verdict(1)._replace(is_flaky=True), ExitCode.VERIFICATION),
        (samples.verdict(None)._replace(end_reason="timeout"), ExitCode.VERIFICATION),
        (samples.verdict(None)._replace(end_reason="interrupted"), ExitCode.VERIFICATION),
    ],
)
def test_what_the_check_says_is_the_exit_code_only_of_a_strict_save(
    fake: FakeClew, verdict: Verdict, code: int
) -> None:
    fake.workspace.saved = samples.SAVED._replace(checkpoint=samples.NAMED, verdict=verdict)

    assert fake.run("save", "--verify", "npm test").code == ExitCode.DONE
    assert fake.run("save", "--verify", "npm test", "--strict").code == code


@pytest.mark.parametrize(
    ("words", "command", "hint"),
    [
        (["--check"], "npm test", "`clew verify @`"),
        (["--verify", "npm test"], "npm test", "`clew verify @ -- 'npm test'`"),
        (["--check"], "http://localhost/", "`clew verify @ --serve COMMAND`"),
    ],
)
def test_where_inputs_changed_the_next_step_is_a_private_copy(
    fake: FakeClew, words: list[str], command: str, hint: str
) -> None:
    disturbed = samples.verdict(command=command)._replace(changed_count=1)
    fake.workspace.saved = samples.SAVED._replace(verdict=disturbed)

    assert fake.run("save", *words).err == (
        f"counted later\nHint: Run the check in a sandboxed copy with {hint}\n"
    )


def test_a_check_of_its_own_needs_a_workspace_that_is_there(fake: FakeClew) -> None:
    fake.run("save", "--check")

    assert fake.library.opened == [(".", None, False)]


@pytest.mark.parametrize(
    "words",
    [
        ["--verify", ""],
        ["--verify", "true", "--check"],
        ["--verify", "true", "--timeout", "soon"],
        ["--verify", "true", "--timeout", "0s"],
        ["--timeout", "5s"],
    ],
)
def test_checks_that_make_no_sense_are_refused_before_a_workspace_is_made(
    fake: FakeClew, words: list[str]
) -> None:
    assert fake.run("save", *words).code == ExitCode.USAGE
    assert fake.library.opened == []


def test_good_shows_who_vouches_for_it(fake: FakeClew) -> None:
    ran = fake.run("good")

    assert ran.code == ExitCode.DONE
    assert ran.out.splitlines() == [
        "●  02020202  before-auth  Sun 10:07  pinned",
        "  before the auth refactor",
        "  ✔ npm test: passing in the workspace, 11:07",
    ]


def test_where_nothing_is_good_the_next_step_is_a_check(fake: FakeClew) -> None:
    fake.workspace.error = UnknownReference("good")
    ran = fake.run("good")

    assert ran.code == ExitCode.USAGE
    assert ran.err == (
        "Error: No checkpoint matches: 'good'\n"
        "Hint: Run a check with `clew save --verify COMMAND` or `clew verify REF`; none has passed yet\n"
    )


def test_the_first_save_says_what_it_made_and_read(fake: FakeClew) -> None:
    fake.workspace.is_new = True
    fake.workspace.info = samples.INFO._replace(here=None)
    ran = fake.run("save")

    assert ran.err == (
        "Created workspace with its store in /home/me/.local/share/clew:"
        " /home/me/project\n"
        "Read 1,234 entries, 5.6 MB; later saves read only what changed\n"
        "counted later\n"
    )


def test_the_first_save_of_a_known_workspace_does_not_claim_to_have_made_it(
    fake: FakeClew,
) -> None:
    fake.workspace.info = samples.INFO._replace(here=None)

    assert fake.run("save").err.startswith("Read 1,234 entries")


def test_a_prune_that_would_remove_what_somebody_made_needs_a_yes(fake: FakeClew) -> None:
    fake.workspace.pruned = samples.PRUNED._replace(made=1)
    ran = fake.run("prune", "--keep-last", "1")

    assert ran.code == ExitCode.UNCONFIRMED
    assert "Would remove 1 checkpoint" in ran.out
    assert ran.err == (
        "Error: Confirmation required: 1 manual checkpoint would be removed\n"
        "Hint: List them with --dry-run, or remove them with --yes\n"
    )
    assert fake.run("prune", "--keep-last", "1", "--yes").code == ExitCode.DONE


def test_an_unconfirmed_prune_tells_in_json_what_would_go(fake: FakeClew) -> None:
    fake.workspace.pruned = samples.PRUNED._replace(made=1)
    found = json.loads(fake.run("--json", "prune", "--keep-last", "1").out)

    assert found["error"]["kind"] == "prune-needs-confirmation"
    assert found["prune"]["rules"] == ["hourly"]
    assert found["prune"]["manual_count"] == 1


def test_log_passes_on_its_filters(fake: FakeClew) -> None:
    fake.run(
        "log", "a", "-n", "5", "--grep", "x", "--path=p", "--verdict", "passing", "--since", "1d",
        "--package", "flask", "--failed", "--session", "none",
    )  # fmt: skip

    assert fake.workspace.asked == [
        (
            "log",
            {
                "limit": 5,
                "grep": "x",
                "path": ["a", "p"],
                "verdict": "passing",
                "since": "1d",
                "session": "none",
                "package": "flask",
                "failed": True,
                "tasks": False,
                "branches": True,
            },
        )
    ]


def test_json_lists_the_whole_timeline_and_reads_no_branches(fake: FakeClew) -> None:
    found = json.loads(fake.run("log", "--json", "--no-graph").out)

    assert len(found["checkpoints"]) == len(fake.workspace.timeline.checkpoints)
    (_, asked) = fake.workspace.asked[0]
    assert isinstance(asked, dict)
    assert not asked["branches"]


def test_a_graph_is_drawn_or_not(fake: FakeClew) -> None:
    ran = fake.run("log", "--graph", "--no-graph")

    assert ran.code == 2
    assert "--graph: cannot be combined with --no-graph" in ran.err


def test_an_empty_log_says_what_to_do(fake: FakeClew) -> None:
    fake.workspace.timeline = Log(None, ())

    assert fake.run("log") == (0, "", "No checkpoints yet: run `clew save`\n")
    assert fake.run("log", "--grep", "x") == (0, "", "No checkpoint matches\n")
    assert fake.run("log", "--json").out == '{"current": null, "checkpoints": []}\n'


def test_show_takes_a_reference(fake: FakeClew) -> None:
    ran = fake.run("show", "@~2")

    assert fake.workspace.asked == [("show", "@~2", False)]
    assert "  meta         ticket = AB-12\n" in ran.out


def test_show_lists_paths_when_asked(fake: FakeClew) -> None:
    assert "      .venv/flask\n" in fake.run("show", "@", "--paths").out
    assert fake.workspace.asked == [("show", "@", True)]
    assert ".venv/flask\n" not in fake.run("show", "@").out


def test_blame_takes_anything_and_says_when_it_changed(fake: FakeClew) -> None:
    ran = fake.run("blame", "flask")

    assert fake.workspace.asked == [("blame", "flask")]
    assert ran.out.startswith("11:00  04040404  try the new login\n    package.changed flask")


def test_status_compares_with_the_workspace_as_it_is(fake: FakeClew) -> None:
    assert fake.run("status").out.startswith("2 changes since 04040404 (try the new login):\n")
    assert json.loads(fake.run("status", "--json").out)["to"] is None


def test_edit_passes_on_only_what_was_given(fake: FakeClew) -> None:
    fake.run("edit", "@", "--name", "", "--unpin")

    assert fake.workspace.asked == [
        (
            "edit",
            "@",
            {
                "intent": None, "name": "", "description": None, "pin": False, "meta": {},
                "notes": [],
            },
        ),
        ("show", "02" * 32, False),
    ]  # fmt: skip


def test_edit_passes_on_metadata_and_notes(fake: FakeClew) -> None:
    fake.run("edit", "@", "--meta", "k=v=w", "--meta=gone=", "--note", "one", "--note=two")

    assert fake.workspace.asked[0] == (
        "edit",
        "@",
        {
            "intent": None, "name": None, "description": None, "pin": None,
            "meta": {"k": "v=w", "gone": ""}, "notes": ["one", "two"],
        },
    )  # fmt: skip
    assert fake.run("edit", "@", "--meta", "no equals sign").code == ExitCode.USAGE


def test_a_verdict_is_noted_by_hand(fake: FakeClew) -> None:
    assert fake.run("verdict", "@", "failing", "--note", "the page is blank").code == ExitCode.DONE
    assert fake.workspace.asked == [("note_verdict", "@", "failing", "the page is blank")]
    assert fake.run("verdict", "@").code == ExitCode.USAGE


@pytest.mark.parametrize("words", [(), ("--pin", "--unpin")])
def test_edit_refuses_to_change_nothing_or_two_things_at_once(
    fake: FakeClew, words: tuple[str, ...]
) -> None:
    assert fake.run("edit", "@", *words).code == ExitCode.USAGE
    assert fake.workspace.asked == []


def test_diff_takes_moments_and_paths(fake: FakeClew) -> None:
    fake.run("diff", "a", "b", "--", "src", "-x")

    assert fake.workspace.asked == [("diff", "a", "b", ["src", "-x"], False)]


@pytest.mark.parametrize("option", ["--facts", "--json"])
def test_diff_tells_the_story_only_to_whoever_asks(fake: FakeClew, option: str) -> None:
    ran = fake.run("diff", "a", "b", option)

    assert fake.workspace.asked == [("diff", "a", "b", [], True)]
    assert "git will run something new" in ran.out


def test_a_patch_leaves_secrets_out_unless_told_not_to(fake: FakeClew) -> None:
    fake.run("diff", "--patch")
    fake.run("diff", "--patch", "--reveal")

    assert [call for call in fake.workspace.asked if call[0] == "patch"] == [
        ("patch", False),
        ("patch", True),
    ]


def test_diff_has_one_shape_at_a_time(fake: FakeClew) -> None:
    ran = fake.run("diff", "--stat", "--patch")

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith("Error: --stat: cannot be combined with --patch\n")
    assert fake.run("diff", "--patch", "--facts").code == ExitCode.USAGE


def test_a_patch_is_safe_to_read_and_exact_in_json(fake: FakeClew) -> None:
    assert "+\tnew \\x1b[31m\n" in fake.run("diff", "--patch").out
    assert "+\tnew \x1b[31m\n" in json.loads(fake.run("diff", "--patch", "--json").out)["patch"]
    assert "patch" not in json.loads(fake.run("diff", "--json").out)


def test_cat_copies_bytes_as_they_are(fake: FakeClew) -> None:
    fake.workspace.content = ["naïve".encode()[:3], "naïve".encode()[3:]]
    ran = fake.run("cat", "@", "x")

    assert ran.out == "naïve"
    assert fake.workspace.asked == [("cat", "@", "x")]


def test_cat_does_not_let_a_file_drive_the_terminal(fake: FakeClew) -> None:
    fake.workspace.content = ["é\n\t".encode()[:1], "é\n\t".encode()[1:], b"\x1b[2J\xff"]

    assert fake.run("cat", "@", "x", tty=True).out == "é\n\t\\x1b[2J\\xff"


def test_cat_gives_json_of_any_bytes(fake: FakeClew) -> None:
    assert json.loads(fake.run("cat", "@", "x", "--json").out) == {
        "path": "x",
        "size": 8,
        "is_redacted": False,
        "content": "one\ntwo\n",
    }

    fake.workspace.content = [b"\xff\x00"]

    assert json.loads(fake.run("cat", "@", "x", "--json").out)["content_b64"] == "/wA="


def test_cat_redacts_a_secret_on_a_terminal_and_in_json(fake: FakeClew) -> None:
    fake.workspace.content = [b"db:\n  pass", b"word: Hafen331\n  port: 5432\n"]
    shown = "db:\n  password: [redacted]\n  port: 5432\n"

    assert fake.run("cat", "@", "a.yaml", tty=True).out == shown
    found = json.loads(fake.run("cat", "@", "a.yaml", "--json").out)
    assert (found["content"], found["is_redacted"], found["size"]) == (shown, True, 38)


def test_cat_reveals_a_secret_to_whoever_asks_for_it(fake: FakeClew) -> None:
    fake.workspace.content = [b"password: Hafen331\n"]

    assert fake.run("cat", "@", "a.yaml").out == "password: Hafen331\n"  # a file, got back
    assert fake.run("cat", "@", "a.yaml", "--reveal", tty=True).out == "password: Hafen331\n"
    found = json.loads(fake.run("cat", "@", "a.yaml", "--json", "--reveal").out)
    assert (found["content"], found["is_redacted"]) == ("password: Hafen331\n", False)


def test_ls_lists_the_root_or_a_path(fake: FakeClew) -> None:
    fake.run("ls", "@")
    fake.run("ls", "@", "src")

    assert fake.workspace.asked == [("ls", "@", None), ("ls", "@", "src")]


def test_delete_takes_many_references(fake: FakeClew) -> None:
    fake.run("delete", "a", "b", "--purge")

    assert fake.workspace.asked == [("delete", ["a", "b"], True)]


def test_prune_passes_on_its_policy(fake: FakeClew) -> None:
    fake.run("prune", "--keep-last", "0", "--keep-within", "7d", "--max-bytes", "5GB", "--dry-run")

    assert fake.workspace.asked == [
        ("prune", {"keep_last": 0, "keep_within": "7d", "max_bytes": "5GB", "dry_run": True})
    ]


def test_check_exits_by_what_it_finds(fake: FakeClew) -> None:
    assert fake.run("check", "--read-data", "--store", "s").code == ExitCode.DONE
    assert fake.library.opened == [("check", "s", True, False)]

    fake.library.checked = samples.DAMAGED_STORE
    ran = fake.run("check")

    assert ran.code == ExitCode.DAMAGED
    assert "  ✘ packs/7f.pack: a frame does not match its checksum\n" in ran.out


def test_gc_and_stats_answer(fake: FakeClew) -> None:
    assert fake.run("gc").out.startswith("Freed 80.0 kB: 120 objects, 2 packs\n")
    assert fake.run("stats").out.startswith("store        /home/me/.local/share/clew\n")


def test_config_lists_gets_sets_and_unsets(fake: FakeClew) -> None:
    assert fake.run("config").out == "exclude = \nkeep-last = 100\nmax-bytes = 5GB\n"
    assert fake.run("config", "get", "keep-last").out == "100\n"
    assert fake.run("config", "set", "keep-last", "7").out == "keep-last = 7\n"
    assert fake.run("config", "unset", "keep-last").code == ExitCode.DONE
    assert fake.workspace.asked == [
        ("set_config", "keep-last", "7"),
        ("unset_config", "keep-last"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sett", "a", "b"], "Unknown action for clew config: 'sett'"),
        (["get"], "Missing argument: KEY"),
        (["set", "a"], "Missing argument: VALUE"),
        (["get", "keep-last", "7"], "Unexpected argument: '7'"),
        (["get", "nothing"], "nothing: no such setting"),
    ],
)
def test_config_refuses_what_makes_no_sense(fake: FakeClew, words: list[str], message: str) -> None:
    ran = fake.run("config", *words)

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"Error: {message}\n")
    assert fake.workspace.asked == []


def test_an_error_half_way_through_a_file_is_not_hidden(fake: FakeClew) -> None:
    def pieces() -> object:
        yield b"one\n"
        raise ObjectCorrupt("packs/7f.pack")

    fake.workspace.content = pieces()  # type: ignore[assignment]
    ran = fake.run("cat", "@", "x")

    assert ran.code == ExitCode.DAMAGED
    assert ran.out == "one\n"
    assert ran.err.startswith("Error: Stored data does not match its checksum: packs/7f.pack\n")
