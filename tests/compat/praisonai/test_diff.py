"""Diffs report what happened to each file."""

from __future__ import annotations

from tests.compat.praisonai.place import Place, heard, run, saved


def statuses(place: Place) -> dict[str, str]:
    found = run(place.service().diff())
    return {one.path: one.status for one in found.files}


def test_a_file_that_only_grew_or_shrank_is_modified(place: Place) -> None:
    place.write("grew", "a\n")
    place.write("shrank", "a\nb\n")
    place.service()
    place.write("grew", "a\nb\n")
    place.write("shrank", "a\n")

    assert statuses(place) == {"grew": "modified", "shrank": "modified"}


def test_new_files_are_added_whatever_they_hold(place: Place) -> None:
    place.service()
    place.write("empty", "")
    (place.workspace / "binary").write_bytes(b"\0\1\2")

    assert statuses(place) == {"empty": "added", "binary": "added"}


def test_a_rename_has_two_paths_that_exist(place: Place) -> None:
    path = place.write("bin/tool", "x" * 100)
    place.service()
    (place.workspace / "bin2").mkdir()
    path.rename(place.workspace / "bin2/tool")

    assert statuses(place) == {"bin/tool": "deleted", "bin2/tool": "added"}


def test_a_file_that_became_a_directory_was_deleted(place: Place) -> None:
    path = place.write("thing", "file")
    place.service()
    path.unlink()
    place.write("thing/inside", "x")

    assert statuses(place) == {"thing": "deleted", "thing/inside": "added"}


def test_another_mode_is_a_modification_without_lines(place: Place) -> None:
    path = place.write("tool", "x\n")
    service = place.service()
    path.chmod(0o755)
    (found,) = run(service.diff()).files

    assert (found.status, found.additions, found.deletions) == ("modified", 0, 0)


def test_paths_are_as_they_are(place: Place) -> None:
    service = place.service()
    place.write("naïve file.txt", "x")
    (found,) = run(service.diff()).files

    assert found.path == "naïve file.txt"
    assert found.absolute_path == str(place.workspace / "naïve file.txt")


def test_the_text_and_both_contents_are_there(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    service = place.service()
    first = saved(service, "first")
    place.write("a.txt", "one\n2\n3\n")
    second = saved(service, "second")
    diff = run(service.diff(first.short_id, second.id))
    (found,) = diff.files

    assert (diff.from_checkpoint, diff.to_checkpoint) == (first.short_id, second.short_id)
    assert (diff.from_id, diff.to_id) == (first.id, second.id)
    assert (diff.total_additions, diff.total_deletions) == (2, 1)
    assert (found.before_content, found.after_content) == ("one\ntwo\n", "one\n2\n3\n")
    assert diff.modified_files == ["a.txt"]
    assert diff.diff_content == ("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n")


def test_a_line_that_looks_like_a_header_counts(place: Place) -> None:
    place.write("a.sql", "-- old\n")
    service = place.service()
    place.write("a.sql", "++ new\n++ newer\n")
    (found,) = run(service.diff()).files

    assert (found.additions, found.deletions) == (2, 1)


def test_what_is_binary_has_no_text(place: Place) -> None:
    service = place.service()
    (place.workspace / "a.bin").write_bytes(b"\0\1")
    (place.workspace / "latin").write_bytes(b"caf\xe9")
    found = {one.path: one.after_content for one in run(service.diff()).files}

    assert found == {"a.bin": None, "latin": None}


def test_a_secret_is_not_in_the_text_that_one_shows(place: Place) -> None:
    service = place.service()
    place.write("settings.ini", "password = hunter2hunter2hunter2\n")
    diff = run(service.diff())

    assert "hunter2" not in diff.diff_content
    assert "hunter2" not in repr(diff)
    assert diff.total_additions == 1


def test_by_default_it_is_from_the_checkpoint_before_to_the_files_as_they_are(
    place: Place,
) -> None:
    service = place.service()
    for number in range(3):
        place.write(f"{number}.txt", "x")
        made = saved(service, str(number))
    place.write("unsaved.txt", "x")
    diff = run(service.diff())

    assert diff.added_files == ["2.txt", "unsaved.txt"]
    assert (diff.to_checkpoint, diff.to_id) == (None, None)
    assert run(service.diff(made.id)).added_files == ["unsaved.txt"]


def test_a_diff_of_nothing_says_why_it_is_empty(place: Place) -> None:
    service = place.service()
    events = heard(service)
    diff = run(service.diff("ffffffff"))

    assert diff.files == []
    assert diff.error == "No checkpoint matches: 'ffffffff'"
    assert events == [("error", {"error": "No checkpoint matches: 'ffffffff'"})]
