from __future__ import annotations

import stat

from hypothesis import given
from hypothesis import strategies as st

from clew.model.entry import EntryKind
from clew.model.results import Listing
from clew.render.entries import lines, mode_text
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


@given(st.integers(0, 0o7777))
def test_modes_look_as_the_system_writes_them(mode: int) -> None:
    assert mode_text(EntryKind.FILE, mode) == stat.filemode(stat.S_IFREG | mode)
    assert mode_text(EntryKind.DIRECTORY, mode) == stat.filemode(stat.S_IFDIR | mode)


def test_entries_read_like_ls() -> None:
    assert list(lines(samples.LISTING, LOOK)) == [
        "-rw-r--r--  1000:1000  1200  2026-01-05 11:07  app.py",
        "lrwxrwxrwx  1000:1000     0  2026-01-05 11:07  current -> releases/7",
        "drwxr-s---        0:0     0  2026-01-05 11:07  src/",
        "crw-rw-rw-        0:0   1,3  2026-01-05 11:07  null",
        "??????????          ?     ?                 ?  secrets (not covered: unreadable)",
        "-rw-r--r--  1000:1000  1200  2026-01-05 11:07  frozen",
    ]


def test_an_empty_directory_has_no_lines() -> None:
    assert list(lines(Listing(samples.LATEST, b"", ()), LOOK)) == []


def test_a_hostile_name_stays_in_its_line() -> None:
    entry = samples.LINK._replace(name=samples.HOSTILE_PATH, target=samples.HOSTILE_PATH)
    (line,) = lines(Listing(samples.LATEST, b"", (entry,)), LOOK)

    assert line.endswith("\\x1b[2J\\xff\\n\\u202e -> \\x1b[2J\\xff\\n\\u202e")
