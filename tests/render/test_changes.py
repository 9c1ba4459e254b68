from __future__ import annotations

from clew.model.change import Change, ChangeKind
from clew.model.entry import Reason
from clew.model.ids import ObjectId
from clew.model.record import Coverage, Uncovered
from clew.model.results import Difference
from clew.render.changes import name_status, patch, stat, with_story
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


def listed(*changes: Change) -> list[str]:
    return list(with_story(Difference(samples.LATEST, None, changes), LOOK))


def test_a_listing_says_what_is_different_about_each_path() -> None:
    assert list(with_story(samples.DIFFERENCE, LOOK)) == [
        (
            "7 changes from 02020202 (before-auth · before the auth refactor)"
            " to 04040404 (try the new login):"
        ),
        "  D  old.txt        1.2 kB",
        "  R  a.txt → b.txt",
        "  A  bad\\xff        → releases/7",
        "  T  current        file → symlink",
        "  m  run.sh         mode 0644 → 0755, owner 1000:1000 → 0:1000",
        "  M  src/app.py     1.2 kB → 3.4 kB, mode 0644 → 0755",
        "  A  src/new.py     1.2 kB",
    ]


def test_no_changes_is_an_answer() -> None:
    assert listed() == ["No changes since 04040404 (try the new login)"]


def test_files_that_became_too_large_are_named_and_others_are_not() -> None:
    paths = (Uncovered(b"known", Reason.LARGE), Uncovered(b"new\x1b", Reason.LARGE))
    coverage = Coverage(counts=(("too large", 2),), uncovered=paths)
    earlier = samples.checkpoint(1, coverage=coverage._replace(uncovered=paths[:1]))
    difference = Difference(earlier, None, (), coverage)
    note = "1 file not captured, larger than `exclude-larger-than`: new\\x1b"

    assert list(with_story(difference, LOOK))[1:] == [note]
    assert list(with_story(difference._replace(new=earlier), LOOK))[1:] == []


def test_before_the_first_save_there_is_nothing_to_compare_with() -> None:
    assert list(with_story(Difference(None, None, ()), LOOK)) == [
        "No checkpoint yet, nothing to compare with"
    ]


def test_directories_links_and_what_is_not_covered_are_told_apart() -> None:
    other_link = samples.LINK._replace(target=b"releases/8\x1b")

    assert listed(
        Change(b"src", ChangeKind.ADDED, None, samples.DIRECTORY),
        Change(b"current", ChangeKind.MODIFIED, samples.LINK, other_link),
        Change(b"secrets", ChangeKind.ADDED, None, samples.SECRET),
        Change(b"null", ChangeKind.ADDED, None, samples.DEVICE),
        Change(b"", ChangeKind.METADATA, samples.DIRECTORY, samples.DIRECTORY._replace(gid=5)),
    )[1:] == [
        "  m  ./       owner 0:0 → 0:5",
        "  M  current  → releases/8\\x1b, was releases/7",
        "  A  null     character device",
        "  A  secrets  not covered: unreadable",
        "  A  src/",
    ]


def test_other_bytes_of_the_same_length_are_a_change() -> None:
    new = samples.FILE._replace(content=ObjectId(bytes(32)))

    assert listed(Change(b"x", ChangeKind.MODIFIED, samples.FILE, new))[1] == "  M  x  1.2 kB"


def test_flags_and_attributes_are_named() -> None:
    change = Change(b"x", ChangeKind.METADATA, samples.FILE, samples.FROZEN)

    assert listed(change)[1] == "  m  x  extended attributes, flags none → immutable"


def test_name_status_is_a_letter_and_a_path() -> None:
    assert list(name_status(samples.DIFFERENCE)) == [
        "A src/new.py",
        "M src/app.py",
        "D old.txt",
        "R a.txt -> b.txt",
        "m run.sh",
        "T current",
        "A bad\\xff",
    ]


def test_stat_measures_growth() -> None:
    assert list(stat(Difference(samples.LATEST, None, samples.CHANGES[:4]), LOOK)) == [
        "  old.txt          -1.2 kB  ███████████",
        "  a.txt → b.txt        0 B",
        "  src/app.py       +2.2 kB  ████████████████████",
        "  src/new.py       +1.2 kB  ███████████",
        "4 changes since 04040404 (try the new login); +2.2 kB",
    ]


def test_stat_of_nothing_is_one_line() -> None:
    assert list(stat(Difference(samples.LATEST, None, ()), LOOK)) == [
        "No changes since 04040404 (try the new login); 0 B"
    ]


def test_a_patch_keeps_tabs_and_spells_out_the_rest() -> None:
    assert list(patch(["+\ta\x1b[0m\r", " b"], LOOK)) == ["+\ta\\x1b[0m\\r", " b"]


def test_a_hostile_name_cannot_forge_a_line() -> None:
    change = Change(b"x\nD  everything\x1b", ChangeKind.ADDED, None, samples.FILE)

    assert listed(change)[1] == "  A  x\\nD  everything\\x1b  1.2 kB"
