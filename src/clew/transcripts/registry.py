"""Registry of the agents that write their own transcripts, which clew reads."""

from __future__ import annotations

from clew.model.session import Format
from clew.transcripts.dialect import Dialect


def dialect_of(form: str) -> Dialect | None:
    """Return the dialect of a format, or None for conversations without an agent's transcript."""
    if form == Format.CLAUDE_CODE:
        from clew.transcripts import claude_code  # noqa: PLC0415  a hook needs at most one

        return claude_code.DIALECT
    if form == Format.CODEX:
        from clew.transcripts import codex  # noqa: PLC0415

        return codex.DIALECT
    return None
