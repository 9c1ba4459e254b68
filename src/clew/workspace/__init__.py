"""The library: `Workspace` and its parts, `ws.sessions`, `ws.tasks`, `ws.effects`, `ws.forks`."""

from __future__ import annotations

from clew.workspace.workspace import Confirm, Workspace

__all__ = ["Confirm", "Workspace"]
