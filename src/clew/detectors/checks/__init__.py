"""Detectors of tests and checks: what no longer runs, and what no longer fails."""
