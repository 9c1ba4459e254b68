"""Run commands in private copies of a checkpoint: verify, exec, try, bisect, drill."""
