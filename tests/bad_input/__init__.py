"""What bad input gets: one line, a next step, the right exit code, and nothing changed."""
