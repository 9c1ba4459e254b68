"""Policies on text: shell parsing, effect comparison, approval, redaction, labels.  Pure."""
