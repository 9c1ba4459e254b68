"""Redaction of stories: names and values that detectors read from a snapshot.

A detector takes no values of secrets, but a table, a branch or a package can be named after one.
Facts are redacted before they are put into words, because words cut long names, and again when a row
is read, for those that an older version wrote.
"""

from __future__ import annotations

from clew.model.fact import Fact
from clew.model.story import Story, StoryLine
from clew.policy.redaction.redact import (
    may_hold_secret,
    redact_name,
    redact_sentence,
    redact_words,
)


def redacted_fact(fact: Fact) -> Fact:
    """Return a fact with the secrets in its names and values replaced."""
    scope, evidence = redact_name(fact.scope), tuple(map(redact_name, fact.evidence))
    if scope != fact.scope or evidence != fact.evidence:
        fact = fact._replace(scope=scope, evidence=evidence)
    texts = (fact.subject, fact.before or "", fact.after or "", *fact.marks)
    if not may_hold_secret("\n".join(texts)):
        return fact
    return fact._replace(
        subject=redact_words(fact.subject),
        before=None if fact.before is None else redact_words(fact.before),
        after=None if fact.after is None else redact_words(fact.after),
        marks=tuple(map(redact_words, fact.marks)),
    )


def redacted_story(story: Story) -> Story:
    """Return a story with the secrets in its texts replaced."""
    return story._replace(
        headline=redact_sentence(story.headline),
        facts=tuple(map(redacted_fact, story.facts)),
        lines=tuple(map(_redacted_line, story.lines)),
        retold=redact_sentence(story.retold),
    )


def _redacted_line(line: StoryLine) -> StoryLine:
    return line._replace(text=redact_sentence(line.text))
