"""A checkpoint's story: derived after the save and stored; commands that read store nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.model.record import Origin
from clew.model.story import Story, StoryLine
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.operations.quiet import quiet

__all__ = ["quiet"]

pytestmark = pytest.mark.usefixtures("quiet")


def kept(ws: Workspace, identifier: str) -> Story | None:
    found = ws._access.store.stories.get(ws.resolve(identifier).id)
    return found.story if found else None


def mark(ws: Workspace, identifier: str, headline: str) -> None:
    """Put other words into the story that is kept, with the version that it has."""
    checkpoint = ws.resolve(identifier).id
    found = ws._access.store.stories.get(checkpoint)
    assert found is not None
    ws._access.store.stories.put(checkpoint, found.since, found.version, Story(headline))


def by_another_version(ws: Workspace) -> None:
    """Let every story that is kept be of another version of the detectors."""
    ws._access.store.database.execute("UPDATE stories SET version = 'another'")


@pytest.fixture
def second(ws: Workspace, project: Path) -> str:
    """The second of two checkpoints; a key is new in it."""
    (project / ".env").write_text("A=1\n")
    save(ws, "first")
    (project / ".env").write_text("A=1\nB=canary\n")
    return save(ws, "second")


def test_the_first_save_tells_of_a_new_workspace(ws: Workspace, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "one").touch()

    result = ws.save("first")

    assert result.story == Story("new workspace, 1 file")
    assert result.checkpoint.headline == "new workspace, 1 file"


def test_a_save_tells_what_happened_and_no_secret(ws: Workspace, project: Path) -> None:
    (project / ".env").write_text("A=1\n")
    ws.save("first")
    (project / ".env").write_text("A=1\nB=canary\n")

    result = ws.save("second", verify="true")

    assert result.story is not None
    assert result.story.headline == result.checkpoint.headline == ".env +B"
    assert [(fact.kind, fact.scope, fact.subject) for fact in result.story.facts] == [
        ("env.added", ".env", "B")
    ]
    assert result.story.lines == (StoryLine("Configuration", ".env: +B", path_count=1),)
    assert "canary" not in repr(result.story)
    assert result.notices == ()


def test_a_save_of_what_did_not_change_says_so(ws: Workspace, second: str) -> None:
    result = ws.save("nothing")

    assert result.story == Story("nothing changed")


def test_a_story_is_kept_and_shown_as_it_was_told(
    ws: Workspace, project: Path, store: Path, second: str
) -> None:
    mark(ws, second, "kept words")

    assert ws.show(second).story.headline == "kept words"
    assert [one.headline for one in ws.log().checkpoints] == [
        "kept words",
        "new workspace, 1 file",
    ]
    with opening.open(project, store=store) as again:
        assert again.show(second).checkpoint.headline == "kept words"


def test_a_story_of_another_version_is_derived_again_and_not_stored_by_readers(
    ws: Workspace, second: str
) -> None:
    mark(ws, second, "old words")
    by_another_version(ws)

    assert ws.show(second).story.headline == ".env +B"
    assert kept(ws, second) == Story("old words")


def test_a_timeline_tells_again_what_another_version_told(ws: Workspace, second: str) -> None:
    mark(ws, second, "old words")
    by_another_version(ws)

    assert ws.log().checkpoints[0].headline == ".env +B"


def test_a_timeline_has_no_patience_and_shows_what_it_has(
    ws: Workspace, second: str, host: FakeHost
) -> None:
    mark(ws, second, "old words")
    by_another_version(ws)
    host.hurry = 60.0

    assert ws.log().checkpoints[0].headline == "old words"


def test_a_story_that_cannot_be_read_is_told_again(ws: Workspace, second: str) -> None:
    ws._access.store.database.execute("UPDATE stories SET content = x'00'")

    assert ws.show(second).story.headline == ".env +B"


@pytest.fixture
def orphan(ws: Workspace, project: Path) -> str:
    """A checkpoint whose parent was deleted after both stories had been told."""
    (project / ".env").write_text("A=1\n")
    save(ws, "first")
    (project / ".env").write_text("A=1\nB=1\n")
    middle = save(ws, "middle")
    (project / ".env").write_text("A=1\nB=1\nC=1\n")
    last = save(ws, "last")
    ws.delete([middle])
    return last


@pytest.mark.parametrize("paths", [False, True])
def test_a_story_is_frozen_when_its_parent_is_gone(ws: Workspace, orphan: str, paths: bool) -> None:
    by_another_version(ws)
    ws.show(orphan, paths=paths)
    ws.log()

    assert ws.show(orphan).story.headline == ".env +C"


def test_a_story_that_was_lost_with_its_parent_is_told_since_the_one_before(
    ws: Workspace, orphan: str
) -> None:
    ws._access.store.database.execute("DELETE FROM stories")

    story = ws.show(orphan).story

    assert story.headline == ".env +B and +C"
    assert story.lines[-1].heading == "Not analysed"
    assert "deleted" in story.lines[-1].text


def test_every_changed_path_is_listed_once(ws: Workspace, project: Path) -> None:
    (project / "gone").mkdir()
    for name in ("gone/a", "gone/b", "stays", "edited"):
        (project / name).write_text("1")
    save(ws, "first")
    (project / "gone" / "a").unlink()
    (project / "gone" / "b").unlink()
    (project / "gone").rmdir()
    (project / "edited").write_text("2")
    (project / ".env").write_text("A=1\n")
    (project / "new" / "deep").mkdir(parents=True)
    for number in range(30):
        (project / "new" / "deep" / f"{number}.xyz").write_text("x")
    os.symlink("stays", project / "link")
    second = save(ws, "second")
    difference = ws.diff("@~1", "@")
    changed = [os.fsdecode(change.path) for change in difference.changes]

    told = ws.show(second, paths=True).story
    listed = [path for line in told.lines for path in line.paths]

    assert sorted(listed) == sorted(changed)
    assert told.changed_paths == len(changed)
    assert all(line.path_count == len(line.paths) for line in told.lines)
    assert ws.show(second).story == told.without_paths()


def test_a_difference_is_told_in_both_directions(ws: Workspace, second: str) -> None:
    first = ws.resolve("@~1").id.hex()
    there, back = ws.diff(first, second, story=True), ws.diff(second, first, story=True)

    assert there.story is not None
    assert back.story is not None
    assert [(fact.kind, fact.subject) for fact in there.story.facts] == [("env.added", "B")]
    assert [(fact.kind, fact.subject) for fact in back.story.facts] == [("env.removed", "B")]


def test_a_difference_is_told_only_when_asked_for(ws: Workspace, second: str) -> None:
    assert ws.diff("@~1", "@").story is None


def test_the_story_of_the_live_workspace_needs_no_checkpoint(
    ws: Workspace, project: Path, second: str
) -> None:
    (project / ".env").write_text("A=1\n")
    (project / "fresh").mkdir()
    (project / "fresh" / "one").write_text("1")

    status = ws.status()

    assert status.new is None
    assert status.story is not None
    assert [(fact.kind, fact.subject) for fact in status.story.facts] == [("env.removed", "B")]
    assert status.story.changed_paths == 3
    assert len(ws.log().checkpoints) == 2


def test_status_before_anything_is_saved_has_no_story(ws: Workspace) -> None:
    assert ws.status().story is None


def test_a_hook_does_not_wait_and_readers_derive_the_story_without_storing_it(
    ws: Workspace, project: Path, second: str
) -> None:
    (project / ".env").write_text("B=canary\n")

    result = ws.save("third", origin=Origin.HOOK)
    third = result.checkpoint.id.hex()

    assert result.story is None
    assert result.checkpoint.headline is None
    assert kept(ws, third) is None
    assert ws.log().checkpoints[0].headline == ".env −A"
    assert ws.show(third).story.headline == ".env −A"
    assert kept(ws, third) is None


def test_a_rescue_is_told_by_whoever_looks(ws: Workspace, project: Path, second: str) -> None:
    (project / ".env").write_text("B=2\n")
    ws.restore(second)

    assert ws.log().checkpoints[0].headline == ".env −A and ~B"


def test_a_name_that_is_no_text_spoils_nothing(ws: Workspace, project: Path, second: str) -> None:
    (project / "bad\udcff").write_text("1")

    result = ws.save("third")

    assert result.notices == ()
    assert result.checkpoint.headline == "bad\udcff added"
    assert ws.show("@").story.headline == "bad\udcff added"
    assert ws.log().checkpoints[0].headline == "bad? added"


def test_a_save_whose_story_cannot_be_told_is_a_save(
    ws: Workspace, project: Path, second: str, host: FakeHost
) -> None:
    (project / "file").write_text("1")

    with host.at("story.derive", RuntimeError("a bug")):
        result = ws.save("third", verify="true")

    assert result.created
    assert result.notices == ("Cannot derive the story: a bug",)
    assert result.checkpoint.verdict is not None
    assert len(ws._access.store.checkpoints.live_records()) == 3


def test_what_began_to_listen_is_in_the_story(
    ws: Workspace, project: Path, second: str, quiet: FakeHost
) -> None:
    quiet.listen(8000, "flask run", str(project))
    result = ws.save("server")

    assert result.story is not None
    assert result.story.headline == "port 127.0.0.1:8000 opened (flask run)"
    assert result.story.facts[0].basis == "live"
    assert result.story.changed_paths == 0


def test_what_listens_elsewhere_on_the_machine_is_not_in_the_story(
    ws: Workspace, project: Path, second: str, quiet: FakeHost
) -> None:
    quiet.listen(8000, "flask run", f"{project}-of-somebody-else")
    result = ws.save("server")

    assert result.story is not None
    assert result.story.facts == ()


def test_the_intent_is_compared_with_what_happened(
    ws: Workspace, project: Path, second: str
) -> None:
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    save(ws, "a repository")
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    save(ws, "fix typo")

    told = ws.show("@")

    assert told.story.severity == "high"
    assert told.story.headline.startswith("! ")
    assert len(told.unmentioned) == 1
    assert "pre-commit" in told.unmentioned[0]


def test_a_writer_has_its_words_beside_the_templates(
    ws: Workspace, project: Path, second: str
) -> None:
    ws.settings.set("story.writer", "printf 'The key C was added to .env.'")
    (project / ".env").write_text("A=1\nB=canary\nC=1\n")

    story = ws.save("third").story

    assert story is not None
    assert story.headline == ".env +C"
    assert story.retold == "The key C was added to .env."
    assert ws.show("@").story.retold == story.retold


def test_a_writer_is_given_no_secret(ws: Workspace, project: Path, second: str) -> None:
    seen = project.parent / "seen"
    ws.settings.set("story.writer", f"cat > '{seen}'")
    (project / ".env").write_text("A=1\nB=another canary\n")
    ws.save("third")

    assert '"subject": "B"' in seen.read_text()
    assert "canary" not in seen.read_text()


def test_no_process_and_no_scratch_directory_is_left(
    ws: Workspace, store: Path, second: str
) -> None:
    assert list((store / "tmp").iterdir()) == []
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
