"""File names as text: no byte is lost under any locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.filenames import as_argument, as_sqlite_uri, from_utf8, normal_path, real_path
from tests.kit import locales
from tests.kit.running import SOURCE

LOSSY = b"x\x8f\xa2\xb7y"
"""Three bytes that EUC-JP reads as a tilde."""

_BY_OURSELVES = """
import os, sys
from clew import filenames
assert not filenames.is_utf8()
os.chdir(sys.argv[1])
os.mkdir("real")
os.symlink("real", "link")
os.symlink("..", "real/up")
os.symlink("loop", "loop")
os.symlink(os.getcwd() + "/link", "absolute")
parts = ["link", "real", "up", "..", ".", "", "loop", "absolute", "none", "/"]
paths = ["/".join((a, b, c)) for a in parts for b in parts for c in parts]
for path in map(os.fsencode, paths):
    assert filenames.normal_path(path) == os.path.normpath(path) or path.startswith(b"//"), path
    if b"loop" not in path:
        assert filenames.real_path(path) == os.path.realpath(path), path
print(len(paths))
"""

_LOSSY = """
import os, sys
from clew import filenames
raw = b"/a/../x\\x8f\\xa2\\xb7y"
assert os.fsencode(os.fsdecode(raw)) != raw
assert os.fsencode(filenames.as_argument(raw)) == raw
assert filenames.normal_path(raw) == raw[5:]
assert filenames.real_path(raw) == raw[5:]
assert os.fsencode(filenames.from_utf8("caf\\u00e9")) == b"caf\\xc3\\xa9"
"""


def test_utf8_is_left_alone() -> None:
    assert os.fsencode(as_argument(LOSSY)) == LOSSY
    assert from_utf8("caf\u00e9") == "caf\u00e9"
    assert normal_path(b"/a/../" + LOSSY) == b"/" + LOSSY
    assert real_path(b"/a/../" + LOSSY) == b"/" + LOSSY


def test_a_uri_spells_any_byte() -> None:
    assert as_sqlite_uri(b"/a b/\xff?#") == "file:///a%20b/%ff%3f%23"


def test_paths_are_resolved_as_the_standard_library_does(tmp_path: Path) -> None:
    _run(_BY_OURSELVES, "ASCII", tmp_path)


def test_bytes_that_the_codec_loses_are_kept(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _run(_LOSSY, "EUC-JP", tmp_path, tmp_path_factory.getbasetemp().parent)


def _run(program: str, locale: str, place: Path, scratch: Path | None = None) -> None:
    environment = locales.environment(locale, scratch or place)
    done = subprocess.run(
        [sys.executable, "-c", program, place],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        capture_output=True,
    )

    assert done.returncode == 0, done.stderr.decode(errors="replace")
