"""Detectors for the package managers of the operating system."""
