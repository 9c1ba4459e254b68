"""Locales of other encodings, built where a test may throw them away.

Nothing of the system is touched: `localedef` writes into a directory that `LOCPATH` names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

CHARMAPS = ("ISO-8859-1", "GB18030", "EUC-JP")

_SOURCES = Path("/usr/share/i18n")

NAMED: dict[str, dict[str, str]] = {
    "C": {"LC_ALL": "C"},
    "POSIX": {"LC_ALL": "POSIX"},
    "ASCII": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "no such locale": {"LC_ALL": "xx_XX.EUC-JP"},
}
"""What a C library always has; Python makes UTF-8 of `C` unless it is told not to."""

ALL = (*NAMED, *CHARMAPS, "EUC-JP in UTF-8 mode")


def environment(name: str, scratch: Path) -> dict[str, str]:
    """Return what makes a process run under one of `ALL`, or skip the test with the reason."""
    if name in NAMED:
        return NAMED[name]
    charmap = name.split(" ")[0]
    mode = "1" if name.endswith("UTF-8 mode") else "0"
    return {
        "LOCPATH": str(_built(charmap, scratch).parent),
        "LC_ALL": f"test.{charmap}",
        "PYTHONUTF8": mode,
    }


def _built(charmap: str, scratch: Path) -> Path:
    """Build a locale once for all processes of a test run, whoever comes first."""
    place = scratch / f"locales-{os.geteuid()}" / f"test.{charmap}"
    if place.exists():
        return place
    if not shutil.which("localedef"):
        pytest.skip("localedef is not installed")
    if not (_SOURCES / "charmaps" / f"{charmap}.gz").exists():
        pytest.skip("the character maps of the package `locales` are not installed")
    place.parent.mkdir(exist_ok=True)
    own = Path(tempfile.mkdtemp(dir=place.parent))
    # It warns of categories that POSIX leaves out and then exits with 1.
    subprocess.run(
        ["localedef", "-i", "POSIX", "-f", charmap, "--no-archive", own / "locale"],
        capture_output=True,
    )
    assert (own / "locale" / "LC_CTYPE").exists()
    try:
        (own / "locale").rename(place)
    except OSError:
        assert place.exists()  # somebody else was faster
    shutil.rmtree(own)
    return place
