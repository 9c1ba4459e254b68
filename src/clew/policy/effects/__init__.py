"""Effect comparison: whether two external actions are the same."""
