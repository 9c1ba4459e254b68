from __future__ import annotations

from pathlib import Path

from clew.detectors.losses.moves import Moves
from tests.detectors.real_git import Repo
from tests.kit.losses import alarms, files, tell
from tests.kit.moments import Moment, evidence, facts, findings

KEPT: dict[str, bytes] = {"readme.md": b"# Shop\n"}


def _moved(old: Moment, new: Moment) -> list[tuple[str | None, str | None, tuple[str, ...]]]:
    found = facts(Moves(), {**KEPT, **old}, {**KEPT, **new})
    return [(fact.before, fact.after, fact.marks) for fact in found]


def _renamed(old: dict[str, bytes], start: str, end: str) -> dict[str, bytes]:
    return {path.replace(start, end, 1): content for path, content in old.items()}


def test_a_directory_that_moved_is_one_fact() -> None:
    uploads = files("uploads/2024/{}.jpg", 180)

    assert _moved(uploads, _renamed(uploads, "uploads", "storage")) == [
        ("uploads", "storage", ("180 files",))
    ]


def test_a_directory_that_moved_into_another_keeps_its_name() -> None:
    uploads = files("uploads/{}.jpg", 18)

    assert _moved(uploads, _renamed(uploads, "uploads", "storage/uploads")) == [
        ("uploads", "storage/uploads", ("18 files",))
    ]


def test_both_sides_of_a_move_are_explained() -> None:
    uploads = files("uploads/{}.jpg", 5)
    storage = _renamed(uploads, "uploads", "storage")

    (finding,) = findings(Moves(), evidence({**KEPT, **uploads}, {**KEPT, **storage}))

    assert set(finding.claims) == {*uploads, *storage}


def test_a_part_that_moved_is_told_with_the_number_of_all() -> None:
    photos, scans = files("uploads/{}.jpg", 90), files("uploads/{}.tiff", 25)
    new = _renamed(photos, "uploads", "storage")

    assert _moved({**photos, **scans}, new) == [("uploads", "storage", ("90 of 115 files",))]
    assert alarms({**KEPT, **photos, **scans}, {**KEPT, **new}) == [
        ("loss.deleted", "files", "uploads")
    ]
    assert tell({**KEPT, **photos, **scans}, {**KEPT, **new}).headline == (
        "! uploads/: 25 of 115 files deleted; moved uploads → storage (90 of 115 files)"
    )


def test_one_file_that_moved_is_named() -> None:
    assert _moved({"report.pdf": b"pdf" * 99}, {"docs/final.pdf": b"pdf" * 99}) == [
        ("report.pdf", "docs/final.pdf", ())
    ]


def test_files_that_moved_out_of_a_directory_that_still_exists() -> None:
    raw = files("data/raw/{}.csv", 6)
    kept = {"data/raw/readme": b"."}
    done = _renamed(dict(list(raw.items())[:4]), "raw", "done")
    left = dict(list(raw.items())[4:])

    assert _moved({**raw, **kept}, {**kept, **left, **done}) == [
        ("data/raw", "data/done", ("4 files",))
    ]


def test_a_file_edited_on_the_way_moved_too() -> None:
    uploads = files("uploads/{}.txt.gpg", 6)
    new = _renamed(uploads, "uploads", "storage")
    new["storage/3.txt.gpg"] = b"edited"

    assert _moved(uploads, new) == [("uploads", "storage", ("6 files",))]
    assert alarms({**KEPT, **uploads}, {**KEPT, **new}) == []


def test_what_was_moved_to_the_trash_is_moved() -> None:
    old = {"home/me/photo.jpg": b"photo" * 99}
    new = {"home/me/.local/share/Trash/files/photo.jpg": b"photo" * 99}

    assert _moved(old, new)[0][1] == "home/me/.local/share/Trash/files/photo.jpg"
    assert alarms({**KEPT, **old}, {**KEPT, **new}) == []


def test_ignored_files_that_moved_are_no_loss(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("init", "-q")
    repo.write(".gitignore", "/uploads/\n/storage/\n")
    repo.commit("a.py")
    uploads = files("uploads/{}.jpg", 30)
    new = {**repo.moment(), **_renamed(uploads, "uploads", "storage")}

    story = tell({**repo.moment(), **uploads}, new)

    assert story.headline == "moved uploads → storage (30 files)"


def test_sources_that_moved_are_the_business_of_their_detector() -> None:
    old = {"src/a.py": b"def a(): pass\n" * 9}

    assert _moved(old, {"lib/a.py": old["src/a.py"]}) == []
    assert tell(old, {"lib/a.py": old["src/a.py"]}).headline == "renamed src/a.py → lib/a.py"


def test_equal_tiny_files_are_a_coincidence() -> None:
    assert _moved({"a.json": b"{}"}, {"b.json": b"{}"}) == []
    assert _moved({"a.json": b""}, {"x/a.json": b""}) == []


def test_logs_caches_and_git_objects_that_move_are_no_news() -> None:
    for old, new in (
        ("app.log", "app.log.1"),
        (".cache/a", ".cache/b"),
        (".git/objects/aa/b", ".git/objects/cc/d"),
    ):
        assert _moved({old: b"content" * 9}, {new: b"content" * 9}) == []


def test_many_scattered_moves_are_few_facts() -> None:
    old = {f"a{n}/x/{n}.jpg": b"%d" % n * 99 for n in range(40)}
    new = {f"b{n}/y/{n}.jpg": b"%d" % n * 99 for n in range(40)}

    assert len(_moved(old, new)) <= 8


def test_of_two_equal_files_one_that_moved_keeps_the_content_of_both() -> None:
    old = {"a.jpg": b"same" * 99, "b.jpg": b"same" * 99}

    assert alarms({**KEPT, **old}, {**KEPT, "c.jpg": b"same" * 99}) == []
