"""How history is kept: packs, the catalogue, and their upkeep."""
