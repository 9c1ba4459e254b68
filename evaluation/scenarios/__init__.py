"""The scenarios, grouped by what they touch; each module registers its own."""
