"""Databases, notebooks, models, archives and tables of data."""
