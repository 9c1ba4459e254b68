"""Save: scan the workspace, commit a checkpoint, then tell its story and run its check."""
