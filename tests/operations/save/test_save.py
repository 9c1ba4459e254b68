"""Save: one more checkpoint, whoever helps and whatever was saved before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.errors import ClewError, ScanFailed, StoreFull
from clew.model.record import Origin
from clew.store.frame import read_pack
from clew.workspace import Workspace
from tests.kit.everything import repository
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.worktree.sink import settle


@pytest.fixture
def sixty(project: Path) -> Path:
    """Enough directories that a crew walks them, with the same file in each of them."""
    for number in range(60):
        (project / f"{number:02}").mkdir()
        (project / f"{number:02}" / "own").write_text(f"{number}")
        (project / f"{number:02}" / "same").write_text("the same everywhere")
    settle()
    return project


# Many hands


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_however_many_save_the_tree_is_the_same_and_whole(
    ws: Workspace, sixty: Path, size: int, host: FakeHost
) -> None:
    host.processes = size
    record = ws.save().checkpoint.record
    host.processes = 1

    again = ws.save().checkpoint.record

    assert (again.tree, again.state) == (record.tree, record.state)
    assert record.coverage.files == 180
    assert ws.store.check(read_data=True).whole
    assert b"".join(ws.cat("@", str(sixty / "59" / "own"))) == b"59"


def test_what_several_come_across_is_stored_once(
    ws: Workspace, sixty: Path, host: FakeHost
) -> None:
    host.processes = 3
    ws.save()
    transport = ws._access.store.transport
    rows = [
        place.identifier
        for name in transport.names()
        for _, frame in read_pack(transport, name)
        for place in frame.entries
    ]
    assert len(rows) > 60

    # Two that claim at the very same instant may both store it; sixty times would be no claim.
    assert len(rows) - len(set(rows)) <= 3


def _die() -> None:
    os._exit(9)


def _fail() -> None:
    raise RuntimeError("not today")


@pytest.mark.parametrize("become", [_die, _fail])
def test_a_helper_that_dies_fails_the_save_and_the_next_one_works(
    ws: Workspace,
    sixty: Path,
    store: Path,
    become: Callable[[], object],
    host: FakeHost,
) -> None:
    host.processes = 3
    for number in range(2):
        host.when(f"scan.helper.{number}", become)
    with pytest.raises(ScanFailed):
        ws.save()

    assert os.listdir(store / "packs") == []
    assert os.listdir(store / "tmp") == []
    assert ws.log().checkpoints == ()
    host.processes = 1
    assert ws.save().checkpoint.record.coverage.files == 180


def test_a_helper_that_dies_last_leaves_no_packs_of_the_others(
    ws: Workspace, sixty: Path, store: Path, host: FakeHost
) -> None:
    import time

    def die_late() -> None:
        time.sleep(0.3)
        os._exit(9)

    host.processes = 3
    host.when("scan.helper.0", die_late)
    with pytest.raises(ScanFailed):
        ws.save()

    assert os.listdir(store / "packs") == []


def test_a_disk_that_is_full_for_a_helper_is_full_for_the_save(
    ws: Workspace, sixty: Path, host: FakeHost
) -> None:
    """The rescue gives up the reserve for it, so it must be told apart from any other failure."""
    host.processes = 2
    host.when("scan.helper.0", StoreFull("/the/store"))

    with pytest.raises(StoreFull):
        ws.save()


def test_a_failure_of_our_own_leaves_no_packs(
    ws: Workspace, project: Path, store: Path, host: FakeHost
) -> None:
    (project / "file").write_bytes(os.urandom(2 << 20))
    with host.at("save.commit", RuntimeError("no")), pytest.raises(RuntimeError):
        ws.save()

    assert os.listdir(store / "packs") == []
    assert save(ws)


# What it costs, and what is said


def test_an_unchanged_workspace_costs_a_record_and_no_content(ws: Workspace, sixty: Path) -> None:
    first = ws.save()
    second = ws.save()

    assert second.created
    assert second.new_bytes < 2000 < first.new_bytes
    assert second.checkpoint.changes is not None
    assert second.checkpoint.changes.total == 0


def test_skipping_what_is_unchanged(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").touch()

    skipped = ws.save("again", skip_unchanged=True)
    (project / "file").write_text("2")
    taken = ws.save("changed", skip_unchanged=True)

    assert (skipped.created, skipped.checkpoint.id.hex()) == (False, first)
    assert taken.created


def test_the_first_save_is_never_skipped(ws: Workspace) -> None:
    assert ws.save(skip_unchanged=True).created


def test_only_the_first_save_says_that_the_workspace_is_new(ws: Workspace) -> None:
    assert [ws.save().new_workspace, ws.save().new_workspace] == [True, False]


def test_changes_are_counted_against_the_parent(ws: Workspace, project: Path) -> None:
    for name in ("edited", "deleted", "moved", "moded"):
        (project / name).write_text(f"some text of {name}\n" * 9)
    ws.save()
    (project / "edited").write_text("other")
    (project / "deleted").unlink()
    (project / "moved").rename(project / "elsewhere")
    (project / "moded").chmod(0o600)
    (project / "added").write_text("new")

    changes = ws.save().checkpoint.changes

    assert changes == (1, 1, 1, 1, 1)


def test_without_words_the_last_commit_speaks(ws: Workspace, project: Path) -> None:
    repository(project, {"file": "x"}, "git: the subject\n\nthe body")

    assert ws.save().checkpoint.labels.intent == "git: the subject"
    assert ws.save("my own").checkpoint.labels.intent == "my own"
    assert ws.save("").checkpoint.labels.intent == ""


def test_the_parent_is_what_was_here(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").write_text("2")
    save(ws)
    ws.restore(first)
    (project / "file").write_text("3")

    parent = ws.save().checkpoint.record.parent

    assert parent is not None
    assert parent.hex() == first


def test_an_unknown_origin_is_refused(ws: Workspace) -> None:
    with pytest.raises((ClewError, ValueError)):
        ws.save(origin="banana")
    assert ws.save(origin=Origin.HOOK).checkpoint.record.origin == "hook"


@pytest.mark.parametrize("verb", ["save", "status"])
def test_a_root_that_is_gone_is_said_in_one_line(ws: Workspace, project: Path, verb: str) -> None:
    save(ws)
    project.rmdir()

    with pytest.raises(ClewError) as refused:
        ws.save() if verb == "save" else ws.status()

    assert "\n" not in str(refused.value)


def test_counting_changes_cannot_fail_a_save(ws: Workspace, project: Path, host: FakeHost) -> None:
    save(ws)
    (project / "file").write_text("x")
    with host.at("save.count", ValueError("out of order")):
        result = ws.save()

    assert result.created
    assert result.notices == ("Cannot count the changes: out of order",)


def test_names_of_metadata_that_look_like_secrets_cost_no_capture(ws: Workspace) -> None:
    secrets = [f"ghp_abcdefghijklmnopqrstuvwxyz012345678{digit}" for digit in "123"]

    result = ws.save("x", meta=dict.fromkeys(secrets, "y"))

    assert [key for key, _ in result.checkpoint.labels.meta] == [
        "[redacted]",
        "[redacted] 2",
        "[redacted] 3",
    ]


def test_what_looks_like_a_secret_stays_out_of_the_labels(ws: Workspace, project: Path) -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

    result = ws.save(f"use {secret} now", description=secret, meta={"password": "canary"})

    assert result.checkpoint.labels.intent == "use [redacted] now"
    assert secret not in repr(result)
    assert "canary" not in repr(result)
    assert (
        "Redacted what looks like a secret from the intent, description and metadata"
        in result.notices
    )


def test_ordinary_labels_are_kept_as_they_are(ws: Workspace, project: Path) -> None:
    result = ws.save("before the token refactoring", meta={"ticket": "AB-12"})

    assert result.checkpoint.labels.intent == "before the token refactoring"
    assert dict(result.checkpoint.labels.meta) == {"ticket": "AB-12"}
    assert result.notices == ()
