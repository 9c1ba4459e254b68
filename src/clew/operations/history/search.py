"""Search: words in what is known of checkpoints, newest first.

Nothing is derived: stories are searched as they are stored, and paths by comparing trees, which skips
what is equal.  Paths and conversations have a time limit, unless they were asked for by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from clew.diff.trees import diff_trees, walk
from clew.errors import BadOption, StoreDamaged
from clew.model.amount import counted
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, ObjectId
from clew.model.path import as_text
from clew.model.search_results import SearchHit, SearchMatch, SearchResult, Section
from clew.model.story import Story, decode_story
from clew.operations.context import Context
from clew.operations.history.search_conversations import Messages, search_conversations
from clew.policy.redaction.redact import redact_words
from clew.policy.redaction.story import redacted_story
from clew.policy.search_words import SearchWords

SECONDS = 5.0
"""Time for the paths, and for the conversations, of all checkpoints."""
_MOST_PATHS = 50
"""Paths of one checkpoint that are listed."""

Hits = dict[CheckpointId, list[SearchHit]]


def search(
    contexts: Sequence[Context],
    text: str,
    *,
    sections: Sequence[str] = (),
    limit: int | None = None,
) -> SearchResult:
    """Return the checkpoints of some workspaces in which one text has all words of `text`."""
    words = SearchWords(text)
    if not words.words:
        raise BadOption("TEXT", "no word to search for")
    unknown = [one for one in sections if one not in Section.ALL]
    if unknown:
        raise BadOption("--in", f"must be some of {', '.join(Section.ALL)}: {unknown[0]!r}")
    found: list[SearchMatch] = []
    notes: list[str] = []
    searched = 0
    for context in contexts:
        one = _Search(context, words, sections)
        found += one.matches()
        notes += one.notes
        searched += len(one.checkpoints)
    found.sort(key=lambda match: match.checkpoint.record.time_ns, reverse=True)
    shown = found[:limit]
    return SearchResult(
        tuple(redact_words(text).split()),
        tuple(shown),
        searched,
        len(found) - len(shown),
        tuple(dict.fromkeys(notes)),
    )


class _Search:
    """A search in one workspace."""

    def __init__(self, context: Context, words: SearchWords, sections: Sequence[str]) -> None:
        self._context = context
        self._words = words
        self._sections = tuple(sections) or Section.ALL
        self._is_limited = not sections
        self.notes: list[str] = []
        here = context.store.trails.here(context.workspace)
        headlines = context.store.stories.headlines(context.workspace)
        self.checkpoints = [
            checkpoint._replace(
                is_here=checkpoint.id == here,
                headline=headlines[checkpoint.id].headline if checkpoint.id in headlines else None,
            )
            for checkpoint in context.store.checkpoints.newest_first(context.workspace)
        ]

    def matches(self) -> list[SearchMatch]:
        """Return the checkpoints that match, newest first."""
        hits: Hits = {}
        messages: dict[CheckpointId, Messages] = {}
        for checkpoint in self.checkpoints:
            hits[checkpoint.id] = list(self._in_labels(checkpoint))
        if Section.FACTS in self._sections:
            self._search_facts(hits)
        if Section.PATHS in self._sections:
            self._search_paths(hits)
        if Section.CONVERSATION in self._sections:
            messages = self._search_messages()
        return [
            SearchMatch(
                checkpoint,
                self._context.info,
                (*hits[checkpoint.id], *self._said(messages.get(checkpoint.id))),
                hidden=messages[checkpoint.id].hidden if checkpoint.id in messages else 0,
            )
            for checkpoint in self.checkpoints
            if hits[checkpoint.id] or checkpoint.id in messages
        ]

    def _in_labels(self, checkpoint: Checkpoint) -> Iterator[SearchHit]:
        """Yield hits in the texts of a checkpoint itself, which are stored redacted."""
        labels = checkpoint.labels
        verdicts: Iterable[str] = ()
        if Section.CHECKS in self._sections:
            known = self._context.store.verdicts.of_state(checkpoint.record.state)
            verdicts = dict.fromkeys(verdict.command for verdict in known)
        texts = (
            *((Section.INTENTS, text) for text in (labels.intent, labels.description)),
            (Section.INTENTS, labels.name),
            *((Section.NOTES, note) for note in labels.notes),
            *((Section.NOTES, f"{key}={value}") for key, value in labels.meta),
            *((Section.CHECKS, command) for command in verdicts),
            (Section.HEADLINES, checkpoint.headline or ""),
        )
        for section, text in texts:
            if section in self._sections and self._words.are_in(text):
                yield SearchHit(section, self._words.marked(" ".join(text.split())))

    def _search_facts(self, hits: Hits) -> None:
        told = 0
        for identifier, content in self._context.store.stories.contents(self._context.workspace):
            if identifier not in hits:
                continue  # deleted meanwhile
            told += 1
            if not self._words.are_in(content.decode("utf-8", "replace")):
                continue
            try:
                story = redacted_story(decode_story(content))
            except ValueError:
                continue  # a reader derives it again
            hits[identifier] += self._in_story(story)
        untold = len(self.checkpoints) - told
        if untold:
            what = counted(untold, "checkpoint")
            self.notes.append(
                f"Facts of {what} were not searched: their stories are not stored yet"
            )

    def _in_story(self, story: Story) -> Iterator[SearchHit]:
        """Yield the lines with all words, then the facts with all words that no such line names."""
        lines = [line for line in story.lines if self._words.are_in(f"{line.heading} {line.text}")]
        for line in lines:
            if line.text != story.headline or Section.HEADLINES not in self._sections:
                yield SearchHit(Section.FACTS, self._words.marked(" ".join(line.text.split())))
        for fact in story.facts:
            values = " → ".join(value for value in (fact.before, fact.after) if value)
            text = f"{fact.kind} {fact.scope} {fact.subject} {values}"
            if self._words.are_in(text) and not any(fact.subject in line.text for line in lines):
                yield SearchHit(Section.FACTS, self._words.marked(" ".join(text.split())))

    def _search_paths(self, hits: Hits) -> None:
        trees = {one.id: one.record.tree for one in self.checkpoints}
        is_over = self._deadline()
        for number, checkpoint in enumerate(self.checkpoints):
            parent, _ = self._context.store.checkpoints.surviving(checkpoint.record.parent)
            before = trees.get(parent) if parent is not None else None
            if parent is not None and before is None:  # in the workspace that it was forked from
                before = self._context.find(parent).record.tree
            try:
                is_cut = self._in_paths(
                    before, checkpoint.record.tree, hits[checkpoint.id], is_over
                )
            except StoreDamaged as error:
                self.notes.append(f"Some paths were not searched: {error}")
                continue
            if is_cut:
                what = counted(len(self.checkpoints) - number, "older checkpoint")
                self.notes.append(f"Paths of {what} were not searched; --in paths searches all")
                return

    def _in_paths(
        self,
        before: ObjectId | None,
        after: ObjectId,
        hits: list[SearchHit],
        is_over: Callable[[], bool],
    ) -> bool:
        """Add hits for the changed paths; return whether time ran out."""
        groups: dict[str, tuple[int, str]] = {}
        for number, change in enumerate(self._changes(before, after)):
            if number % 256 == 0 and is_over():
                return True
            path = change.path.decode("utf-8", "surrogateescape")
            if self._words.are_in(path):
                part = self._words.common_part(path)
                count, kind = groups.get(part, (0, change.kind if part == path else ""))
                groups[part] = (count + 1, kind)
        for part, (count, kind) in list(groups.items())[:_MOST_PATHS]:
            raw = part.encode("utf-8", "surrogateescape")
            excerpt = self._words.marked(as_text(raw))
            hits.append(SearchHit(Section.PATHS, excerpt, path=raw, kind=kind, paths=count))
        return False

    def _changes(self, before: ObjectId | None, after: ObjectId) -> Iterator[Change]:
        get = self._context.store.objects.get
        if before is not None:
            yield from diff_trees(before, after, get, mtimes=False)
            return
        for path, entry in walk(after, get):
            if path:
                yield Change(path, ChangeKind.ADDED, None, entry)

    def _search_messages(self) -> dict[CheckpointId, Messages]:
        found = search_conversations(
            self._context.store.objects.get,
            self._words,
            list(reversed(self.checkpoints)),
            self._deadline(),
        )
        if found.skipped:
            what = counted(found.skipped, "checkpoint")
            self.notes.append(
                f"Conversations of {what} were not searched; --in conversation searches all"
            )
        self.notes += found.notes
        return found.messages

    def _said(self, found: Messages | None) -> Iterator[SearchHit]:
        for role, text in found.shown if found is not None else ():
            yield SearchHit(Section.CONVERSATION, self._words.excerpt(text), role=role)

    def _deadline(self) -> Callable[[], bool]:
        """Return a function that tells whether time is over; never, if a section was named."""
        if not self._is_limited:
            return lambda: False
        end = self._context.host.monotonic() + SECONDS
        return lambda: self._context.host.monotonic() > end
