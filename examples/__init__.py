"""Example programs, which check their own claims."""
