"""How history is kept: the one door to the store's disk; see docs/format.md."""
