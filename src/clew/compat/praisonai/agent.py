"""PraisonAI's `Agent` with the parameter that its documentation promises: `checkpoints=`.

This is the only module that needs `praisonaiagents` itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from clew.compat.praisonai.tools import Checkpointing

_THEIRS = import_module("praisonaiagents")

Agent: Any = type("Agent", (Checkpointing, _THEIRS.Agent), {"__doc__": _THEIRS.Agent.__doc__})
