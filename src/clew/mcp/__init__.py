"""The MCP server: the verbs of a workspace as tools of any agent."""
