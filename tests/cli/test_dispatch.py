from __future__ import annotations

import json
import re
from importlib import import_module

import pytest

from clew import __version__
from clew.cli import suggestions
from clew.cli.commands import ALIASES, FORMER, GROUPS, VERBS, module_name
from clew.cli.completion import SCRIPTS
from clew.cli.declare import Option
from clew.cli.exits import ExitCode
from clew.cli.parse import parse
from tests.cli import samples
from tests.cli.fakes import FakeClew


def test_help_lists_every_command(fake: FakeClew) -> None:
    ran = fake.run("--help")

    assert ran.code == ExitCode.DONE
    assert ran.err == ""
    for verb in VERBS:
        assert f"\n  {verb:<12}" in ran.out


@pytest.mark.parametrize("columns", [200, 80, 60, 40])
@pytest.mark.parametrize("words", [["--help"], *([verb, "--help"] for verb in VERBS)])
def test_every_table_of_help_has_two_columns_that_fit(
    fake: FakeClew, words: list[str], columns: int
) -> None:
    fake.environ["COLUMNS"] = str(columns)
    tables = re.split(r"(?m)^(?:\S.*)?\n", fake.run(*words).out)
    for table in filter(None, tables):
        rows = table.splitlines()
        starts = {len(row[:2] + left) for row in rows if (left := _left_of(row[2:]))}

        assert len(starts) == 1, table
        (start,) = starts
        assert all(row[start - 2 : start] == "  " != row[start] for row in rows), table
        assert columns - start < 20 or max(map(len, rows)) <= columns, table


def _left_of(row: str) -> str:
    """Return the left column with the spaces after it, or nothing for a wrapped line."""
    found = re.match(r"\S+(?: \S+)*  +", row)
    return found[0] if found else ""


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_declares_what_the_list_says(verb: str) -> None:
    summaries = {name: summary for _, commands in GROUPS for name, summary in commands}
    command = import_module(module_name(verb) or "").COMMAND

    assert command.name == verb
    assert command.summary == summaries[verb]
    assert not command.summary.endswith(".")
    assert [alias for alias, name in ALIASES.items() if name == verb] == list(command.aliases)


@pytest.mark.parametrize("words", [("{}", "--help"), ("--help", "{}"), ("help", "{}")])
@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_help(fake: FakeClew, verb: str, words: tuple[str, str]) -> None:
    ran = fake.run(*(word.format(verb) for word in words))

    assert ran.code == ExitCode.DONE
    assert f"Usage: clew {verb}" in ran.out
    assert fake.library.opened == []


def test_help_is_given_also_among_words_that_make_no_sense(fake: FakeClew) -> None:
    assert fake.run("save", "--nonsense", "-h").code == ExitCode.DONE


def test_common_options_are_taken_before_and_after_the_verb(fake: FakeClew) -> None:
    before = fake.run("-C", "there", "--store", "s", "--json", "log")
    after = fake.run("log", "--json", "--store=s", "-C", "there")

    assert before == after
    assert fake.library.opened == [("there", "s", False)] * 2


def test_without_options_the_current_directory_is_meant(fake: FakeClew) -> None:
    fake.run("log")

    assert fake.library.opened == [(".", None, False)]


def test_the_workspace_is_closed_afterwards(fake: FakeClew) -> None:
    fake.run("log")

    assert fake.workspace.is_closed


def test_an_unknown_command_names_the_nearest(fake: FakeClew) -> None:
    ran = fake.run("chekpoint")

    assert ran.code == ExitCode.USAGE
    assert ran.out == ""
    assert ran.err == "Error: Unknown command: 'chekpoint'\nHint: Did you mean checkpoint?\n"


def test_a_mistake_under_json_is_json(fake: FakeClew) -> None:
    ran = fake.run("sav", "--json")

    assert ran.code == ExitCode.USAGE
    assert ran.err == ""
    assert json.loads(ran.out) == {
        "error": {
            "kind": "usage",
            "message": "Unknown command: 'sav'",
            "hint": "Did you mean save?",
        }
    }


def test_a_path_called_json_asks_for_no_json(fake: FakeClew) -> None:
    ran = fake.run("diff", "--", "--json")

    assert ran.out.startswith("7 changes")
    assert fake.workspace.asked == [
        ("diff", None, None, ["--json"], False),
        ("story", 1.0),
    ]


def test_an_interrupt_is_one_quiet_line(fake: FakeClew) -> None:
    fake.workspace.error = KeyboardInterrupt()  # type: ignore[assignment]
    ran = fake.run("gc")

    assert (ran.code, ran.out, ran.err) == (130, "", "Interrupted\n")


def test_a_closed_pipe_is_no_failure_to_talk_about(fake: FakeClew) -> None:
    fake.workspace.error = BrokenPipeError()
    ran = fake.run("log")

    assert (ran.code, ran.out, ran.err) == (141, "", "")


def test_an_error_of_the_system_is_one_sentence(fake: FakeClew) -> None:
    fake.workspace.error = PermissionError(13, "Permission denied", "/srv/\x1b[31m")
    ran = fake.run("log")

    assert ran.code == ExitCode.FAILED
    assert ran.err == (
        "Error: Permission denied: '/srv/\\x1b[31m'\n"
        "Hint: Check the permissions of that path, or run clew as another user\n"
    )


def test_a_bug_is_a_sentence_too(fake: FakeClew) -> None:
    fake.workspace.error = ZeroDivisionError("division by zero")
    ran = fake.run("log", "--json")

    assert ran.code == ExitCode.FAILED
    assert json.loads(ran.out)["error"] == {
        "kind": "internal",
        "message": "Unexpected ZeroDivisionError: division by zero",
        "hint": "This is a bug in clew; run the command again with CLEW_DEBUG=1 for a traceback",
    }


def test_debugging_shows_where_it_happened(fake: FakeClew) -> None:
    fake.workspace.error = ZeroDivisionError(samples.HOSTILE)
    fake.environ["CLEW_DEBUG"] = "1"
    ran = fake.run("log")

    assert "Traceback" in ran.err
    assert "\x1b" not in ran.err
    assert ran.code == ExitCode.FAILED


@pytest.mark.parametrize("words", [("--version",), ("version",), ("version", "--json")])
def test_the_version_is_an_option_and_a_command(fake: FakeClew, words: tuple[str, ...]) -> None:
    ran = fake.run(*words)

    assert (ran.code, ran.err) == (ExitCode.DONE, "")
    assert __version__ in ran.out
    assert fake.library.opened == []


@pytest.mark.parametrize("verb", VERBS)
def test_help_with_a_command_is_its_page(fake: FakeClew, verb: str) -> None:
    assert fake.run("help", verb) == fake.run(verb, "--help")


@pytest.mark.parametrize("words", [("help",), ("help", "help"), ("--help",)])
def test_help_alone_lists_the_commands(fake: FakeClew, words: tuple[str, ...]) -> None:
    ran = fake.run(*words)

    assert ran.code == ExitCode.DONE
    assert "Usage: clew COMMAND" in ran.out


def test_help_with_what_is_no_command_names_the_nearest(fake: FakeClew) -> None:
    ran = fake.run("help", "restor")

    assert ran.code == ExitCode.USAGE
    assert ran.err == "Error: Unknown command: 'restor'\nHint: Did you mean restore?\n"


def test_help_behind_a_command_is_told_where_it_goes(fake: FakeClew) -> None:
    ran = fake.run("gc", "help")

    assert ran.code == ExitCode.USAGE
    assert ran.err.endswith("Hint: Show the help with `clew gc --help`\n")


@pytest.mark.parametrize("word", suggestions.ELSEWHERE)
def test_a_word_of_another_tool_names_the_command_of_this_one(fake: FakeClew, word: str) -> None:
    ran = fake.run(word, "deadbeef")
    meant = suggestions.ELSEWHERE[word]

    assert ran.code == ExitCode.USAGE
    assert ran.err == (f"Error: Unknown command: {word!r}\nHint: Did you mean `clew {meant}`?\n")
    assert meant.split()[0] in VERBS
    assert module_name(word) is None


@pytest.mark.parametrize("former", FORMER)
def test_a_former_name_works_and_is_not_listed(fake: FakeClew, former: str) -> None:
    now = FORMER[former]

    assert fake.run(former, "--help") == fake.run(now, "--help")
    assert fake.run(former) == fake.run(now)
    assert not re.search(rf"^ +{former}\b", fake.run("--help").out, re.MULTILINE)
    assert f"clew {former}" not in fake.run(now, "--help").out


def hidden_spellings() -> list[tuple[str, str, Option]]:
    commands = [import_module(module_name(verb) or "").COMMAND for verb in VERBS]
    return [
        (command.name, flag, option)
        for command in commands
        for option in command.options
        for flag in option.hidden
    ]


@pytest.mark.parametrize(("verb", "flag", "option"), hidden_spellings())
def test_a_hidden_spelling_is_the_option_and_is_not_listed(
    fake: FakeClew, verb: str, flag: str, option: Option
) -> None:
    command = import_module(module_name(verb) or "").COMMAND
    words = [positional.noun for positional in command.positionals if positional.required]
    value = [option.value] if option.value else []

    arguments = parse(command, [*words, flag, *value])
    assert arguments.all(option.key) == (value or [""])
    assert flag not in re.findall(r"[\w-]+", fake.run(verb, "--help").out)
    for shell in SCRIPTS:
        assert not re.search(rf"{flag}\b", "".join(SCRIPTS[shell]())) or flag == "-m"


def test_the_hidden_spellings_are_known_to_this_test() -> None:
    assert {(verb, flag) for verb, flag, _ in hidden_spellings()} == {
        ("restore", "--preview"), ("adopt", "--preview"), ("prune", "--preview"),
        ("save", "--message"), ("edit", "-m"), ("edit", "--message"),
    }  # fmt: skip


def test_a_mistyped_option_is_not_told_a_hidden_spelling(fake: FakeClew) -> None:
    assert "--preview" not in fake.run("restore", "good", "--previev").err
