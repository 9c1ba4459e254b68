"""One tiny store for each format there ever was, kept for ever."""
