"""clew for the Claude Agent SDK; see docs/claude-agent-sdk.md."""

from clew.agents.claude_sdk.hooks import clew_hooks
from clew.agents.claude_sdk.options import with_clew
from clew.agents.claude_sdk.session_store import ClewSessionStore

__all__ = ["ClewSessionStore", "clew_hooks", "with_clew"]
