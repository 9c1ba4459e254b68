"""Working tree: the only access to the machine's files and processes; Linux-specific code."""
