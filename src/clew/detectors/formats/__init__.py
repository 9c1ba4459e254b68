"""Readers of structured files: bytes become plain values, or cannot be read."""
