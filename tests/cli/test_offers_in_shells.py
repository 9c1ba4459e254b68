"""What shells offer from a real store, and that they never run what a label or a file name says."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from select import select

import pytest

from clew.cli.completion import SCRIPTS
from clew.cli.exits import ExitCode
from clew.cli.offer import quoted, unquoted
from tests.kit.running import Clew

PATIENCE = 60
HOSTILE = (
    "$(touch run)", "`touch run`", "'; touch run; '", '"; touch run; "', "a:b", "back\\slash",
    "%F{red}%(?.a.b)", "${(e):-$(touch run)}", "two\nlines; touch run", "\x1b[31m\x9b", "*?[a]{b,c}",
    "!touch", "~root", "a;touch run", "a|touch run", "a&touch run", "#", "-rf",
)  # fmt: skip
"""Text that a shell, a terminal or a script could take for more than text."""
PROBE = """\
compopt() { :; }
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_clew
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """\
autoload -U compinit; compinit -u -D; source "$SCRIPTS/zsh"
PS1='% '; LISTMAX=1000; bindkey -e; echo ready
"""
BASH = """\
source "$SCRIPTS/bash"; PS1='$ '; bind 'set enable-bracketed-paste off'; bind 'set page-completions off'
bind 'set completion-query-items 1000'; echo ready
"""


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.fixture
def shells(clew: Clew, tmp_path: Path) -> dict[str, str]:
    """The environment of a shell that finds clew and the scripts."""
    programs, scripts = tmp_path / "bin", tmp_path / "scripts"
    for directory in (programs, scripts, tmp_path / "home"):
        directory.mkdir(exist_ok=True)
    (programs / "clew").write_text(f'#!/bin/sh\nexec {sys.executable} -m clew "$@"\n')
    (programs / "clew").chmod(0o755)
    for shell, script in SCRIPTS.items():
        (scripts / shell).write_text("".join(line + "\n" for line in script()))
    environment = clew.environment()
    return {
        **environment, "PATH": f"{programs}:{environment['PATH']}", "SCRIPTS": str(scripts),
        "TERM": "xterm", "COLUMNS": "100", "LC_ALL": "C.UTF-8",
    }  # fmt: skip


@pytest.fixture
def hostile(clew: Clew) -> Clew:
    """A workspace whose intents, names and files are hostile."""
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "-").replace("\n", " n ").replace("\x1b", "").replace("\x9b", "")
        (clew.workspace / f"f{number}{text.replace('/', '-')}").write_text("x")
        clew.ok("save", "--name", f"n{number}{name}", "--", text)
    return clew


def in_bash(clew: Clew, env: dict[str, str], *words: str) -> list[str]:
    """Return what bash offers for the last word; nothing may be on standard error."""
    command = [needs("bash"), "-c", PROBE, "probe", env["SCRIPTS"] + "/bash", "clew", *words]
    done = subprocess.run(
        command, cwd=clew.workspace, env=env, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def in_fish(clew: Clew, env: dict[str, str], line: str) -> dict[str, str]:
    """Return what fish offers for the end of a line, with the meanings."""
    done = subprocess.run(
        [needs("fish"), "--no-config", "-c", 'source $SCRIPTS/fish; complete -C "$argv[1]"', line],
        cwd=clew.workspace, env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


class Screen:
    """An interactive shell in a pseudo-terminal."""

    def __init__(self, command: list[str], clew: Clew, env: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            command, cwd=clew.workspace, env=env, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def keys(self, text: str, until: str) -> str:
        """Press keys and return the screen's bytes as soon as `until` is among them."""
        os.write(self._ours, text.encode())
        seen = b""
        while until.encode() not in seen:
            assert select([self._ours], [], [], PATIENCE)[0], f"never saw {until!r}: {seen!r}"
            seen += os.read(self._ours, 65536)
        return seen.decode(errors="replace")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


def test_bash_offers_checkpoints_paths_and_the_rest(clew: Clew, shells: dict[str, str]) -> None:
    (clew.workspace / "src").mkdir()
    (clew.workspace / "src" / "my file").write_text("x")
    first = clew.save("one", "--name", "before auth")
    clew.ok("fork", "@", "--name", "again")

    assert in_bash(clew, shells, "restore", "bef") == ["before\\ auth"]
    assert in_bash(clew, shells, "restore", first[:5]) == [first[:8]]
    assert in_bash(clew, shells, "show", "l") == ["latest"]
    assert in_bash(clew, shells, "cat", "before\\ auth", "src/m") == ["src/my\\ file"]
    assert in_bash(clew, shells, "cat", "@", "'src/m") == ["src/my file"]
    assert in_bash(clew, shells, "ls", "--reveal", "@", "s") == ["src/"]
    assert in_bash(clew, shells, "adopt", "a") == ["again"]
    assert in_bash(clew, shells, "config", "set", "exclude-") == ["exclude-larger-than"]
    assert in_bash(clew, shells, "cat", "nonsense", "s") == [""]


def test_the_workspace_and_the_store_of_the_line_are_asked(
    clew: Clew, shells: dict[str, str], tmp_path: Path
) -> None:
    clew.save("one", "--name", "named")
    elsewhere = Clew(tmp_path, clew.store)
    shells = {**shells, "CLEW_HOME": str(tmp_path / "no-store")}
    where = ["-C", str(clew.workspace), "--store", str(clew.store)]

    assert in_bash(elsewhere, shells, *where, "restore", "na") == ["named"]
    assert in_bash(elsewhere, shells, "restore", *where, "na") == ["named"]
    assert in_bash(elsewhere, shells, "restore", "na") == [""]
    assert list(in_fish(elsewhere, shells, f"clew {' '.join(where)} restore na")) == ["named"]


def test_fish_offers_them_with_their_headlines(clew: Clew, shells: dict[str, str]) -> None:
    (clew.workspace / "file").write_text("x")
    saved = clew.save("one")[:8]
    clew.ok("verdict", "@", "passing")
    found = in_fish(clew, shells, "clew restore ")

    assert list(found) == ["@", "good", "latest", saved]
    assert found["good"].endswith("✔ one; new workspace, 1 file")
    assert list(in_fish(clew, shells, "clew cat @ ")) == ["file"]
    assert list(in_fish(clew, shells, "clew show --paths l")) == ["latest"]
    assert list(in_fish(clew, shells, "clew config set drill")) == ["drill.every"]


def test_hostile_text_is_only_text_in_bash(hostile: Clew, shells: dict[str, str]) -> None:
    found = in_bash(hostile, shells, "restore", "n")
    paths = in_bash(hostile, shells, "cat", "@", "f")

    assert len(found) == len(HOSTILE)
    for words in (found, paths):
        for word in words:  # bash reads what it offers as that one word
            again = subprocess.run(
                ["bash", "-c", f"printf %s {word}"], cwd=hostile.workspace,
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert again.stdout == unquoted(word)
            assert again.stdout[0] in "nf"
    assert len(paths) == sum(text.isprintable() for text in HOSTILE)
    assert not (hostile.workspace / "run").exists()


def test_hostile_text_is_only_text_in_fish(hostile: Clew, shells: dict[str, str]) -> None:
    found = in_fish(hostile, shells, "clew restore n")

    assert len(found) == len(HOSTILE)
    assert not any("\x1b" in text or "\n" in text for text in found.values())
    assert len(in_fish(hostile, shells, "clew cat @ f")) == sum(map(str.isprintable, HOSTILE))
    assert not (hostile.workspace / "run").exists()


@pytest.mark.parametrize(
    ("shell", "options", "setup"),
    [("bash", ["--norc", "--noprofile", "-i"], BASH), ("zsh", ["-f", "-i"], ZSH)],
)
def test_hostile_text_is_only_text_at_a_terminal(
    hostile: Clew, shells: dict[str, str], shell: str, options: list[str], setup: str
) -> None:
    screen = Screen([needs(shell), *options], hostile, shells)
    try:
        screen.keys(setup, "\nready")
        shown = screen.keys("clew restore n\t\t", "n0\\$" if shell == "bash" else "n0$")
        screen.keys("\x15echo cle''ared\r", "cleared")
        inserted = screen.keys("clew restore n0\t", "run")
        screen.keys("\x15echo do''ne\r", "done")
    finally:
        screen.close()

    assert "-rf" in shown
    assert "file" in shown  # the headline
    assert "\\$\\(touch" in inserted
    assert not (hostile.workspace / "run").exists()


def test_a_shell_outside_a_workspace_gets_nothing_and_no_error(clew: Clew) -> None:
    for kind in ("checkpoint", "path", "session", "fork", "setting", "nonsense"):
        assert clew.run("offer", "bash", kind, "--", "") == (ExitCode.DONE, "", "")


def test_a_path_of_a_checkpoint_that_does_not_exist_is_nothing(clew: Clew) -> None:
    clew.save("one")

    assert clew.run("offer", "zsh", "path", "--", "a", "nowhere") == (ExitCode.DONE, "", "")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("plain", "plain"), ("a\\ b", "a b"), ("'a b", "a b"), ('"a b"', "a b"), ("a'b c'd", "ab cd"),
        ("\\", "\\"), ("'a\\b'", "a\\b"), ('"a\\$', "a$"),
    ],
)  # fmt: skip
def test_what_is_typed_is_read_without_its_quotes(typed: str, meant: str) -> None:
    assert unquoted(typed) == meant


def test_a_word_between_quotes_is_inserted_only_if_it_is_harmless() -> None:
    assert quoted("a b", '"') == "a b"
    assert quoted("a$b", '"') == quoted("a'b", "'") == ""
    assert quoted("~x", "") == "\\~x"
    assert quoted("é b", "") == "é\\ b"
