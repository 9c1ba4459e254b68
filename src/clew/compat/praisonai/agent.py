"""PraisonAI's `Agent` with the documented parameter `checkpoints=`.

Only this requires `praisonaiagents`, so the class is created on first use.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from clew.compat.praisonai.tools import Checkpointing


@cache
def agent_class() -> Any:
    """Return the class, or raise ModuleNotFoundError if PraisonAI is not installed."""
    theirs = import_module("praisonaiagents").Agent
    return type("Agent", (Checkpointing, theirs), {"__doc__": theirs.__doc__})
