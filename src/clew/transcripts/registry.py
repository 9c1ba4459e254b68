"""The agents whose transcripts are their own: read, never written to."""

from __future__ import annotations

from clew.model.session import Format
from clew.transcripts import claude_code, codex
from clew.transcripts.dialect import Dialect

_DIALECTS = {Format.CLAUDE_CODE: claude_code.DIALECT, Format.CODEX: codex.DIALECT}


def dialect_of(form: str) -> Dialect | None:
    """Return an agent's way, or None for conversations that are nobody's own."""
    return _DIALECTS.get(form)
