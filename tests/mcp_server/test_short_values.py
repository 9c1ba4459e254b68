"""Short answers of values as large and as hostile as they can be; limits in bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.mcp.short import history, restoring, words
from clew.mcp.short.fit import MOST_BYTES, Section, fit, size, to_json
from clew.mcp.short.paths import Places, fold
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.fact import Severity
from clew.model.record import Origin
from clew.model.restore_results import PlannedPath
from clew.model.results import Difference, Log
from clew.model.story import Story, StoryLine
from clew.policy.generated_names import DIRECTORIES
from clew.render import json as render_json
from tests.cli import samples

ASCII = "what this step did to the login " * 20
WIDE = "変更した設定ファイル" * 50
EMOJI = "👩‍👩‍👧‍👦🚀" * 80
QUOTES = '"\\\n\t' * 200
CONTROLS = "\x1b]0;title\x07\u202e\U000e0041\ud800" * 100
LABELS = {"ascii": ASCII, "wide": WIDE, "emoji": EMOJI, "quotes": QUOTES, "controls": CONTROLS}


def row(number: int, text: str) -> Checkpoint:
    labels = Labels(text, text[:60], True, text, True, (("failed", text),), (text,))
    made = samples.checkpoint(
        number % 250 + 1, labels, coverage=samples.COVERAGE, verdict=samples.verdict(1, text)
    )
    return made._replace(headline=text[:100])


def log_of(count: int, text: str, limit: int = 20) -> dict[str, Any]:
    rows = tuple(row(number, text) for number in range(count))
    full = render_json.timeline(Log(None, rows[:limit]))
    return history.timeline(full, max(count - limit, 0), limit)


@pytest.mark.parametrize("text", LABELS.values(), ids=LABELS)
def test_twenty_rows_of_two_hundred_fit_in_six_thousand_bytes(text: str) -> None:
    answer = log_of(200, text)

    assert size(answer) <= 6_000
    assert len(answer["checkpoints"]) == 20
    assert answer["truncated"][0].startswith("checkpoints: 20 of 200; ")


def test_twenty_ordinary_rows_keep_almost_all_of_their_labels() -> None:
    text = ("an intent of one hundred characters " * 3)[:100]
    labels = Labels(text, "checkpoint-1")
    rows = [
        samples.checkpoint(number + 1, labels, origin=Origin.HOOK)._replace(headline=text)
        for number in range(20)
    ]
    answer = history.timeline(render_json.timeline(Log(None, tuple(rows))), 0, 20)

    assert size(answer) <= 6_000
    assert all(len(one["intent"]) >= 85 for one in answer["checkpoints"])
    assert "truncated" not in answer
    assert answer["checkpoints"][0].keys() == {"id", "time", "intent", "headline"}


def test_two_hundred_rows_that_are_asked_for_are_all_listed() -> None:
    answer = log_of(200, WIDE, limit=200)

    assert len(answer["checkpoints"]) == 200
    assert size(answer) <= 60_000


def test_a_row_has_only_what_sets_it_apart() -> None:
    rows = [samples.LATEST, samples.RESCUE, samples.NAMED, samples.FIRST]
    answer = history.timeline(render_json.timeline(Log(samples.LATEST.id, tuple(rows))), 0, 20)
    latest, rescue, named, first = answer["checkpoints"]

    assert latest == {
        "id": "04040404",
        "time": "2026-01-05T11:00:00Z",
        "intent": "try the new login",
        "verdict": {"status": "failing", "command": "npm test", "exit_code": 1},
        "is_current": True,
        "origin": "manual",
        "incomplete": {"unreadable": 2, "unstable": 1},
    }
    assert rescue["origin"] == "rescue"
    assert named["name"] == "before-auth"
    assert named["is_pinned"] is True
    assert named["verdict"] == {"status": "passing"}, "the same check as above"
    assert first == {"id": "01010101", "time": "2025-12-06T11:07:00Z", "origin": "manual"}


def changes(count: int, folder: str, kind: str = ChangeKind.DELETED) -> tuple[Change, ...]:
    old, new = (samples.FILE, None) if kind == ChangeKind.DELETED else (None, samples.FILE)
    return tuple(
        Change(f"{folder}/{number}.js".encode("utf-8", "surrogateescape"), kind, old, new)
        for number in range(count)
    )


def diff_of(found: tuple[Change, ...], lines: int = 0, text: str = "line") -> dict[str, Any]:
    told = tuple(
        StoryLine("Warnings" if number < 3 else "Packages", f"{number} {text}", Severity.NONE)
        for number in range(lines)
    )
    story = Story("headline", (samples.HOOK,) * lines, told) if lines else None
    full = render_json.difference(Difference(samples.FIRST, None, found, None, story))
    return history.difference(full)


def test_of_thirty_six_thousand_paths_the_one_that_was_written_is_listed() -> None:
    found = (*changes(36_000, "web/node_modules/a"), Change(b".env", "deleted", samples.FILE, None))
    answer = diff_of(found)

    assert size(answer) <= 500
    assert answer["changes"] == [{"path": ".env", "kind": "deleted"}]
    assert answer["change_counts"] == {"deleted": 36_001}
    assert answer["folded"] == [
        {
            "path": "web/node_modules/",
            "change_counts": {"deleted": 36_000},
            "total_bytes": 36_000 * samples.FILE.size,
        }
    ]


@pytest.mark.parametrize(
    "folder",
    [
        "src",
        "深い" * 90,
        "👩‍👩‍👧‍👦" * 60,
        '"\\' * 100,
        "\x1b[2J\u202e" * 40,
        "a/" * 1500,
        "\udcff" * 90,
    ],
)
def test_written_paths_that_do_not_fit_are_counted_by_directory(folder: str) -> None:
    answer = diff_of((*changes(2_000, folder), *changes(5, "other")), 400, WIDE)

    assert size(answer) <= MOST_BYTES
    assert json.loads(to_json(answer)) == answer
    assert sum(one["change_counts"]["deleted"] for one in answer["by_directory"]) == 2_005
    assert [one.split(":")[0] for one in answer["truncated"]] == ["story_lines", "changes"]
    assert answer["story_lines"][0]["heading"] == "Warnings"


def test_a_huge_story_leaves_room_for_the_paths_and_says_how_much_is_missing() -> None:
    answer = diff_of(changes(30, "src"), 5_000, ASCII)

    assert size(answer) <= MOST_BYTES
    assert len(answer["changes"]) == 30
    (said,) = answer["truncated"]
    assert said.startswith(f"story_lines: {len(answer['story_lines'])} of 5,000; ")


def test_many_generated_directories_are_cut_last_largest_first() -> None:
    found = [one for n in range(800) for one in changes(n % 7 + 1, f"p{n}/node_modules")]
    answer = diff_of(tuple(found))

    assert size(answer) <= MOST_BYTES
    assert answer["folded"][0]["change_counts"] == {"deleted": 7}
    assert answer["truncated"][0].startswith(f"folded: {len(answer['folded'])} of 800; ")


def test_a_patch_is_cut_file_by_file_and_counts_the_rest() -> None:
    parts = ["--- a/s\n+++ b/s\n-1\n+2\n", "--- a/x\n+++ b/x\n" + '+"long" line 変\n' * 2_000]
    full = render_json.difference(Difference(samples.FIRST, None, ()))
    answer = history.difference(full, history.Patch((*parts, *parts * 30), 900, 12))

    assert size(answer) <= MOST_BYTES
    assert answer["patch"].startswith(parts[0])
    assert "… 1,9" in answer["patch"]
    assert answer["patch"].count("--- a/") == 19
    assert answer["truncated"] == [
        "patch: 19 of 900 files; call with `paths`, or set `detail`",
        "patch: without 12 generated files; set `detail`",
    ]


def test_one_file_of_a_patch_may_fill_the_answer() -> None:
    part = "--- a/x\n+++ b/x\n" + "+a line that was added\n" * 300
    full = render_json.difference(Difference(samples.FIRST, None, ()))
    answer = history.difference(full, history.Patch((part,), 1, 0))

    assert answer["patch"] == part
    assert "truncated" not in answer


def test_only_files_are_patched_and_not_generated_ones() -> None:
    chosen, number, generated = history.chosen(
        [
            *samples.CHANGES,
            Change(b"dir", ChangeKind.ADDED, None, samples.DIRECTORY),
            *changes(7, "node_modules", ChangeKind.ADDED),
        ]
    )

    assert [one.path for one in chosen] == [
        b"src/new.py", b"src/app.py", b"old.txt", b"b.txt", b"current", b"bad\xff"
    ]  # fmt: skip
    assert (number, generated) == (6, 7)


def test_a_plan_with_thirty_thousand_deletions_shows_what_was_written_first() -> None:
    planned = [PlannedPath(f"node_modules/{n}".encode(), 10) for n in range(30_000)]
    plan = samples.PREVIEW._replace(
        deleted=(*planned, *(PlannedPath(f"src/{WIDE}{n}".encode(), 5) for n in range(900)))
    )
    answer = restoring.planned(render_json.previewed(plan)["preview"])

    assert size(answer) <= MOST_BYTES - 1_000
    assert answer["deleted_count"] == 30_900
    assert answer["folded"] == [
        {"path": "node_modules/", "change_counts": {"deleted": 30_000}, "total_bytes": 300_000}
    ]
    assert any(
        one.startswith(f"deleted: {len(answer['deleted'])} of 900") for one in answer["truncated"]
    )


@pytest.mark.parametrize(
    ("path", "directory"),
    [
        ("web/node_modules/a/b.js", "web/node_modules/"),
        ("web/node_modules", "web/node_modules/"),
        ("node_modules/x/node_modules/y", "node_modules/"),
        ("app/a/__pycache__/x.pyc", "**/__pycache__/"),
        ("__pycache__/x.pyc", "**/__pycache__/"),
        ("app/x.pyc", "**/*.pyc"),
        (".venv/lib/python3.11/site-packages/x.py", ".venv/"),
        ("env/lib/python3.11/site-packages/x.py", "env/lib/python3.11/site-packages/"),
        ("x.egg-info/PKG-INFO", "x.egg-info/"),
        (".git/objects/aa/bb", ".git/"),
        (".git/index", ".git/"),
        (".git/hooks/pre-commit", None),
        ("lib/.git/config", None),
        (".env", None),
        ("src/app.py", None),
        ("src/build/important.py", None),
        ("node_modules_notes.md", None),
        ("", None),
    ],
)
def test_generated_directories(path: str, directory: str | None) -> None:
    assert Places().of(path) == directory


@pytest.mark.parametrize(
    ("path", "named", "directory"),
    [
        ("web/node_modules/a/x.js", "web/node_modules", None),
        ("web/node_modules/a/x.js", "web/node_modules/a/x.js", None),
        ("web/node_modules/a/x.js", "web", "web/node_modules/"),
        ("web/node_modules/a/dist/x.js", "web/node_modules/a", "web/node_modules/a/dist/"),
        ("web/node_modules/b/x.js", "web/node_modules/a", None),
    ],
)
def test_a_generated_directory_that_is_asked_for_is_open(
    path: str, named: str, directory: str | None
) -> None:
    assert Places([named]).of(path) == directory


def test_every_generated_directory_of_the_tables_is_folded() -> None:
    changed = [{"path": f"{name}/x", "kind": "added", "size": 1} for name in DIRECTORIES]

    assert fold(changed).listed == []


@pytest.mark.parametrize("text", LABELS.values(), ids=LABELS)
def test_a_line_is_short_one_line_and_printable(text: str) -> None:
    found = words.line(text, 100)

    assert len(found.encode()) <= 100
    assert found.endswith("…")
    assert "\n" not in found
    assert not any(char in found for char in "\x1b\x07\u202e\U000e0041")


def test_the_end_of_an_output_is_kept() -> None:
    assert words.end("変\n" * 1000 + "last", 50).endswith("変\nlast")
    assert len(words.end("変\n" * 1000, 50).encode()) <= 50
    assert words.end("all", 50) == "all"


def test_lists_share_the_room_and_take_what_others_leave() -> None:
    def answer(first: int, second: int) -> dict[str, Any]:
        made: dict[str, Any] = {"a": ["x" * 8] * first, "b": ["y" * 8] * second, "c": []}
        return fit(
            made, [Section(made, "a", 0.5), Section(made, "b", 0.5), Section(made, "c", 0)], 1_000
        )

    both, alone = answer(500, 500), answer(500, 2)

    assert size(both) <= 1_000
    assert len(both["a"]) - len(both["b"]) in (0, 1)
    assert both["truncated"] == [
        f"a: {len(both['a'])} of 500; set `detail` to see more",
        f"b: {len(both['b'])} of 500; set `detail` to see more",
    ]
    assert len(alone["a"]) > len(both["a"]) + 10
    assert len(alone["b"]) == 2
    assert "c" not in both


def test_what_fits_is_not_touched() -> None:
    made = {"a": [1, 2, 3]}

    assert fit(made, [Section(made, "a", 0.1)], 20) == {"a": [1, 2, 3]}


def test_a_list_that_was_asked_for_stays_when_it_is_empty() -> None:
    assert log_of(0, "")["checkpoints"] == []
    assert diff_of(()) == {"from": "01010101", "to": None, "changes": []}
