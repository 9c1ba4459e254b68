"""Agent integrations: hooks for coding agents, adapters for agent libraries, and their setup."""
