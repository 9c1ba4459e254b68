"""The user's own settings: read, refused, listed and changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from clew.cli.user_settings import read_user_settings, user_file
from tests.cli.fakes import FakeClew

UNKNOWN = "there are color, log.limit, pager"


@pytest.fixture
def file(fake: FakeClew, tmp_path: Path) -> Path:
    """The user's file, which does not exist yet."""
    fake.environ["XDG_CONFIG_HOME"] = str(tmp_path)
    return tmp_path / "clew" / "config.toml"


def write(file: Path, text: str | bytes) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def test_the_file_is_where_the_environment_says() -> None:
    assert user_file({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}) == "/x/clew/config.toml"
    assert user_file({"HOME": "/h"}) == "/h/.config/clew/config.toml"
    assert user_file({"XDG_CONFIG_HOME": "here", "HOME": "/h"}) == "/h/.config/clew/config.toml"


def test_without_a_file_the_defaults_are_in_force(fake: FakeClew, file: Path) -> None:
    user = read_user_settings(fake.environ)

    assert (user["pager"], user["color"], user["log.limit"]) == ("auto", "auto", "0")
    assert user.problems == []
    assert not file.exists()


def test_what_the_file_sets_is_in_force(fake: FakeClew, file: Path) -> None:
    write(file, 'pager = "less -S"\n[log]\nlimit = 5\n')
    user = read_user_settings(fake.environ)

    assert (user["pager"], user["color"], user["log.limit"]) == ("less -S", "auto", "5")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1\npagr = 'more'\n", "line 1: no such setting: 'x'; " + UNKNOWN),
        ("\nlog.limit = 'x'\n", "line 2: log.limit must be a whole number"),
        ("log.limit = -1", "line 1: log.limit must be a whole number"),
        ("log.limit = true", "line 1: log.limit must be a whole number"),
        ("color = 'blue'", "line 1: color must be auto, always or never"),
        ("pager = 1", "line 1: pager must be text in quotes"),
        (
            "exclude = '*.o'",
            "line 1: exclude belongs to a workspace: use `clew config set exclude`",
        ),
        ("store = '/x'", "line 1: store is not read from here, because hooks read no file: set $C"),
        ("pager = more", "is not TOML: Invalid value (at line 1, column 9)"),
        (b"pager = '\xff'", "is not UTF-8 text"),
        ("x = 1\n" + "#" * (1 << 20), "is too large"),
    ],
)
def test_what_is_wrong_is_one_warning_and_the_command_goes_on(
    fake: FakeClew, file: Path, text: str | bytes, problem: str
) -> None:
    write(file, text)
    ran = fake.run("log")

    assert ran.code == ExitCode.DONE
    assert ran.out == FakeClew().run("log").out
    assert ran.err.startswith(f"Warning: {file}: {problem}")
    assert ran.err.count("\n") == 1


def test_one_warning_counts_the_others(fake: FakeClew, file: Path) -> None:
    write(file, "x = 1\ny = 2\nlog.limit = 1\ncolor = 3\n")
    ran = fake.run("log")

    assert ran.err.splitlines()[0].endswith(
        f"{UNKNOWN} (ignored, as are 2 more: see `clew config --user`)"
    )
    assert len(ran.out.splitlines()) < len(FakeClew().run("log").out.splitlines())


def test_a_hostile_file_is_escaped(fake: FakeClew, file: Path) -> None:
    write(file, '"\\u001b[2J" = 1\n')

    assert "\x1b" not in fake.run("log").err


def anyone_writes(file: Path) -> None:
    file.chmod(0o666)


def a_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def a_loop(file: Path) -> None:
    file.unlink()
    file.symlink_to("config.toml")


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (anyone_writes, "can be changed by every user; run `chmod o-w` on it"),
        (a_directory, "cannot be read: Is a directory"),
        (a_pipe, "is not a file"),
        (a_loop, "cannot be read: "),
    ],
)
def test_a_file_that_cannot_be_trusted_is_ignored(
    fake: FakeClew, file: Path, spoil: Callable[[Path], None], problem: str
) -> None:
    write(file, "color = 'always'")
    spoil(file)
    ran = fake.run("log")

    assert "\x1b" not in ran.out
    assert ran.err.startswith(f"Warning: {file}: {problem}")
    assert ran.code == ExitCode.DONE


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")
def test_a_file_of_another_user_is_ignored(fake: FakeClew, file: Path) -> None:
    write(file, "color = 'always'")
    os.chown(file, 12345, 12345)

    assert "belongs to another user" in fake.run("log").err


@pytest.mark.parametrize(
    ("color", "environ", "tty", "is_coloured"),
    [
        ("always", {}, False, True),
        ("always", {"NO_COLOR": "1"}, True, True),
        ("never", {}, True, False),
        ("never", {"CLICOLOR_FORCE": "1"}, False, False),
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
    ],
)
def test_colours_are_as_set_or_else_as_the_environment_says(
    fake: FakeClew, file: Path, color: str, environ: dict[str, str], tty: bool, is_coloured: bool
) -> None:
    write(file, f"color = '{color}'")
    fake.environ |= environ

    assert ("\x1b" in fake.run("log", tty=tty).out) is is_coloured


def test_a_save_reads_no_file_unless_it_is_watched(fake: FakeClew, file: Path) -> None:
    write(file, "color = 'always'\nx = 1")
    ran = fake.run("save", "a")

    assert "Warning" not in ran.err
    assert "\x1b" not in ran.out
    assert "Warning" in fake.run("save", "a", tty=True).err


def test_the_log_is_as_long_as_set(fake: FakeClew, file: Path) -> None:
    write(file, "log.limit = 1")
    ran = fake.run("log")

    assert len([line for line in ran.out.splitlines() if "04040404" in line]) == 1
    assert "03030303" not in ran.out
    assert ran.err == "The newest 1 (setting log.limit): `clew log -n N` shows more\n"
    assert fake.run("log", "-n", "9").err == ""
    assert len(json.loads(fake.run("log", "--json").out)["checkpoints"]) > 1


def test_settings_are_listed_set_and_unset(fake: FakeClew, file: Path) -> None:
    ran = fake.run("config", "--user")
    assert ran.out == "color = auto  (default)\nlog.limit = 0  (default)\npager = auto  (default)\n"
    assert ran.err == f"File: {file} (not there yet)\n"

    assert fake.run("config", "--user", "set", "log.limit", "20").out == "log.limit = 20\n"
    assert fake.run("config", "--user", "set", "pager", "less -S").out == "pager = less -S\n"
    assert file.read_text() == 'log.limit = 20\npager = "less -S"\n'
    assert file.stat().st_mode & 0o777 == 0o600
    assert fake.run("config", "get", "pager", "--user").out == "less -S\n"
    assert json.loads(fake.run("config", "--user", "--json").out) == {
        "config": {"color": "auto", "log.limit": "20", "pager": "less -S"},
        "changed": ["log.limit", "pager"],
    }
    assert fake.run("config", "unset", "log.limit", "--user").out == "log.limit = 0  (default)\n"
    assert file.read_text() == 'pager = "less -S"\n'
    assert fake.library.opened == []


def test_setting_preserves_comments_the_mode_and_a_link(fake: FakeClew, file: Path) -> None:
    real = file.parent.parent / "dotfiles.toml"
    real.write_text("# mine\ncolor = 'auto' # as it comes\n")
    real.chmod(0o640)
    file.parent.mkdir()
    file.symlink_to(real)
    fake.run("config", "--user", "set", "color", "never")

    assert real.read_text() == '# mine\ncolor = "never" # as it comes\n'
    assert real.stat().st_mode & 0o777 == 0o640
    assert file.is_symlink()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("colour", "x", "colour: no such setting of a user; there are color, log.limit, pager"),
        ("verify", "x", "verify: no such setting of a user"),
        ("color", "blue", "color: must be auto, always or never"),
        ("log.limit", "many", "log.limit: must be a whole number"),
        ("pager", "API_TOKEN=abcdefghijklmnop less", "pager: contains what looks like a secret"),
        ("pager", "\udcff", "pager: not valid text"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(
    fake: FakeClew, file: Path, key: str, value: str, message: str
) -> None:
    ran = fake.run("config", "--user", "set", key, value)

    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"Error: {message}")
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pager = more", "is not TOML"),
        ("pager = '''\nless'''\n", "sets pager in a way that needs an editor"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_a_file_that_is_not_understood_is_not_changed(
    fake: FakeClew, file: Path, text: str | bytes, message: str
) -> None:
    write(file, text)
    before = file.read_bytes()
    ran = fake.run("config", "--user", "set", "pager", "more")

    assert ran.code == ExitCode.USAGE
    assert message in ran.err
    assert file.read_bytes() == before
