"""Other libraries' checkpoints, one import away: the same names, kept by clew."""
