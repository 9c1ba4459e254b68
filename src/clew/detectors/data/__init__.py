"""Detectors for Docker, Redis, notebooks, models, archives and data tables."""
