"""What deserves a warning."""
