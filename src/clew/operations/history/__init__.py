"""Read history: references, log, diff, blame, files, stories."""
