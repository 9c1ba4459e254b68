"""The manual page, made from the declarations."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from clew.cli.commands import VERBS
from clew.cli.completion import declared
from clew.cli.exits import ExitCode
from clew.cli.manpage import lines

PAGE = "".join(line + "\n" for line in lines())


def test_every_command_and_option_is_on_the_page() -> None:
    flags = {flag for one in declared() for option in one.options for flag in option.flags}

    assert [verb for verb in VERBS if f".SS clew {verb} " not in PAGE] == []
    assert [flag for flag in flags if flag.replace("-", "\\-") not in PAGE] == []


def test_every_exit_code_is_on_the_page() -> None:
    codes = [value for name, value in vars(ExitCode).items() if name.isupper()]

    assert [code for code in codes if f"\n\\fB{code}\\fR\n" not in PAGE] == []


def test_no_line_of_text_is_taken_for_a_request() -> None:
    requests = {line.split()[0] for line in PAGE.splitlines() if line.startswith((".", "'"))}

    assert requests == {".TH", ".SH", ".SS", ".B", ".TP", ".PP"}


def test_groff_formats_it_without_a_warning() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    command = [groff, "-k", "-man", "-Tutf8", "-ww", "-z"]
    done = subprocess.run(command, input=PAGE, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
