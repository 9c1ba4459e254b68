"""Command lines read without running anything."""
