"""What is on disk: the one door to the machine's files.  What only Linux has stays in here."""
