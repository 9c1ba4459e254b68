"""Damage to each kind of file in the store, and what every command does then."""
