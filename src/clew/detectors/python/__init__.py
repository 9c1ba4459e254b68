"""Detectors for packages in Python environments."""
