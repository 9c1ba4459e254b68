from __future__ import annotations

from clew.model.holder import Holder
from clew.model.restore_results import PlannedPath, SkippedPath
from clew.render.restore import preview, result
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


def test_a_preview_says_what_comes_what_goes_and_whom_it_affects() -> None:
    assert list(preview(samples.PREVIEW, LOOK)) == [
        "Restoring 02020202 (before-auth · before the auth refactor) would",
        "  create 1 path, 1.2 kB",
        "      old.txt  1.2 kB",
        "  replace 1 path, 1.2 kB",
        "      src/app.py  1.2 kB",
        "  delete 1 path, 1.2 kB",
        "      src/new.py  1.2 kB  created since",
        "  change the metadata of 1 path",
        "      run.sh",
        "  leave alone 1 path",
        "      secrets: not covered by the checkpoint",
        "  affect 1 running program",
        "      node server.js (process 321) uses src/app.py",
        "It needs 4.0 MB of disk space; 9.0 GB are free.",
        "The current state is saved first, so this can be undone.",
    ]


def test_a_preview_of_nothing_says_so() -> None:
    plan = samples.PREVIEW._replace(
        created=(), replaced=(), deleted=(), metadata=(), skipped=(), processes=(), dirty=False
    )._replace(needed_bytes=0)

    assert list(preview(plan, LOOK))[1:] == ["  change nothing"]


def test_long_lists_end_with_how_many_more_there_are() -> None:
    many = tuple(PlannedPath(b"%03d" % number, 10) for number in range(1234))
    lines = list(preview(samples.PREVIEW._replace(deleted=many), LOOK))

    assert "  delete 1,234 paths, 12.3 kB" in lines
    assert "      019  10 B" in lines
    assert "      020  10 B" not in lines
    assert "      and 1,214 more; --json lists all" in lines


def test_names_of_files_and_programs_are_hostile() -> None:
    plan = samples.PREVIEW._replace(
        deleted=(PlannedPath(samples.HOSTILE_PATH, 1),),
        skipped=(SkippedPath(samples.HOSTILE_PATH, samples.HOSTILE),),
        processes=(Holder(1, samples.HOSTILE, samples.HOSTILE_PATH),),
    )
    text = "\n".join(preview(plan, LOOK))

    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_result_says_where_one_is_and_how_to_go_back() -> None:
    assert list(result(samples.RESTORED, LOOK)) == [
        "Now at 02020202 (before-auth · before the auth refactor)",
        "  1 created, 1 replaced, 1 deleted, 1 with metadata restored; verified",
        "  the previous state is saved as 03030303; `clew undo` restores it",
        "  left alone 1 path",
        "      secrets: not covered by the checkpoint",
        "  1 path changed by other programs since",
        "      app.log",
    ]


def test_a_partial_result_lists_what_could_not_be_done() -> None:
    lines = list(result(samples.PARTIAL, LOOK))

    assert lines[0].startswith("Partly at 02020202")
    assert "  the result is saved as 04040404 (try the new login)" in lines
    assert "  could not restore 1 path" in lines
    assert "      null: only root may make it" in lines


def test_success_is_not_said_of_what_was_not_verified() -> None:
    lines = list(result(samples.RESTORED._replace(verified=False), LOOK))

    assert lines[0].startswith("Partly at")
    assert lines[1].endswith("; NOT verified")


def test_a_restore_that_had_nothing_to_do_says_so() -> None:
    done = samples.RESTORED._replace(created=0, replaced=0, deleted=0, metadata=0)

    assert list(result(done, LOOK))[1] == "  nothing differed; verified"
