"""Save: scan the workspace, commit a checkpoint, derive its story, run its check."""
