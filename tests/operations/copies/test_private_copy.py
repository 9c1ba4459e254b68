"""Private copies: what is scanned in one, whose rules hold there, and a machine entered as its root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from clew import opening
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Reason
from clew.model.ids import ObjectId, ObjectType, StateId
from clew.model.record import Coverage, Uncovered
from clew.model.tree import checkpoint_state, put_root, read_root
from clew.monitor import Monitor
from clew.operations.copies.copy_result import scan_result, with_uncovered
from clew.operations.copies.private_copy import Seen, as_workspace, in_private_copy
from clew.workspace import Workspace
from clew.worktree.cache import directory_number
from clew.worktree.sandbox import why_unavailable
from clew.worktree.scan import ScanResult
from tests.cli import samples
from tests.diff.forest import Directory, Forest, Node, file, uncovered
from tests.kit.everything import build, release
from tests.kit.tiny_root import make_tiny_root
from tests.kit.tools import require, require_root
from tests.kit.trying import NO_NAMESPACES, Place, place_for
from tests.operations.moments import save


@pytest.fixture(autouse=True)
def namespaces() -> None:
    if why := why_unavailable():
        pytest.skip(why)


def scanned(ws: Workspace, checkpoint: Checkpoint, command: str = "true") -> ScanResult:
    """Return what a scan finds in a copy after a command, with what the moment did not cover."""
    context = ws._access.context

    def work(seen: Seen) -> ScanResult:
        assert seen.run(["/bin/sh", "-c", command], timeout=600).exit_code == 0
        with as_workspace(context, checkpoint, seen) as copy, copy.store.locks.shared(Monitor()):
            found = scan_result(copy, Monitor())
            with copy.store.writing() as writer:
                found = with_uncovered(found, checkpoint, copy.store.objects.get, writer.put)
                writer.finish()
                copy.store.commit_objects(writer)
            return found

    return in_private_copy(context, checkpoint, work, monitor=Monitor()).result


def test_an_unchanged_copy_is_scanned_as_the_identical_tree(on_ext4: Path) -> None:
    project = on_ext4 / "project"
    project.mkdir()
    build(project)
    with opening.open(project, store=on_ext4 / "store", create=True) as ws:
        saved = ws.save().checkpoint
        found = scanned(ws, saved)
    release(on_ext4)

    assert (found.tree, found.links) == (saved.record.tree, saved.record.links)
    assert found.state == saved.record.state


def test_what_a_moment_did_not_cover_its_copy_does_not_cover_either(
    ws: Workspace, project: Path
) -> None:
    for name in ("out/x", "in/out/x", "in/kept", "gone/out/x"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(name)
    ws.settings.set("exclude", "out")
    saved = ws.save().checkpoint
    found = scanned(ws, saved)

    assert (found.tree, found.state) == (saved.record.tree, saved.record.state)
    assert _uncovered(found.coverage) == _uncovered(saved.record.coverage)

    without = scanned(ws, saved, "rm -r gone; mkdir -p out/again")

    assert [item.path for item in without.coverage.uncovered] == [b"in/out", b"out"]
    assert dict(without.coverage.counts) == {"excluded": 2}


def _uncovered(coverage: Coverage) -> tuple[object, ...]:
    return coverage.counts, coverage.uncovered


def test_more_uncovered_paths_than_a_record_names_are_all_found(
    ws: Workspace, project: Path
) -> None:
    for number in range(130):
        (project / f"{number}").mkdir()
        (project / f"{number}" / "out").write_text("x")
    ws.settings.set("exclude", "out")
    saved = ws.save().checkpoint
    found = scanned(ws, saved)

    assert found.tree == saved.record.tree
    assert dict(found.coverage.counts) == {"excluded": 130}


def test_what_was_proved_of_a_copy_is_known_wherever_it_is_shown(
    ws: Workspace, project: Path
) -> None:
    """As root through an overlay, as others in a copy of its own; so a scan reads only changes."""
    (project / "sub" / "deeper").mkdir(parents=True)
    saved = ws.resolve(save(ws))

    def known(seen: Seen) -> list[bool]:
        with (
            as_workspace(ws._access.context, saved, seen) as copy,
            closing(copy.open_cache()) as cache,
        ):
            found = [os.stat(os.path.join(seen.root, name)) for name in (b"sub", b"sub/deeper")]
            return [directory_number(one.st_dev, one.st_ino) in cache.directories for one in found]

    assert in_private_copy(ws._access.context, saved, known, monitor=Monitor()).result == [
        True,
        True,
    ]


def test_the_rules_are_those_of_the_moment(ws: Workspace, project: Path) -> None:
    (project / "out").mkdir()
    (project / "out" / "x").write_text("x")
    saved = ws.resolve(save(ws))
    ws.settings.set("exclude", "out")

    assert scanned(ws, saved).tree == saved.record.tree


def test_a_file_that_a_command_made_is_kept_and_a_mount_point_is_not() -> None:
    forest = Forest()
    before = {b"secret": uncovered(Reason.UNREADABLE), b"data": uncovered(Reason.MOUNT)}
    after: dict[bytes, Node] = {b"secret": file(b"made anew"), b"data": Directory({})}
    named = tuple(Uncovered(name, entry.reason) for name, entry in sorted(before.items()))
    base = samples.checkpoint(
        1, coverage=Coverage(counts=(("mount", 1), ("unreadable", 1)), uncovered=named)
    )
    links = forest.put(ObjectType.LINKS, b"")
    found = ScanResult(
        forest.plant(Directory(after)),
        base.record.state,
        links,
        Coverage(files=2),
        0,
        [],
        [],
        [],
        [],
    )
    kept = with_uncovered(found, base, forest.get, forest.put)

    expected = forest.plant(Directory({**after, b"data": before[b"data"]}))
    assert kept.tree == expected
    assert kept.coverage.counts == (("mount", 1),)
    assert kept.state == checkpoint_state(_root_state(expected, forest), links)


def _root_state(tree: ObjectId, forest: Forest) -> StateId:
    return put_root(read_root(tree, forest.get), forest.put).state


# A machine


@pytest.fixture
def machine() -> Iterator[Place]:
    require_root("entering a machine")
    with place_for("root") as place:
        make_tiny_root(place.project, "cat", "ls", "mkdir", "rm", "touch", "readlink")
        place.clew.ok("init", "--machine", str(place.project))
        yield place


def output(place: Place, *words: str) -> str:
    found = place.clew.json(*words)
    verdict = found.get("verdict", found)
    return str(verdict["output"])


def test_a_machine_is_entered_as_its_root(machine: Place) -> None:
    saved = machine.clew.save()
    (machine.project / "etc" / "hostname").write_text("later\n")
    seen = output(machine, "verify", saved, "--", "pwd; cat /etc/hostname; ls / /proc/1/exe")

    assert seen.startswith("/\ntiny\n")
    assert "proc" in seen.split()
    assert not os.path.exists("/etc/tiny")
    assert (machine.project / "etc" / "hostname").read_text() == "later\n"


def test_a_machine_that_cannot_be_entered_is_left_alone(machine: Place) -> None:
    require("unshare")
    saved = machine.clew.save()
    machine.clew.prefix = list(NO_NAMESPACES)
    flag = machine.root / "home" / "ran"

    for words in (
        ("verify", saved, "--", f"touch {flag}"),
        ("try", saved, "--attempt", f"a=touch {flag}"),
    ):
        machine.clew.run(*words)

        assert not flag.exists()
    assert machine.clew.error("verify", saved, "--", "true")[1]["kind"] == "sandbox-unavailable"


def test_what_a_command_would_change_in_a_machine_is_told(machine: Place) -> None:
    saved = machine.clew.save()
    found = machine.clew.json("exec", saved, "--", "rm /etc/hostname; mkdir /srv; touch /tmp/left")

    # Its /tmp is on the disk that was captured, so it is part of the machine.
    assert [(one["kind"], one["path"]) for one in found["difference"]["changes"]] == [
        ("deleted", "etc/hostname"), ("added", "srv"), ("added", "tmp/left"),
    ]  # fmt: skip
    assert sorted(os.listdir(machine.project / "tmp")) == []
