"""Tool calls, and their short descriptions for a timeline."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten_line
from clew.policy.redaction.redact import beginning

_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename")
_MAX_CALL = 80
_MAX_PROMPT = 100
_MAX_REASON = 120
_MAX_ID = 200
_MAX_NAMED_CALLS = 3


class Call(NamedTuple):
    """One tool call."""

    tool: str
    arguments: object = None
    id: str = ""
    """The agent's id of the call; empty if it assigns none."""

    @property
    def key(self) -> str:
        """The key that identifies the call between its start and its end."""
        return self.id[:_MAX_ID] or words_for(self)


class EndedCall(NamedTuple):
    """A call that has ended."""

    call: Call
    failed: str | None = None
    """The reason of the failure; None if the call succeeded, or if that is unknown."""


def words_for(call: Call) -> str:
    """Return a short description of a call: its command line, or the tool and its file."""
    from clew.policy.effects.redact import redacted_line
    from clew.policy.shell.tool_call import shell_line

    line = shell_line(call.tool, call.arguments)
    if line is not None:
        return shorten_line(redacted_line(line[0]), _MAX_CALL)
    name = _file_name(call.arguments)
    return shorten_line(redacted_line(f"{call.tool} {name}".strip()), _MAX_CALL)


def why_for(ended: EndedCall) -> str:
    """Return the reason of a failure, shortened and without secrets."""
    from clew.policy.effects.redact import redacted_line

    return shorten_line(redacted_line(beginning(ended.failed or "", 64 << 10)), _MAX_REASON)


def intent_for(prompt: str, calls: Sequence[Call]) -> str:
    """Return the intent of a checkpoint after some calls: the prompt, and the calls."""
    named = [words_for(call) for call in calls[:_MAX_NAMED_CALLS]]
    if len(calls) > _MAX_NAMED_CALLS:
        named.append(f"{len(calls) - _MAX_NAMED_CALLS} more")
    return ": ".join(part for part in (prompt, ", ".join(named)) if part)


def prompt_words(text: str) -> str:
    """Return a prompt, shortened and without secrets."""
    from clew.policy.effects.redact import redacted_line

    return shorten_line(redacted_line(beginning(text, 64 << 10)), _MAX_PROMPT)


def _file_name(arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    found = next((arguments[key] for key in _PATH_KEYS if key in arguments), None)
    return os.path.basename(found.rstrip("/")) if isinstance(found, str) else ""
