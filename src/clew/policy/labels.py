"""Labels as they are kept: everything as given, except what no database and no JSON could hold.

A bar, a newline or an escape character stays: the surface that shows a label escapes it.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import beginning, redact_value, redact_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.model.task import Task

INTENT_LIMIT = 4_000
FAILED = "failed"
"""Kept with a checkpoint: the calls of an agent that failed on the way to it, or there."""
RESTORED = "restored"
"""Kept with what a restore resulted in, where that is no checkpoint we had: what was restored."""
KEPT_SINCE = "kept-since"
"""Kept with a restore that was merged with edits: what those edits were made to."""

_REPLACEMENT = "\ufffd"


_READ = 1 << 16
"""Characters of a text that are looked at before it is cut to those that are kept."""


class Label(NamedTuple):
    """What somebody typed, as it is kept."""

    text: str
    was_redacted: bool
    was_cut: bool


def label(text: str) -> str:
    """Return what somebody typed as it is kept: without secrets, and cut to length after that."""
    return made_label(text).text


def made_label(text: str) -> Label:
    """Return the same, and what was done to it."""
    read = beginning(text, _READ)
    clean = redact_words(read)
    kept, was_cut = shorten_intent(clean)
    return Label(kept, clean != read, was_cut or len(read) < len(text))


def said_redacted(fields: Iterable[str]) -> str:
    """Return the sentence that tells whoever typed something what was done to it."""
    *others, last = fields
    named = f"{', '.join(others)} and {last}" if others else last
    return f"Redacted what looks like a secret from the {named}"


def meta_labels(meta: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return names and values as they are kept; the name says whether the value is a secret."""
    found: dict[str, str] = {}
    for key, value in meta:
        name, number = label(key), 1
        while name in found:  # two secrets, and one mark; a checkpoint has each name once
            number += 1
            name = f"{label(key)} {number}"
        found[name] = _meta_value(key, value)
    return tuple(found.items())


def _meta_value(key: str, value: str) -> str:
    return shorten_intent(redact_value(key, beginning(value, _READ)))[0]


def redacted_task(task: Task) -> Task:
    """Return a task as it is kept and shown."""
    return task._replace(title=label(task.title), note=label(task.note))


def shorten_intent(text: str) -> tuple[str, bool]:
    """Return `text` as it can be kept, and whether it had to be cut."""
    kept = text[:INTENT_LIMIT]
    return "".join(map(_storable, kept)), len(text) > INTENT_LIMIT


def _storable(char: str) -> str:
    return _REPLACEMENT if char == "\0" or "\ud800" <= char <= "\udfff" else char
