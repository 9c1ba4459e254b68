"""clew: environment history for AI agents.

import clew

ws = clew.open(".", create=True)
cp = ws.save("before auth refactor", verify="npm test").checkpoint
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would double what `clew --help` takes
if TYPE_CHECKING:
    from clew.errors import ClewError
    from clew.monitor import Monitor
    from clew.opening import check_store, init, open
    from clew.workspace import Workspace

__version__ = "0.1.0"

__all__ = ["ClewError", "Monitor", "Workspace", "check_store", "init", "open"]

_HOMES = {
    "ClewError": "clew.errors",
    "Monitor": "clew.monitor",
    "Workspace": "clew.workspace",
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: `clew --help` needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "clew.opening")), name)
