"""Which calls need approval before they run."""
