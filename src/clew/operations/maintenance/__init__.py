"""Maintenance of a store: prune, delete, purge, gc, check, settings."""
