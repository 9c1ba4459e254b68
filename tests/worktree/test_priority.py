"""Low priority: a process that gives way, also to those of other sessions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.running import SOURCE

_CHILD = """
import os
from clew.worktree.syscalls import lower_priority
if not os.fork():
    lower_priority()
    print(os.nice(0), os.getsid(0) == os.getpid())
    try:
        print(open("/proc/self/autogroup").read().split()[-1])
    except OSError:
        print(10)
else:
    os.wait()
"""


@pytest.fixture
def printed() -> list[str]:
    """What a child says of its priority after it was lowered."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_child_gives_way_in_its_session_and_among_sessions(printed: list[str]) -> None:
    assert printed[:2] == ["19", "True"]
    if Path("/proc/sys/kernel/sched_autogroup_enabled").exists():
        assert printed[2] == "10"
