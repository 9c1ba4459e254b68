"""The store: packs, catalogue, locks, garbage collection; the only code that accesses its files."""
