"""Everyday use of the service."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import clew
from clew.compat.praisonai import CheckpointService
from tests.compat.praisonai.place import Place, heard, restored, run, saved


def test_a_checkpoint_is_saved_and_restored(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    before = saved(service, "before")
    place.write("a.txt", "two")
    place.write("new.txt", "made since")
    result = run(service.restore(before.short_id))

    assert result.success
    assert result.checkpoint == before
    assert place.read("a.txt") == "one"
    assert not (place.workspace / "new.txt").exists()


def test_a_checkpoint_says_what_it_is(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    service = place.service()
    saved(service, "before")
    place.write("a.txt", "one\n2\n3\n")
    place.write("dir/b.txt", "b\n")
    made = saved(service, "after", metadata={"ticket": "12"})
    age = datetime.now(UTC) - made.timestamp

    assert (made.message, made.short_id, len(made.id)) == ("after", made.id[:8], 64)
    assert made.files_changed == ["a.txt", "dir/b.txt"]
    assert (made.insertions, made.deletions) == (3, 1)
    assert made.metadata["ticket"] == "12"
    assert timedelta(minutes=-5) < age < timedelta(hours=1)


def test_the_beginning_is_a_checkpoint_and_the_first_save_another(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    saved(service, "mine")

    assert [one.message for one in run(service.list())] == ["mine", "Initial checkpoint"]
    assert run(service.save("nothing new")).error == "No changes to checkpoint"
    assert run(service.save("on purpose", allow_empty=True)).success


def test_an_empty_workspace_has_nothing_to_save(place: Place) -> None:
    assert run(place.service().save("nothing")).error == "No changes to checkpoint"


def test_restoring_the_beginning_brings_back_what_was_there(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    place.write("a.txt", "two")
    saved(service, "mine")

    assert run(service.rewind()).success
    assert place.read("a.txt") == "one"


def test_steps_are_found_by_number_the_newest_first(place: Place) -> None:
    service = place.service()
    for number, text in ((1, "first"), (2, "second"), (1, "first again")):
        place.write("a.txt", text)
        saved(service, f"[step-9] {text}", step=number)
    place.write("a.txt", "unsaved")
    result = run(service.restore(step=1))
    named = [one.message for one in run(service.list_checkpoints()) if one.step is not None]

    assert result.checkpoint is not None
    assert (result.checkpoint.message, result.checkpoint.step) == ("[step-1] first again", 1)
    assert place.read("a.txt") == "first again"
    assert named == ["[step-1] first again", "[step-2] second", "[step-1] first"]


def test_rewinding_goes_on_from_where_the_workspace_is(place: Place) -> None:
    service = place.service()
    for number in range(4):
        place.write("a.txt", str(number))
        saved(service, str(number))

    assert run(service.rewind()).success
    assert place.read("a.txt") == "2"
    assert run(service.rewind(2)).success
    assert place.read("a.txt") == "0"


def test_a_limited_list_is_the_newest_part(place: Place) -> None:
    service = place.service()
    for number in range(3):
        place.write("a.txt", str(number))
        saved(service, str(number))

    assert [one.message for one in run(service.list_checkpoints(limit=2))] == ["2", "1"]
    assert run(service.list_checkpoints(limit=0)) == []


def test_get_wants_exactly_one(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    made = saved(service, "one")

    assert run(service.get(made.id)) == made
    assert run(service.get(made.id[:10].upper())) == made
    assert run(service.get_checkpoint(made.short_id)) == made
    for nothing in ("", "f" * 64, "../../etc/passwd", "latest", "f" * 500):
        assert run(service.get(nothing)) is None


def test_a_deleted_checkpoint_is_gone_and_the_others_are_not(place: Place) -> None:
    service = place.service()
    made = []
    for number in range(3):
        place.write("a.txt", str(number))
        made.append(saved(service, str(number)))

    assert run(service.delete(made[1].id))
    assert run(service.get(made[1].id)) is None
    assert run(service.delete(made[1].id)) is False
    restored(service, made[0])
    assert place.read("a.txt") == "0"


def test_also_the_checkpoint_that_the_workspace_is_at_can_be_deleted(place: Place) -> None:
    service = place.service()
    place.write("a.txt", "one")
    saved(service, "one")
    place.write("a.txt", "two")
    last = saved(service, "two")

    assert run(service.delete(last.id))
    assert run(service.save("once more")).success
    assert [one.message for one in run(service.list())] == [
        "once more", "one", "Initial checkpoint",
    ]  # fmt: skip


def test_deleting_everything_leaves_other_workspaces_alone(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    saved(service, "one")
    other = place.workspace.parent / "other"
    other.mkdir()
    (other / "b.txt").write_text("b")
    with clew.init(other, store=place.storage)[0] as ws:
        kept = ws.save("another's").checkpoint

        assert run(service.delete_all())
        assert not service.is_initialized
        assert not os.path.exists(service.checkpoint_dir)
        assert ws.resolve(kept.id.hex()).id == kept.id
    assert run(service.initialize())
    assert [one.message for one in run(service.list())] == ["Initial checkpoint"]
    assert place.read("a.txt") == "one"


def test_after_cleanup_it_is_initialised_again_with_all_that_was_kept(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    saved(service, "one")
    run(service.cleanup())

    assert not service.is_initialized
    assert run(service.initialize())
    assert len(run(service.list())) == 2


def test_what_is_excluded_is_not_captured_and_not_touched(place: Place) -> None:
    place.write("secret.key", "old")
    place.write("deep/down/secret.key", "old")
    place.write("a.txt", "one")
    service = place.service(exclude_patterns=["*.key"])
    before = saved(service, "before")
    place.write("secret.key", "new")
    place.write("deep/down/secret.key", "new")
    place.write("a.txt", "two")
    place.write(".env", "captured, because the patterns say so")
    restored(service, before)

    assert (place.read("secret.key"), place.read("deep/down/secret.key")) == ("new", "new")
    assert place.read("a.txt") == "one"
    assert not (place.workspace / ".env").exists()


def test_an_exclude_that_means_nothing_is_refused_at_the_beginning(place: Place) -> None:
    service = CheckpointService(
        str(place.workspace), str(place.storage), exclude_patterns=["!keep.txt"]
    )
    events = heard(service)

    assert not run(service.initialize())
    assert events == [
        ("error", {"error": "exclude: line 1: patterns cannot be negated: '!keep.txt'"})
    ]


def test_a_secret_in_a_message_is_not_kept_in_it(place: Place) -> None:
    place.write("a.txt", "one")
    made = saved(place.service(), "use API_KEY=sk-abcdefghijklmnopqrstuvwxyz123456")

    assert "sk-abcdef" not in made.message


def test_automatic_checkpoints_hold_what_was_there_before(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service()
    place.write("a.txt", "two")
    made = run(service.before_change("write_file: a.txt")).checkpoint
    place.write("a.txt", "three")
    assert made is not None
    restored(service, made)

    assert made.message == "Before write_file: a.txt"
    assert made.metadata["role"] == "automatic"
    assert place.read("a.txt") == "two"


def test_automatic_checkpoints_are_taken_without_being_asked_to_begin(place: Place) -> None:
    place.write("a.txt", "one")
    service = CheckpointService(str(place.workspace), str(place.storage))

    assert service.checkpoint_before("bash: make").success
    assert service.is_initialized


def test_switched_off_nothing_is_taken_automatically(place: Place) -> None:
    place.write("a.txt", "one")
    service = place.service(auto_checkpoint=False)

    assert not service.checkpoint_before("write_file: a.txt").success
    assert [one.message for one in run(service.list())] == ["Initial checkpoint"]
