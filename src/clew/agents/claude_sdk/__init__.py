"""clew for the Claude Agent SDK; see docs/claude-agent-sdk.md."""

from clew.agents.claude_sdk.session_store import ClewSessionStore

__all__ = ["ClewSessionStore"]
