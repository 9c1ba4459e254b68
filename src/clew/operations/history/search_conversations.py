"""Search conversations: each message once, at the first checkpoint that has it.

A conversation shares most of its parts with the one before it, and these are not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.conversation import ConversationPart, Get, decode_parts
from clew.model.ids import CheckpointId, ObjectId
from clew.model.named_tuple import NamedTuple
from clew.policy.message_line import whole_message
from clew.policy.search_words import SearchWords

_SHOWN = 5
"""Messages of one checkpoint that are listed; the others are counted."""


class Messages(NamedTuple):
    """The messages of a checkpoint that match."""

    shown: list[tuple[str, str]]
    """Role and text of the first of them; not redacted."""
    hidden: int = 0


class FoundMessages(NamedTuple):
    """The messages that match, by checkpoint."""

    messages: dict[CheckpointId, Messages]
    skipped: int = 0
    """Number of checkpoints for which there was no time."""
    notes: tuple[str, ...] = ()


def search_conversations(
    get: Get,
    words: SearchWords,
    oldest_first: Sequence[Checkpoint],
    is_over: Callable[[], bool],
) -> FoundMessages:
    """Return the messages that have all words."""
    found: dict[CheckpointId, Messages] = {}
    notes: list[str] = []
    reader = _NewLines(get, words)
    seen_lines: set[int] = set()
    for number, checkpoint in enumerate(oldest_first):
        conversation = checkpoint.record.position.conversation
        if conversation is None:
            continue
        if is_over():
            return FoundMessages(found, len(oldest_first) - number, tuple(notes))
        messages = Messages([])
        try:
            for line in reader.candidates(conversation):
                if hash(line) in seen_lines:  # a transcript that was written anew
                    continue
                seen_lines.add(hash(line))
                role, text = whole_message(line)
                if not words.are_in(text):
                    continue
                if len(messages.shown) < _SHOWN:
                    messages.shown.append((role, text))
                else:
                    messages = messages._replace(hidden=messages.hidden + 1)
        except (StoreDamaged, ValueError) as error:
            notes.append(f"Some messages were not searched: {error}")
        if messages.shown:
            found[checkpoint.id] = messages
    return FoundMessages(found, 0, tuple(dict.fromkeys(notes)))


class _NewLines:
    """Reads the parts of conversations that no earlier one had."""

    def __init__(self, get: Get, words: SearchWords) -> None:
        self._get = get
        self._words = words
        self._conversations: set[ObjectId] = set()
        self._last: dict[ObjectId, ObjectId] = {}
        """The last blob of each part that was read; of a blob, itself."""

    def candidates(self, conversation: ObjectId) -> Iterator[bytes]:
        """Yield the new lines of a conversation that may have all words."""
        if conversation in self._conversations:
            return
        self._conversations.add(conversation)
        known: ObjectId | None = None
        begun = b""
        for blob, is_known in self._blobs(decode_parts(self._get(conversation))):
            if is_known:
                known = blob
                continue
            if known is not None:
                begun = self._get(known).rpartition(b"\n")[2]
                known = None
            content = begun + self._get(blob)
            whole, newline, begun = content.rpartition(b"\n")
            if newline:
                yield from self._lines(whole)
        yield from self._lines(begun)

    def _blobs(self, parts: Sequence[ConversationPart]) -> Iterator[tuple[ObjectId, bool]]:
        """Yield each blob, and whether it is known; of a known group, only the last one."""
        for part in parts:
            last = self._last.get(part.identifier)
            if last is not None:
                yield last, True
            elif part.depth == 0:
                self._last[part.identifier] = part.identifier
                yield part.identifier, False
            else:
                inner = decode_parts(self._get(part.identifier))
                if not inner or any(one.depth >= part.depth for one in inner):
                    raise ValueError("A group of a conversation holds itself, or nothing")
                yield from self._blobs(inner)
                self._last[part.identifier] = self._last[inner[-1].identifier]

    def _lines(self, content: bytes) -> Iterator[bytes]:
        lowered = content.lower()  # as long as before: only ASCII letters change
        if not content or not self._words.may_be_in_json(lowered):
            return
        at = 0
        for line in lowered.split(b"\n"):
            if self._words.may_be_in_json(line):
                yield content[at : at + len(line)]
            at += len(line) + 1
