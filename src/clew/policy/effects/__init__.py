"""Whether two acts on the outside world are the same act."""
