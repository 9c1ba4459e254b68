"""Finds secrets in text: each module finds one kind and yields where it stands.

`clew.policy.redaction.redact` is the door: nothing else calls these.
"""
