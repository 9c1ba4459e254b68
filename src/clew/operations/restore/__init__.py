"""Restore: preview, plan, proof, journal, exchange, comparison; undo; resume after a crash."""
