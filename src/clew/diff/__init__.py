"""What changed between two moments: paths, renames, lines.  Pure: objects come in as bytes."""
