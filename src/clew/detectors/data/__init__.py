"""Detectors for databases, notebooks, models, archives and data tables."""
