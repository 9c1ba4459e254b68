from __future__ import annotations

from clew.render.merge import blocked
from clew.render.restore import preview, result
from clew.render.style import Style
from tests.cli import samples, samples_merge

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


def test_a_preview_says_what_would_be_merged() -> None:
    assert list(preview(samples_merge.PREVIEW, LOOK)) == [
        "Adopting fast-path would",
        "  overwrite or delete 1 file written by hand:",
        "    M  src/app.py  1.2 kB → 1.3 kB, not saved yet",
        "  create 1 path, 1.2 kB:",
        "    A  src/new.py  1.2 kB",
        "  merge 1 file changed on both sides",
        "      src/app.py",
        "  leave alone 1 path",
        "      secrets: not covered as it is now",
        "The current state is saved first; `clew undo` brings it back.",
    ]


def test_a_preview_says_how_conflicts_would_be_decided() -> None:
    plan = samples_merge.PREVIEW._replace(merge=samples_merge.DECIDED, skipped=())

    assert list(preview(plan, LOOK))[5:10] == [
        "  merge 1 file changed on both sides",
        "      src/app.py",
        "  resolve 2 conflicts in favour of theirs",
        "      run.sh: changed here and deleted there",
        "      src/app.py: both changed the same lines",
    ]


def test_a_result_says_what_was_merged() -> None:
    assert list(result(samples_merge.ADOPTED, LOOK)) == [
        "Now at 06060606 (adopted fast-path)",
        "  1 created, 1 replaced; verified",
        "  merged 1 file changed on both sides",
        "      src/app.py",
        "  the previous state is saved as 03030303; `clew undo` restores it",
    ]


def test_going_back_with_edits_kept_says_where_to() -> None:
    plan = samples_merge.PREVIEW._replace(merge=samples_merge.KEEPING)

    assert next(preview(plan, LOOK)) == (
        "Restoring 02020202 (before-auth · before the auth refactor) and keeping later edits would"
    )


def test_a_merge_of_nothing_says_so() -> None:
    nothing = samples_merge.NOTHING
    done = samples_merge.ADOPTED._replace(merge=nothing)

    assert list(result(done, LOOK)) == ["Nothing to adopt from fast-path"]
    done = done._replace(merge=nothing._replace(name=""))
    assert list(result(done, LOOK)) == ["Nothing to restore from 05050505 (checkpoint-5)"]


def test_paths_and_names_are_hostile() -> None:
    merge = samples_merge.BLOCKED._replace(
        name=samples.HOSTILE, conflicts=(samples_merge.HOSTILE,), merged=(samples.HOSTILE_PATH,)
    )
    plan = samples_merge.PREVIEW._replace(merge=merge._replace(favour="ours"))
    text = "\n".join([*blocked(merge, LOOK), *preview(plan, LOOK)])

    assert "\x1b" not in text
    assert "\u202e" not in text


def test_long_lists_end_with_how_many_more_there_are() -> None:
    many = samples_merge.CONFLICTS * 20
    lines = list(blocked(samples_merge.BLOCKED._replace(conflicts=many), LOOK))

    assert lines[0] == "Adopting fast-path is blocked by 40 conflicts"
    assert lines[-1] == "  and 20 more; --json lists all"
    assert len(lines) == 22
