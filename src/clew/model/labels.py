"""Labels as they are kept: everything as given, except what no database and no JSON could hold.

A bar, a newline or an escape character stays: the surface that shows a label escapes it.
"""

from __future__ import annotations

INTENT_LIMIT = 4_000
FAILED = "failed"
"""Kept with a checkpoint: the calls of an agent that failed on the way to it, or there."""
RESTORED = "restored"
"""Kept with what a restore resulted in, where that is no checkpoint we had: what was restored."""
KEPT_SINCE = "kept-since"
"""Kept with a restore that was merged with edits: what those edits were made to."""

_REPLACEMENT = "\ufffd"


def shorten_intent(text: str) -> tuple[str, bool]:
    """Return `text` as it can be kept, and whether it had to be cut."""
    kept = text[:INTENT_LIMIT]
    return "".join(map(_storable, kept)), len(text) > INTENT_LIMIT


def _storable(char: str) -> str:
    return _REPLACEMENT if char == "\0" or "\ud800" <= char <= "\udfff" else char
