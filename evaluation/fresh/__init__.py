"""Variants written from the documentation of the tools, and first run before any detector was changed."""
