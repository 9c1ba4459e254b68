"""The real streams of a real process, which can be closed, broken, or unable to show a letter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew import __version__

SOURCE = Path(__file__).resolve().parents[2] / "src"
CLEW = [sys.executable, "-m", "clew"]
ENVIRON = {"PATH": os.defpath, "PYTHONPATH": str(SOURCE), "LC_ALL": "C.UTF-8"}


def test_the_module_is_the_command() -> None:
    done = subprocess.run([*CLEW, "--help"], env=ENVIRON, capture_output=True, text=True)

    assert done.returncode == 0
    assert done.stdout.startswith("Snapshot history")


def test_the_version_is_one_line() -> None:
    done = subprocess.run([*CLEW, "--version"], env=ENVIRON, capture_output=True, text=True)

    assert done.returncode == 0
    assert done.stdout == f"clew {__version__}\n"


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([*CLEW, "--help"], env=ENVIRON, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)

    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_behind_standard_output_is_a_failure() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*CLEW, "--help"], env=ENVIRON, stdout=full, stderr=subprocess.PIPE)

    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: No space left on device\n")
    assert b"Traceback" not in done.stderr


def test_closed_streams_are_no_crash() -> None:
    script = f'"{sys.executable}" -m clew nonsense <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", script], env=ENVIRON)

    assert done.returncode == 2


def test_a_terminal_that_knows_no_unicode_gets_escapes() -> None:
    plain = {**ENVIRON, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*CLEW, "log", "--help"], env=plain, capture_output=True)

    assert done.returncode == 0
    assert b"\\u25cf manual," in done.stdout


@pytest.mark.parametrize("argument", [b"\xff\x1b[31m", "日本".encode()])
def test_any_bytes_may_be_a_word(argument: bytes) -> None:
    done = subprocess.run([*map(os.fsencode, CLEW), argument], env=ENVIRON, capture_output=True)

    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: Unknown command: ")
    assert b"\x1b" not in done.stderr
    assert b"Traceback" not in done.stderr
