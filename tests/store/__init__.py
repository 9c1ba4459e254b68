"""The store: packs, catalogue and maintenance."""
