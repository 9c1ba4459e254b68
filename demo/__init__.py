"""Demo: clew on two small projects."""
