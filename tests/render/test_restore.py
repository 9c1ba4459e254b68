from __future__ import annotations

from clew.model.fact import Severity
from clew.model.holder import Holder
from clew.model.restore_results import PlannedPath, RestoreFacts, SkippedPath
from clew.model.story import Story, StoryLine
from clew.render.restore import preview, result
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


TAKEN = Story(
    "app.db: table orders dropped",
    (),
    (
        StoryLine("Warnings", "app.db: table orders dropped (1,200 rows)", Severity.HIGH),
        StoryLine("Packages", "installed pydantic 2.9 (pip in .venv)"),
        StoryLine("Files", "src/new.py added"),
    ),
)
FLASK = StoryLine("Packages", "changed flask 2.3.3 → 3.0.0 (pip)")


def test_a_preview_shows_facts_then_work_then_the_rest_and_last_what_keeps_it() -> None:
    facts = RestoreFacts(TAKEN, Story("flask", (), (FLASK,)))

    assert list(preview(samples.PREVIEW._replace(facts=lambda: facts), LOOK)) == [
        "Restoring 02020202 (before-auth · before the auth refactor) would",
        "  take back:",
        "    ⚠ app.db: table orders dropped (1,200 rows)",
        "    installed pydantic 2.9 (pip in .venv)",
        "  bring back:",
        "    changed flask 2.3.3 → 3.0.0 (pip)",
        "  overwrite or delete 2 files written by hand:",
        "    M  src/app.py  3.4 kB → 1.2 kB, not saved yet",
        "    D  src/new.py  1.2 kB, created since",
        "  create 1 path, 1.2 kB:",
        "    A  old.txt  1.2 kB",
        "  change the metadata of 1 path:",
        "    m  run.sh",
        "  leave alone 1 path",
        "      secrets: not covered by the checkpoint",
        "  affect 1 running program",
        "      node server.js (process 321) uses src/app.py",
        "The current state is saved first; `clew undo` brings it back.",
    ]


def test_the_last_line_names_the_command_that_reverses_it() -> None:
    clean = samples.PREVIEW._replace(dirty=False)

    assert list(preview(clean, LOOK, "redo"))[-1] == (
        "The current state is in a checkpoint; `clew redo` brings it back."
    )
    assert list(preview(clean, LOOK, ""))[-1].endswith("; so this can be undone.")


def test_a_preview_of_nothing_says_so() -> None:
    plan = samples.PREVIEW._replace(
        created=(), replaced=(), deleted=(), metadata=(), skipped=(), processes=(), dirty=False
    )._replace(needed_bytes=0)

    assert list(preview(plan, LOOK))[1:] == ["  change nothing"]


def test_facts_are_derived_only_for_who_reads_them_and_once() -> None:
    asked: list[int] = []

    def facts() -> RestoreFacts:
        asked.append(1)
        return RestoreFacts(TAKEN)

    plan = samples.PREVIEW._replace(facts=facts)
    lines = preview(plan, LOOK)
    next(lines)

    assert asked == []
    assert "  take back:" in list(lines)
    assert asked == [1]


def test_disk_space_is_news_only_where_it_is_tight() -> None:
    tight = samples.PREVIEW._replace(free_bytes=9_000_000)

    assert "It needs 4.0 MB of disk space; 9.0 MB are free." in list(preview(tight, LOOK))
    assert not any("disk space" in line for line in preview(samples.PREVIEW, LOOK))


def test_work_is_named_and_generated_files_are_counted() -> None:
    plan = samples.PREVIEW._replace(
        created=(),
        replaced=(
            PlannedPath(b"app/__pycache__/a.pyc", 10, size_now=20),
            PlannedPath(b"notes.md", 10, size_now=2400),
        ),
        deleted=tuple(
            PlannedPath(b"web/node_modules/%d.js" % number, 1000, True, size_now=1000)
            for number in range(800)
        ),
        metadata=(), skipped=(), processes=(), unsaved=(b"web/node_modules/1.js",),
    )  # fmt: skip

    assert list(preview(plan, LOOK))[1:-1] == [
        "  overwrite or delete 1 file written by hand:",
        "    M  notes.md  2.4 kB → 10 B",
        "  overwrite or delete 801 generated paths:",
        "       web/node_modules/  −800 files, 800 kB",
        "       app/__pycache__/   ~1 file, −10 B",
        "`clew restore 02020202 -n --all` lists every path.",
    ]


def test_unsaved_work_is_first_and_stays_in_sight() -> None:
    saved = tuple(PlannedPath(b"a/%03d" % number, 0, True, size_now=5) for number in range(90))
    unsaved = tuple(PlannedPath(b"z/%d" % number, 9, size_now=7) for number in range(2))
    plan = samples.PREVIEW._replace(
        replaced=unsaved, deleted=saved, unsaved=tuple(one.path for one in unsaved)
    )
    lines = list(preview(plan, LOOK))

    assert lines[1:4] == [
        "  overwrite or delete 92 files written by hand:",
        "    M  z/0  7 B → 9 B, not saved yet",
        "    M  z/1  7 B → 9 B, not saved yet",
    ]
    assert any("a/ (others)" in line and "−79 files" in line for line in lines)


def test_everything_is_listed_on_request() -> None:
    many = tuple(PlannedPath(b"%04d" % number, 10) for number in range(1234))
    plan = samples.PREVIEW._replace(created=many)

    assert len(list(preview(plan, LOOK))) < 30
    assert len(list(preview(plan, LOOK, everything=True))) > 1234


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
