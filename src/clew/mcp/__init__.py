"""The verbs as tools of the Model Context Protocol, for agents that speak it; docs/mcp.md."""
