"""Every kind of file, on every filesystem, saved and brought back."""
