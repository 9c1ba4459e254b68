"""PraisonAI's `Agent` with the parameter that its documentation promises: `checkpoints=`.

This is the only thing here that needs `praisonaiagents` itself, so it is made when asked for.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from clew.compat.praisonai.tools import Checkpointing


@cache
def agent_class() -> Any:
    """Return the class; `ModuleNotFoundError` where the other library is not installed."""
    theirs = import_module("praisonaiagents").Agent
    return type("Agent", (Checkpointing, theirs), {"__doc__": theirs.__doc__})
