"""Other processes at work in the workspace or the store at the same time."""
