"""Finds secrets in text: each module finds one kind and yields where it stands.

`clew.model.redact` is the door: nothing else calls these.
"""
