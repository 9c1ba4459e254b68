"""Many threads and asyncio tasks work on one store, and none waits for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.running import SOURCE

_SECONDS = 240


@pytest.mark.slow
def test_threads_and_asyncio_save_restore_fork_and_read_stories_at_once(tmp_path: Path) -> None:
    words = ["-W", "error", str(Path(__file__).with_name("stress.py")), str(tmp_path)]
    ran = subprocess.run(
        [sys.executable, *words, str(_SECONDS)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=_SECONDS + 30,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    found = json.loads(ran.stdout)
    assert found["problems"] == []
    assert found["check"] == []
    assert len(found["headlines"]) == 18
    assert not any("not analysed" in headline for headline in found["headlines"])
