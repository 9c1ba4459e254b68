"""Drop-in replacements for the checkpoint APIs of other libraries."""
