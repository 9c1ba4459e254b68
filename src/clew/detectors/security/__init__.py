"""Detectors that raise warnings."""
