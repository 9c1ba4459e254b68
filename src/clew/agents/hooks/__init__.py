"""Hooks of coding agents: one short process for each event, which never blocks the agent."""
