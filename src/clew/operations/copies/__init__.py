"""Private copies of a checkpoint: made, cached, repaired, and scanned for their result."""
