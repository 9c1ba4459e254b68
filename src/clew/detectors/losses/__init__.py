"""Detectors of lost and moved data."""
