"""Two versions of one agent, and a session that goes on from the first to the second."""
