"""What happened in git repositories, and what git makes of a path."""
