"""Truth sources, by subject."""
