"""Random work against the naivest model: copies of the tree."""
