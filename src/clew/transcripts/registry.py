"""The agents whose transcripts are their own: read, never written to."""

from __future__ import annotations

from clew.model.session import Format
from clew.transcripts.dialect import Dialect


def dialect_of(form: str) -> Dialect | None:
    """Return an agent's way, or None for conversations that are nobody's own."""
    if form == Format.CLAUDE_CODE:
        from clew.transcripts import claude_code  # noqa: PLC0415  a hook needs one of them at most

        return claude_code.DIALECT
    if form == Format.CODEX:
        from clew.transcripts import codex  # noqa: PLC0415

        return codex.DIALECT
    return None
