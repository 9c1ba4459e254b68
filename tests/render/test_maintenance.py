from __future__ import annotations

from clew.model.ids import short
from clew.model.results import HoldingCheckpoint, Searched
from clew.render import maintenance
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


def test_a_deletion_says_what_is_gone_and_what_is_still_held() -> None:
    assert list(maintenance.deleted(samples.DELETED, LOOK)) == [
        "Deleted 1 checkpoint, freed 80.0 kB",
        "  01010101  2025-12-06 11:07  checkpoint-1",
        "  still held: src/app.py is also in 02020202",
    ]


def test_a_purge_says_who_holds_it_still_and_how_much_was_searched() -> None:
    own = HoldingCheckpoint(samples.FIRST.id, b"/home/me/project")
    others = (
        own._replace(workspace=b"/home/me/other", is_elsewhere=True),
        own._replace(fork="side", is_elsewhere=True),
    )
    result = samples.DELETED._replace(held_by=(own, *others), searched=Searched(12, 70_000_000))
    mine = short(samples.FIRST.id)
    commands = (
        f"`clew delete {mine} --purge`",
        f"`clew -C /home/me/other delete {mine} --purge`",
        "`clew discard side --yes` and `clew gc --purge`",
    )

    assert list(maintenance.deleted(result, LOOK))[3:] == [
        f"  to remove that content too: {', '.join(commands)}",
        "  searched 12 files of the store, 70.0 MB: none of the removed content is left",
    ]


def test_a_purge_that_is_not_complete_never_says_that_it_is() -> None:
    result = samples.DELETED._replace(searched=Searched(12, 1), remaining=("copies/x is in use",))

    assert list(maintenance.deleted(result, LOOK))[3:] == ["  NOT removed: copies/x is in use"]


def test_a_dry_run_never_says_that_it_did_something() -> None:
    assert list(maintenance.pruned(samples.PRUNED, LOOK)) == [
        "Would remove 1 checkpoint and free about 80.0 kB",
        "  1 by rule hourly: one automatic checkpoint an hour is kept after a day",
        "  01010101  2025-12-06 11:07  checkpoint-1",
        "  kept 1: named",
        "  kept 1: current",
        "Store size: 4.0 MB of 5.0 GB",
    ]


def test_a_prune_says_what_it_did() -> None:
    result = samples.PRUNED._replace(dry_run=False, removed=(), rules=(), max_bytes=0)

    assert list(maintenance.pruned(result, LOOK)) == [
        "Removed 0 checkpoints, freed 80.0 kB",
        "  kept 1: named",
        "  kept 1: current",
        "Store size: 4.0 MB, no limit",
    ]


def test_a_collection_says_what_it_freed() -> None:
    assert list(maintenance.collected(samples.COLLECTED._replace(notes=("one pack is busy",)))) == [
        "Freed 80.0 kB: 120 objects, 2 packs",
        "  one pack is busy",
        "Store size: 4.0 MB",
    ]


def test_a_whole_store_is_said_to_be_whole() -> None:
    assert list(maintenance.checked(samples.WHOLE_STORE, LOOK)) == [
        "The store is intact: 7 packs, 4,321 objects, 4 checkpoints, 4.0 MB read",
        "  the backup is 12 minutes old",
    ]


def test_damage_is_located_and_those_who_need_it_named() -> None:
    assert list(maintenance.checked(samples.DAMAGED_STORE._replace(rebuilt=True), LOOK)) == [
        "The store is DAMAGED: 1 damage found; 7 packs, 4,321 objects, 4 checkpoints, 4.0 MB read",
        "  the index was rebuilt from the packs",
        "  ✘ packs/7f.pack: a frame does not match its checksum",
        "    needed by 02020202",
        "  the backup is 12 minutes old",
    ]


def test_stats_say_what_history_costs() -> None:
    assert list(maintenance.counted(samples.STATS)) == [
        "store        /home/me/.local/share/clew",
        "on disk      71.1 MB, as `du` counts it",
        "  packs         3.9 MB",
        "  catalogue    90.0 kB",
        "  reserve      67.1 MB  released when the disk is full",
        "  other        10.0 kB",
        "history      4.0 MB of 5.0 GB; without forks, copies and reserve",
        "holds        16.0 MB before compression",
        "workspace    4 checkpoints, of 9 in the store",
        "packs        7",
        "objects      4,321",
        "  blob           4,000   15.0 MB",
    ]


def test_settings_are_hostile_text_too() -> None:
    config = {"exclude": "*.o\n\x1b", "gate": "off"}

    assert list(maintenance.settings(config, {"exclude"}, LOOK)) == [
        "exclude = *.o",
        "          \\x1b",
        "gate = off  (default)",
    ]
