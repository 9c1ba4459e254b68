"""clew beside git, restic and borg, in one run on one machine; what counts is the ratios."""
