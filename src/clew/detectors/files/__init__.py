"""Detectors for settings, sources, logs and generated files."""
