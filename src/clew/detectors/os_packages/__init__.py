"""What the package managers of the system installed."""
