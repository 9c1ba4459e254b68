"""Labels as stored: redacted, limited in length, and valid in a database and in JSON.

A `|`, a newline or an escape character is stored unchanged: the user interface escapes it.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import beginning, redact_value, redact_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.model.checkpoint import Labels
    from clew.model.task import Task

INTENT_LIMIT = 4_000
FAILED = "failed"
"""Meta key of a checkpoint: the failed calls of an agent before or at it."""
RESTORED = "restored"
"""Meta key of the result of a restore that is not an existing checkpoint: what was restored."""
KEPT_SINCE = "kept-since"
"""Meta key of a restore that was merged with edits: the base of those edits."""
_OWN = "clew:"
"""Prefix of the meta keys under which labels are stored that have no column."""
_INTENT_FROM = f"{_OWN}intent-from"
_FROM_GIT = "git"
_NOTE = f"{_OWN}note-"
PROMPT = f"{_OWN}prompt"
"""Meta key of a checkpoint that a hook saves: the prompt that the agent works on."""

_REPLACEMENT = "\ufffd"


_READ = 1 << 16
"""Characters of a text that are scanned for secrets before it is truncated."""


class Label(NamedTuple):
    """A text as stored."""

    text: str
    was_redacted: bool
    was_cut: bool


def label(text: str) -> str:
    """Return a text as stored: redacted, then truncated."""
    return made_label(text).text


def made_label(text: str) -> Label:
    """Return a text as stored, and whether it was redacted or truncated."""
    read = beginning(text, _READ)
    clean = redact_words(read)
    kept, was_cut = shorten_intent(clean)
    return Label(kept, clean != read, was_cut or len(read) < len(text))


def said_redacted(fields: Iterable[str]) -> str:
    """Return the notice that a secret was redacted from some fields."""
    *others, last = fields
    named = f"{', '.join(others)} and {last}" if others else last
    return f"Redacted what looks like a secret from the {named}"


def meta_labels(meta: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return names and values as stored; the name decides whether the value is a secret."""
    found: dict[str, str] = {}
    for key, value in meta:
        name, number = label(key), 1
        while (
            name in found
        ):  # two secret names redacted to the same mark; names are unique in a checkpoint
            number += 1
            name = f"{label(key)} {number}"
        found[name] = _meta_value(key, value)
    return tuple(found.items())


def stored_meta(labels: Labels) -> tuple[tuple[str, str], ...]:
    """Return the meta values as stored, with the labels that have no column."""
    own = [(f"{_NOTE}{number:06}", text) for number, text in enumerate(labels.notes)]
    if labels.is_intent_from_git:
        own.append((_INTENT_FROM, _FROM_GIT))
    if labels.prompt:
        own.append((PROMPT, labels.prompt))
    return (*labels.meta, *own)


def labels_of(labels: Labels, stored: Iterable[tuple[str, str]]) -> Labels:
    """Return labels with the meta values as stored; the reverse of `stored_meta`."""
    values = list(stored)
    return labels._replace(
        meta=tuple(pair for pair in values if not pair[0].startswith(_OWN)),
        notes=tuple(text for key, text in sorted(values) if key.startswith(_NOTE)),
        is_intent_from_git=(_INTENT_FROM, _FROM_GIT) in values,
        prompt=next((text for key, text in values if key == PROMPT), ""),
    )


def _meta_value(key: str, value: str) -> str:
    return shorten_intent(redact_value(key, beginning(value, _READ)))[0]


def redacted_task(task: Task) -> Task:
    """Return a task as stored and shown."""
    return task._replace(title=label(task.title), note=label(task.note))


def shorten_intent(text: str) -> tuple[str, bool]:
    """Return `text` storable and truncated, and whether it was truncated."""
    kept = text[:INTENT_LIMIT]
    return "".join(map(_storable, kept)), len(text) > INTENT_LIMIT


def _storable(char: str) -> str:
    return _REPLACEMENT if char == "\0" or "\ud800" <= char <= "\udfff" else char
