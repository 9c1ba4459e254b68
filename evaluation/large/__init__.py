"""Large changes: whether the story is complete in its main lines, and what it costs for each path."""
