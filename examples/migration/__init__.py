"""Two versions of an agent, and a session migrated from the first to the second."""
