"""Sessions of agents: conversation, tasks, effects, approval, brief."""
