"""Calls of tools, and the few words that a timeline has for them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import beginning

_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename")
_LONGEST_CALL = 80
_LONGEST_PROMPT = 100
_LONGEST_REASON = 120
_LONGEST_ID = 200
_NAMED = 3


class Call(NamedTuple):
    """A tool that is called."""

    tool: str
    arguments: object = None
    id: str = ""
    """What the agent calls this call; empty where it has no word for it."""

    @property
    def key(self) -> str:
        """What it is remembered by between its beginning and its end."""
        return self.id[:_LONGEST_ID] or words_for(self)


class EndedCall(NamedTuple):
    """A call that came to its end."""

    call: Call
    failed: str | None = None
    """Why it failed, in a few words; None if it did not, or nobody knows."""


def words_for(call: Call) -> str:
    """Return a call as a person would say it: a command line, or the tool and its file."""
    from clew.policy.effects.redact import redacted_line
    from clew.policy.shell.tool_call import shell_line

    line = shell_line(call.tool, call.arguments)
    if line is not None:
        return shortened(redacted_line(line[0]), _LONGEST_CALL)
    name = _file_name(call.arguments)
    return shortened(redacted_line(f"{call.tool} {name}".strip()), _LONGEST_CALL)


def why_for(ended: EndedCall) -> str:
    """Return why a call failed, without what its output gave away."""
    from clew.policy.effects.redact import redacted_line

    return shortened(redacted_line(beginning(ended.failed or "", 64 << 10)), _LONGEST_REASON)


def intent_for(prompt: str, calls: Sequence[Call]) -> str:
    """Return what a checkpoint after some calls is: what was asked for, and what was done."""
    named = [words_for(call) for call in calls[:_NAMED]]
    if len(calls) > _NAMED:
        named.append(f"{len(calls) - _NAMED} more")
    return ": ".join(part for part in (prompt, ", ".join(named)) if part)


def prompt_words(text: str) -> str:
    """Return what a person asked for, short enough to head a line."""
    from clew.policy.effects.redact import redacted_line

    return shortened(redacted_line(beginning(text, 64 << 10)), _LONGEST_PROMPT)


def shortened(text: str, longest: int) -> str:
    """Return text on one line and not longer than that."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _file_name(arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    found = next((arguments[key] for key in _PATH_KEYS if key in arguments), None)
    return os.path.basename(found.rstrip("/")) if isinstance(found, str) else ""
