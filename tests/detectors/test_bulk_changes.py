"""Very many files of many kinds in one directory are one line that names it."""

from __future__ import annotations

from clew.detectors.data.tabular import Tabular
from clew.detectors.files.bulk_changes import BulkChanges
from clew.detectors.files.source_files import SourceFiles
from tests.kit.moments import Moment, directory, story

ENDINGS = ("py", "csv", "txt", "bin", "json")


def archive(text: str, number: int = 6_000, endings: tuple[str, ...] = ENDINGS) -> Moment:
    names = (f"archive/part{at // 100}/f{at}.{endings[at % len(endings)]}" for at in range(number))
    return {name: f"{text}\n".encode() for name in names}


def told(old: Moment, new: Moment) -> list[str]:
    lines = story([Tabular()], old, new, [BulkChanges(), SourceFiles()]).lines
    return [line.text for line in lines]


def test_a_directory_that_was_added_is_named_once() -> None:
    new = {"archive": directory(), **archive("a"), "app.py": b"x = 1\n"}

    assert told({}, new) == ["archive/ added (6,000 files, 12.0 kB)", "added app.py (+1 line)"]


def test_edits_and_additions_are_counted() -> None:
    old = {"archive": directory(), **archive("a", 5_000)}
    new = {"archive": directory(), **archive("b", 6_000)}

    assert told(old, new) == ["archive/: 1,000 files added, 5,000 edited"]


def test_a_deleted_directory_is_deleted() -> None:
    old = {"archive": directory(), **archive("a")}

    assert told(old, {}) == ["archive/ deleted (6,000 files, 12.0 kB)"]


def test_files_of_one_kind_are_told_by_their_own_detector() -> None:
    new = {"archive": directory(), **archive("a", endings=("py",))}

    assert told({}, new) == ["added 6,000 source files in archive (lines not counted)"]


def test_few_files_are_told_by_kind() -> None:
    assert not any("archive/ added" in text for text in told({}, archive("a", 4_000)))


def test_files_all_over_the_workspace_have_no_directory() -> None:
    new = {name.replace("archive/part", "p"): text for name, text in archive("a").items()}

    assert not any("directory" in text or "/ added" in text for text in told({}, new))
