"""Detectors for other package managers, toolchains and programs in PATH."""
