"""Forks: create, list, compare, merge back, discard."""
