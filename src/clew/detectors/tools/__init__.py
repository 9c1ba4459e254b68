"""Other package managers, toolchains, and programs in PATH."""
