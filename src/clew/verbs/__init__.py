"""The verbs of a workspace, one class for each thing one does with it; `Workspace` is all of them."""
