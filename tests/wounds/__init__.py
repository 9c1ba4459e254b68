"""What hurt the users of other tools, and must not happen here."""
