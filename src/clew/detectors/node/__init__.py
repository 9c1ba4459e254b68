"""Detectors for packages below node_modules."""
