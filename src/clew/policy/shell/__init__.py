"""Shell command line parsing, without running anything."""
