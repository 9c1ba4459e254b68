"""Labels can be mended later; the record they hang on cannot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from clew.errors import BadName, UnknownReference
from clew.policy.labels import INTENT_LIMIT
from clew.render.json_values import checkpoint_value
from clew.workspace import Workspace
from tests.kit.everything import git, repository
from tests.operations.moments import save


def test_one_label_is_changed_and_the_others_stay(ws: Workspace) -> None:
    first = save(ws, "intent", name="name", description="words", meta={"k": "v"})

    edited = ws.edit(first, intent="better")

    assert edited.labels == ws.resolve(first).labels
    assert edited.labels.intent == "better"
    assert (edited.labels.name, edited.labels.description) == ("name", "words")
    assert edited.labels.meta == (("k", "v"),)
    assert edited.is_here


def test_a_name_given_later_counts_as_named(ws: Workspace) -> None:
    first = save(ws)
    assert not ws.resolve(first).labels.named

    ws.edit(first, name="release 1")

    assert ws.resolve("release 1").labels.named
    assert ws.resolve("release 1").id.hex() == first


def test_pin_and_unpin(ws: Workspace) -> None:
    first = save(ws)

    assert ws.edit(first, pin=True).labels.pinned
    assert ws.edit(first, intent="x").labels.pinned
    assert not ws.edit(first, pin=False).labels.pinned


NO_NAMES = (
    "", "latest", "10:27", "2026-11-15", "abcd", "@", "-x", "id:x", "a\nb", "checkpoint-3",
)  # fmt: skip


def test_a_name_that_reads_as_something_else_is_refused(ws: Workspace) -> None:
    first = save(ws, name="good name")

    for name in NO_NAMES:
        with pytest.raises(BadName):
            ws.edit(first, name=name)
        with pytest.raises(BadName):
            ws.save("x", name=name)

    assert ws.resolve(first).labels.name == "good name"
    assert len(ws.log().checkpoints) == 1


def test_the_record_does_not_change(ws: Workspace) -> None:
    first = save(ws, "one")
    before = ws.resolve(first).record

    ws.edit(first, intent="two", name="n", description="d", pin=True)

    assert ws.resolve(first).record == before
    assert ws.resolve(first).id.hex() == first


def test_hostile_words_are_kept_as_far_as_they_can_be(ws: Workspace) -> None:
    first = save(ws)

    edited = ws.edit(first, intent="a|b\n\x1b[31m\udcff\0", description="x" * 10_000_000)

    assert edited.labels.intent == "a|b\n\x1b[31m\ufffd\ufffd"
    assert len(edited.labels.description) == INTENT_LIMIT


def test_a_long_intent_is_shortened_and_that_is_said(ws: Workspace) -> None:
    result = ws.save("x" * 10_000_000)

    assert len(result.checkpoint.labels.intent) == INTENT_LIMIT
    assert any("shortened" in notice for notice in result.notices)


def test_an_unknown_checkpoint_cannot_be_edited(ws: Workspace, project: Path) -> None:
    with pytest.raises(UnknownReference):
        ws.edit("nope", intent="x")


def test_metadata_is_added_changed_and_removed_later(ws: Workspace) -> None:
    first = save(ws, meta={"kept": "1", "changed": "2", "gone": "3"})

    edited = ws.edit(first, meta={"changed": "4", "new": "5", "gone": ""})

    assert edited.labels.meta == (("changed", "4"), ("kept", "1"), ("new", "5"))
    assert ws.resolve(first).labels.meta == edited.labels.meta


def test_notes_are_appended_and_survive_other_edits(ws: Workspace) -> None:
    first = save(ws, meta={"k": "v"})
    ws.edit(first, notes=["one", "two\nlines"])
    ws.edit(first, notes=["three"], intent="other")
    labels = ws.edit(first, pin=True).labels

    assert labels.notes == ("one", "two\nlines", "three")
    assert labels.meta == (("k", "v"),)
    assert ws.log(grep="three").checkpoints
    assert ws.edit(first, notes=[""]).labels.notes == ()
    assert ws.edit(first, notes=["", "again"]).labels.notes == ("again",)


def test_a_secret_in_a_note_is_redacted(ws: Workspace) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    note = ws.edit(save(ws), notes=[f"with {secret}"]).labels.notes[0]

    assert secret not in note


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_an_intent_taken_from_git_is_marked(ws: Workspace, project: Path) -> None:
    repository(project, {"file": "1\n"}, "add the login page")
    taken = ws.save()
    given = ws.save("add the login page")

    assert taken.checkpoint.labels.is_intent_from_git
    assert taken.checkpoint.labels.meta == ()
    assert checkpoint_value(taken.checkpoint)["intent_source"] == "git"
    assert checkpoint_value(given.checkpoint)["intent_source"] == "given"
    edited = ws.edit(taken.checkpoint.id.hex(), intent="add the login page")
    assert checkpoint_value(edited)["intent_source"] == "given"
    assert checkpoint_value(ws.save("").checkpoint)["intent_source"] is None


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(
    "damage",
    [
        "echo garbage > .git/HEAD",
        "echo 'ref: refs/heads/.invalid' > .git/HEAD",
        "rm .git/HEAD",
        "rm -r .git/objects .git/logs",
        "rm -r .git; echo gitdir: /elsewhere > .git",
    ],
)
def test_a_git_repository_that_cannot_be_read_is_reported(
    ws: Workspace, project: Path, damage: str
) -> None:
    repository(project, {"file": "1\n"}, "add the login page")
    subprocess.run(damage, shell=True, cwd=project, check=True)
    saved = ws.save()

    assert [one for one in saved.notices if "cannot read the last git commit" in one]
    assert saved.checkpoint.labels.intent == ""
    assert not ws.save("given").notices


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_no_repository_and_no_commit_are_nothing_to_report(ws: Workspace, project: Path) -> None:
    assert ws.save().notices == ()
    git(project, "init", "-q")

    assert ws.save().notices == ()
