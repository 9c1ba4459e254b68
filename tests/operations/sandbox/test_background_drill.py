"""With `drill.every`, a save starts a drill in the background, and does not wait for it."""

from __future__ import annotations

import time

from tests.kit.background import ON, wait_for_stories
from tests.kit.running import Clew

LONGEST = 120.0


def test_a_save_starts_a_drill_that_proves_a_restore(clew: Clew) -> None:
    clew.extra.update(ON)
    (clew.workspace / "file").write_text("1")
    saved = clew.save("first", "--verify", "true")
    off = clew.json("status")["last_drill"]
    clew.ok("config", "set", "drill.every", "7d")
    (clew.workspace / "file").write_text("2")
    clew.save("second")
    deadline = time.monotonic() + LONGEST
    while clew.json("status")["last_drill"] is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    wait_for_stories(clew.store)

    assert off is None
    assert clew.json("show", saved)["checkpoint"]["drill"]["outcome"] == "proven"
    assert "restore proven on" in clew.run("log").out
