"""MCP server: the commands as tools of the Model Context Protocol; docs/mcp.md is the manual."""
