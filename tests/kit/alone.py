"""A network of its own for a command, so that nobody else's ports are in its stories."""

from __future__ import annotations

import subprocess
from functools import cache

from tests.kit.running import Clew

_ALONE = ("unshare", "--map-current-user", "--net")


def be_alone(clew: Clew) -> None:
    """Run the command without the machine's network, where that may be."""
    if _may_be_alone():
        clew.prefix = [*_ALONE]


@cache
def _may_be_alone() -> bool:
    return subprocess.run([*_ALONE, "true"], check=False, capture_output=True).returncode == 0
