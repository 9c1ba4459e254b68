"""Pydantic AI: a capability that checkpoints an agent's work, and the history to continue from.

agent = Agent(model, capabilities=[Clew(workspace)])
result = await agent.run("…")
workspace.restore("good")
await agent.run("go on", message_history=history(workspace.sessions.current()))
"""

from __future__ import annotations

from clew.agents.pydantic_ai.capability import Clew
from clew.agents.pydantic_ai.messages import history

__all__ = ["Clew", "history"]
