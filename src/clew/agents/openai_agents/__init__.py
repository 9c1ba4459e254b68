"""OpenAI Agents SDK: run hooks, a session, and sandbox snapshots.

    hooks = ClewHooks(workspace)
    result = await Runner.run(agent, "…", hooks=hooks, session=hooks.conversation)

Snapshots are in `clew.agents.openai_agents.sandbox`, which requires the SDK's sandboxes.
"""

from __future__ import annotations

from clew.agents.openai_agents.hooks import ClewHooks
from clew.agents.openai_agents.session import ClewSession

__all__ = ["ClewHooks", "ClewSession"]
