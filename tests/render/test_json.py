from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.results import CheckpointStory, Difference
from clew.model.story import Story
from clew.render import json as render
from clew.render.json_values import path_value
from clew.render.shapes.history import ShowOutput
from tests.cli import samples


def back(value: Mapping[str, object]) -> Any:
    return json.loads(render.dumps(value))


def shown(checkpoint: Checkpoint, headline: str = "nothing changed") -> ShowOutput:
    return render.shown(CheckpointStory(checkpoint, Story(headline)))


@given(st.text(st.characters(exclude_categories=[])))
def test_any_label_gives_valid_json_without_half_characters(text: str) -> None:
    labels = Labels(text, meta=((text, text),))
    written = render.dumps(shown(samples.checkpoint(1, labels), text))

    assert written.isascii()
    assert "\x7f" not in written
    json.loads(written)["checkpoint"]["intent"].encode("utf-8")
    json.loads(written)["headline"].encode("utf-8")


@given(st.binary())
def test_any_path_can_be_had_back_exactly(path: bytes) -> None:
    found = back(path_value(path))
    exact = found.get("path_b64")

    assert (base64.b64decode(exact) if exact else found["path"].encode()) == path


def test_text_without_half_characters_is_unchanged() -> None:
    intent = "日本語 \u202e \x1b | 👍"

    assert back(shown(samples.checkpoint(1, Labels(intent))))["checkpoint"]["intent"] == intent


def test_a_lone_surrogate_becomes_one_replacement_character() -> None:
    found = back(shown(samples.checkpoint(1, Labels("a\udcffb"))))

    assert found["checkpoint"]["intent"] == "a\ufffdb"


def test_a_checkpoint_has_every_field_that_the_issue_asks_for() -> None:
    found = back(shown(samples.LATEST))["checkpoint"]

    assert found["id"] == "04" * 32
    assert found["short_id"] == "04040404"
    assert found["time"] == "2026-01-05T11:00:00.000000000Z"
    assert found["parent"] == "03" * 32
    assert found["change_counts"] == {
        "added": 3,
        "modified": 2,
        "deleted": 1,
        "renamed": 0,
        "metadata": 0,
    }
    assert found["coverage"] == {
        "is_complete": False,
        "entry_count": 1234,
        "total_bytes": 5600000,
        "uncovered": [
            {"path": "secrets/a", "reason": "unreadable"},
            {"path": "secrets/b", "reason": "unreadable"},
            {"path": "tmp", "reason": "excluded"},
        ],
        "uncovered_counts": {"excluded": 1, "unreadable": 2},
        "unstable": [{"path": "app.log"}],
        "unreadable_process_count": 3,
    }
    assert found["verdict"]["status"] == "failing"
    assert found["meta"] == {"ticket": "AB-12"}
    assert found["is_current"] is True


def test_what_nobody_knows_is_null() -> None:
    found = back(shown(samples.checkpoint(1, changes=None)))["checkpoint"]

    assert found["parent"] is None
    assert found["change_counts"] is None
    assert found["verdict"] is None


def test_a_story_has_its_facts_and_says_how_many_paths_are_behind_each_line() -> None:
    found = back(render.shown(samples.TOLD))

    assert found["headline"] == found["checkpoint"]["headline"] == samples.STORY.headline
    assert found["severity"] == "high"
    assert found["custom_story"] is None
    assert found["unmentioned"] == ["git will run something new: pre-commit"]
    assert found["facts"][2] == {
        "kind": "package.changed",
        "scope": "pip:.venv",
        "subject": "flask",
        "before": "2.3.3",
        "after": "3.0.0",
        "is_direct": True,
        "severity": "none",
        "basis": "disk",
        "evidence": ["flask-3.0.0.dist-info"],
        "details": [],
    }
    assert found["story_lines"][2] == {
        "heading": "Files",
        "text": "src/app.py changed",
        "severity": "none",
        "path_count": 1,
    }


def test_paths_are_listed_where_the_story_has_them() -> None:
    found = back(render.shown(samples.TOLD._replace(story=samples.STORY)))["story_lines"]

    assert found[1]["paths"] == [".venv/flask", ".venv/blinker"]
    assert "paths" not in found[3]


def test_a_save_and_a_difference_have_a_story_only_where_one_was_told() -> None:
    told = {"headline", "severity", "custom_story", "facts", "story_lines"}

    assert told <= back(render.saved(samples.SAVED)).keys()
    assert not told & back(render.saved(samples.SAVED._replace(story=None))).keys()
    assert told <= back(render.difference(samples.STATUS)).keys()
    assert not told & back(render.difference(samples.DIFFERENCE)).keys()


def test_blame_has_facts_and_changes_side_by_side() -> None:
    found = back(render.blamed(samples.BLAME))

    assert found["subject"] == "flask"
    assert [one["checkpoint"]["short_id"] for one in found["matches"]] == [
        "04040404",
        "02020202",
    ]
    assert found["matches"][0]["facts"][0]["kind"] == "package.changed"
    assert found["matches"][1]["changes"][0]["path"] == "src/new.py"


def test_a_change_has_both_sides() -> None:
    found = back(render.difference(samples.DIFFERENCE))

    assert (found["from"], found["to"]) == ("02" * 32, "04" * 32)
    assert [change["kind"] for change in found["changes"]] == [
        "added",
        "modified",
        "deleted",
        "renamed",
        "metadata",
        "type",
        "added",
    ]
    assert found["changes"][0]["old"] is None
    assert found["changes"][1]["new"]["mode"] == "0755"
    assert found["changes"][2]["new"] is None
    assert found["changes"][3]["old_path"] == "a.txt"
    assert found["changes"][4]["old_path"] is None
    assert found["changes"][5]["new"]["target"] == "releases/7"
    assert found["changes"][6]["path"] == "bad\ufffd"
    assert found["changes"][6]["path_b64"] == "YmFk/w=="


def test_a_renamed_path_keeps_its_exact_old_name() -> None:
    change = Change(b"b", ChangeKind.RENAMED, samples.FILE, samples.FILE, b"\xff")
    found = back(render.difference(Difference(None, None, (change,))))

    assert found["from"] is None
    assert found["to"] is None
    assert found["changes"][0]["old_path_b64"] == "/w=="


def test_an_entry_has_the_fields_of_its_type() -> None:
    file, link, directory, device, secret, frozen = back(render.listed(samples.LISTING))["entries"]

    assert file["size"] == 1200
    assert link["target"] == "releases/7"
    assert "size" not in directory
    assert directory["mode"] == "2750"
    assert (device["major"], device["minor"]) == (1, 3)
    assert secret == {"name": "secrets", "type": "uncovered", "reason": "unreadable"}
    assert frozen["flags"] == ["immutable"]
    assert frozen["xattrs"] == "dd" * 32


def test_a_restore_gives_ids_and_counts() -> None:
    assert back(render.restored(samples.RESTORED)) == {
        "target": "02" * 32,
        "rescue": "03" * 32,
        "current": "02" * 32,
        "created_count": 1,
        "replaced_count": 1,
        "deleted_count": 1,
        "metadata_count": 1,
        "is_verified": True,
        "is_partial": False,
        "skipped": [{"path": "secrets", "reason": "not covered by the checkpoint"}],
        "changed_after": [{"path": "app.log"}],
        "no_longer_running": [],
        "problems": [],
        "effects": [],
        "parts": ["files"],
        "session": None,
        "warnings": [],
        "resumable_session": None,
        "concurrent_work": [],
    }
    assert back(render.restored(samples.RESTORED._replace(rescue=None)))["rescue"] is None
