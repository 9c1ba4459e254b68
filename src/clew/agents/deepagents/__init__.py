"""clew for deepagents; see docs/deepagents.md."""

from clew.agents.deepagents.backend import ClewBackend
from clew.agents.deepagents.middleware import ClewMiddleware

__all__ = ["ClewBackend", "ClewMiddleware"]
