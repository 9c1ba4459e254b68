"""Secret detection in text: each module finds one kind and yields its spans.

`clew.policy.redaction.redact` is the only entry point.
"""
