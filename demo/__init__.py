"""clew at work on a small project, for real."""
